// What a report gives away, by enumerating all records and all reports.
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lab/key_value/collision.h"
#include "lab/key_value/lrr_kv.h"
#include "lab/key_value/registry.h"

namespace tombola::lab {
namespace {

// All sets of keys with all signs; other values mix these.
std::vector<std::vector<Pair>> AllRecords(int64_t keys) {
  std::vector<std::vector<Pair>> records = {{}};
  for (int32_t key = 0; key < keys; ++key) {
    const size_t before = records.size();
    for (const float sign : {-1.0f, 1.0f}) {
      for (size_t i = 0; i < before; ++i) {
        records.push_back(records[i]);
        records.back().push_back({key, sign});
      }
    }
  }
  return records;
}

struct Enumerated {
  double epsilon = 0;          // the largest log ratio of two records' probabilities
  double least = 1, most = 0;  // of a density against uniform reports
};

Enumerated Enumerate(const LocalMethod& method) {
  std::vector<double> low, high;
  for (const std::vector<Pair>& record : AllRecords(method.setting().keys)) {
    const std::vector<double> law = method.ReportLaw(record);
    if (low.empty()) low = high = law;
    double sum = 0;
    for (size_t report = 0; report < law.size(); ++report) {
      sum += law[report];
      low[report] = std::min(low[report], law[report]);
      high[report] = std::max(high[report], law[report]);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  Enumerated found;
  const double reports = static_cast<double>(low.size());
  for (size_t report = 0; report < low.size(); ++report) {
    found.epsilon = std::max(found.epsilon, std::log(high[report] / low[report]));
    found.least = std::min(found.least, low[report] * reports);
    found.most = std::max(found.most, high[report] * reports);
  }
  return found;
}

class EveryMethodTest : public testing::TestWithParam<LocalEntry> {};

TEST_P(EveryMethodTest, HasTheBudgetThatItsLawStates) {
  for (const Setting& setting : {Setting{.keys = 2, .items = 1, .epsilon = 1.0},
                                 {.keys = 2, .items = 2, .epsilon = 0.5},
                                 {.keys = 2, .items = 1, .epsilon = 0.2},
                                 {.keys = 3, .items = 2, .epsilon = 1.0}}) {
    // Its reports are functions of 2 keys things: a thousand million for three keys.
    if (GetParam().name == "collision" && setting.keys > 2) continue;
    SCOPED_TRACE(
        absl::StrCat(setting.keys, " keys, ", setting.items, " items, epsilon ", setting.epsilon));
    const auto method = GetParam().make(setting);
    const Enumerated found = Enumerate(*method);
    EXPECT_NEAR(found.epsilon, method->law().epsilon, 1e-9);
    EXPECT_EQ(method->printed_epsilon(), setting.epsilon);
    if (method->law().range == 0) continue;
    const LocalLaw law = method->law();
    EXPECT_NEAR(found.least, law.gamma, 1e-9);
    EXPECT_NEAR(found.most, law.gamma + (1 - law.gamma) * law.range, 1e-9);
  }
}

// The published ones keep what they promise, but for LRR_KV with one item.
TEST_P(EveryMethodTest, KeepsWhatItPromisesUnlessItIsLrrKv) {
  for (const int64_t items : {1, 2, 6}) {
    for (const double epsilon : {0.1, 0.8, 3.2}) {
      const auto method = GetParam().make({.keys = 100, .items = items, .epsilon = epsilon});
      if (GetParam().name == "lrr_kv" && items == 1) {
        EXPECT_GT(method->law().epsilon, epsilon);
      } else {
        EXPECT_LE(method->law().epsilon, epsilon * (1 + 1e-12));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryMethodTest,
                         testing::ValuesIn(LocalMethods().begin(), LocalMethods().end()),
                         [](const auto& row) { return std::string(row.param.name); });

// Of the response after padding and sampling, from an independent enumeration of all sets.
TEST(LrrKvPrivacyTest, ExceedsItsBudgetWithOneItemAndWastesItWithSeveral) {
  struct Row {
    int64_t keys, items;
    double epsilon, truth;
  };
  for (const Row& row : {Row{3, 1, 1.0, 1.2195120314302819},
                         {3, 1, 3.2, 4.672882530022594},
                         {4, 3, 2.0, 1.4679146593659276}}) {
    const LrrKv method({.keys = row.keys, .items = row.items, .epsilon = row.epsilon});
    EXPECT_NEAR(method.law().epsilon, row.truth, 1e-9);
    EXPECT_NEAR(Enumerate(method).epsilon, row.truth, 1e-9);
    // e^eps > (items - 1)(cells - 1) is when it exceeds.
    const double cells = 2.0 * static_cast<double>(row.keys + row.items);
    EXPECT_EQ(row.truth > row.epsilon,
              std::exp(row.epsilon) > static_cast<double>(row.items - 1) * (cells - 1));
  }
}

TEST(RegistryTest, RefusesWhatIsOutOfRange) {
  const auto why = [](absl::string_view name, const Setting& setting) {
    return std::string(MakeLocal(name, setting).status().message());
  };
  EXPECT_EQ(why("nothing", {.keys = 1, .items = 1, .epsilon = 1}),
            "nothing is no method of the lab");
  EXPECT_EQ(why("kvoh", {.keys = 0, .items = 1, .epsilon = 1}), "keys must be at least 1");
  EXPECT_EQ(why("kvoh", {.keys = 3, .items = 0, .epsilon = 1}),
            "items must be from 1 to the number of keys");
  EXPECT_EQ(why("kvoh", {.keys = 3, .items = 4, .epsilon = 1}),
            "items must be from 1 to the number of keys");
  EXPECT_EQ(why("kvoh", {.keys = 3, .items = 1, .epsilon = 0}),
            "epsilon must be finite and above 0");
  EXPECT_EQ(why("kvoh", {.keys = 3, .items = 1, .epsilon = NAN}),
            "epsilon must be finite and above 0");
  EXPECT_TRUE(MakeLocal("kvoh", {.keys = 3, .items = 1, .epsilon = 1}).ok());
}

}  // namespace
}  // namespace tombola::lab
