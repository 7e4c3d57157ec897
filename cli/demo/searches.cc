#include "cli/demo/searches.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/kind/strings.h"

namespace tombola::cli {
namespace {

constexpr const char* kCommon[] = {
    "weather", "news",      "maps",     "translate", "recipes",   "football",  "flights",
    "movies",  "horoscope", "lyrics",   "traffic",   "bank",      "jobs",      "games",
    "hotels",  "radio",     "calendar", "currency",  "shoes",     "library",   "concerts",
    "trains",  "museum",    "bicycle",  "pizza",     "yoga",      "gardening", "tickets",
    "dentist", "camping",   "chess",    "painting",  "furniture", "pharmacy",  "insurance",
    "theatre", "marathon",  "violin",   "origami",   "astronomy"};
constexpr size_t kCommonCount = std::size(kCommon);
constexpr double kCommonShare = 2.0 / 3;
constexpr int kRareLetters = 8;

class Searches final : public Population {
 public:
  explicit Searches(int64_t devices) : Population(devices) {
    double sum = 0;
    for (size_t k = 0; k < kCommonCount; ++k) {
      cumulative_.push_back(sum += 1.0 / static_cast<double>(k + 1));
    }
  }

  absl::Status Describe(const std::string&, TaskRequestOptions* request) const override {
    request->kind = std::string(StringsKind::kName);
    request->name = "searches";
    request->strings = {
        .alphabet = "abcdefghijklmnopqrstuvwxyz", .length = 9, .step = 3, .fold_case = true};
    return absl::OkStatus();
  }

  Truth TruthOf(const v1::Answer& answer, const Task&) const override {
    Truth truth;
    for (const std::string& text : answer.strings().values()) {
      const auto held = holders_.find(text);
      truth.frequencies.push_back(held == holders_.end() ? 0 : held->second / devices_);
    }
    return truth;
  }

 private:
  Record NextDevice() override {
    devices_ += 1;
    std::string text;
    if (Uniform() < kCommonShare) {
      const auto above =
          std::upper_bound(cumulative_.begin(), cumulative_.end(), Uniform() * cumulative_.back());
      text = kCommon[std::min(static_cast<size_t>(above - cumulative_.begin()), kCommonCount - 1)];
    } else {
      for (int i = 0; i < kRareLetters; ++i) text += static_cast<char>('a' + 26 * Uniform());
    }
    holders_[text] += 1;
    return text;
  }

  std::vector<double> cumulative_;
  double devices_ = 0;
  absl::flat_hash_map<std::string, double> holders_;
};

}  // namespace

std::unique_ptr<Population> MakeSearches(int64_t devices) {
  return std::make_unique<Searches>(devices);
}

}  // namespace tombola::cli
