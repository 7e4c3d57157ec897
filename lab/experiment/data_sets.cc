#include "lab/experiment/data_sets.h"

#include "lab/data/files.h"
#include "lab/data/synthetic.h"

namespace tombola::lab {
namespace {

using Make = std::function<absl::StatusOr<Population>()>;

Make Drawn(std::vector<KeyLaw> (*laws)(), int64_t users, uint64_t seed) {
  return [=]() -> absl::StatusOr<Population> { return DrawPopulation(laws(), users, seed); };
}

Make StoodIn(StandIn (*like)(), uint64_t seed) {
  return [=]() -> absl::StatusOr<Population> { return DrawStandIn(like(), seed); };
}

constexpr char kGaussText[] =
    R"(Key k of 100 is held with probability b/2 and has the mean 2b − 1, b = exp(−((k − 50.5)/20)²/2),
independently of the others; values are uniform within 0.2 of the mean. The paper does not define its own.)";
constexpr char kLnrText[] = "Likewise, with probability 0.005 k and mean 2k/100 − 1.";
constexpr char kSparseText[] =
    "Likewise with 1,000 keys, probability 0.5/k and mean 0.8 cos k. Not in the paper.";
constexpr char kTalkingDataText[] =
    R"(TalkingData cannot be had. This is synthetic: its number of devices and keys, and the 6.9 % of all
pairs that are held; a device's activity is gamma distributed, keys are held by k^−0.7.)";
constexpr char kJDataText[] =
    R"(JData cannot be had. This is synthetic: its number of users and keys. The paper does not say how sparse
it is, and 6.9 % is taken here too.)";
constexpr char kClothingText[] =
    R"(Ratings of clothes, scaled to [−1, 1]; of a user's two ratings of one product the first. Not in the
paper.)";
constexpr char kSparseSetText[] =
    "Synthetic: item k of 1,000 is held with probability 0.5/k, independently of the others.";
constexpr char kBmsText[] = "BMS WebView 1: the pages that sessions of a shop visited.";
constexpr char kKosarakText[] =
    "The first 100,000 users of the Kosarak click stream: the items that each clicked.";

}  // namespace

std::vector<DataSet> KeyValueDataSets(const std::string& folder, int64_t users, uint64_t seed) {
  std::vector<DataSet> sets = {
      {"gauss", "GAUSS", kGaussText, true, Drawn(Gauss, users, seed)},
      {"lnr", "LNR", kLnrText, true, Drawn(Lnr, users, seed)},
      {"sparse", "SPARSE", kSparseText, true, Drawn(Sparse, users, seed)},
      {"talkingdata", "TalkingData, stand-in", kTalkingDataText, true, StoodIn(TalkingData, seed)},
      {"jdata", "JData, stand-in", kJDataText, true, StoodIn(JData, seed)},
  };
  if (!folder.empty()) {
    sets.push_back(
        {"clothing", "Clothing", kClothingText, true, [folder] { return ReadClothing(folder); }});
  }
  return sets;
}

std::vector<DataSet> SetDataSets(const std::string& folder, int64_t users, uint64_t seed) {
  std::vector<DataSet> sets = {
      {"sparse", "SPARSE", kSparseSetText, false, Drawn(Sparse, users, seed)}};
  if (!folder.empty()) {
    sets.push_back(
        {"bms", "BMS WebView", kBmsText, false, [folder] { return ReadBmsWebView(folder); }});
    sets.push_back(
        {"kosarak", "Kosarak", kKosarakText, false, [folder] { return ReadKosarak(folder); }});
  }
  return sets;
}

}  // namespace tombola::lab
