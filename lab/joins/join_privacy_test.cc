// What reports about joined tuples give away, by enumerating all records and all reports.
#include <cmath>
#include <map>

#include "gtest/gtest.h"
#include "lab/audit/lprr_device.h"
#include "lab/joins/join_registry.h"
#include "lab/joins/linked.h"
#include "lab/joins/one_tuple.h"

namespace tombola::lab {
namespace {

// A device of one attribute, and whether each of its tuples has the largest amount.
struct Record {
  int32_t profile = 0;
  std::vector<bool> high;
};

std::vector<Record> AllRecords(int32_t places, size_t most) {
  std::vector<Record> records;
  for (int32_t profile = 0; profile < places; ++profile) {
    for (size_t length = 0; length <= most; ++length) {
      for (uint32_t bits = 0; bits < (1u << length); ++bits) {
        Record& record = records.emplace_back(Record{.profile = profile});
        for (size_t i = 0; i < length; ++i) record.high.push_back((bits >> i & 1) != 0);
      }
    }
  }
  return records;
}

// By view, then by item: 2 cell + end, the empty place last.
std::vector<std::vector<double>> ItemLaw(const OneTuple& method, const Record& record) {
  std::vector<std::vector<double>> law;
  const double tau = static_cast<double>(method.setting().tau);
  const double slots = std::max(tau, static_cast<double>(record.high.size()));
  for (int64_t view = 0; view < method.views(); ++view) {
    std::vector<double>& items = law.emplace_back();
    items.resize(2 * static_cast<size_t>(method.CellsOf(view)) + 1, 0);
    const int64_t cell = method.CellIn(view, {record.profile, 0, 0});
    for (const bool high : record.high) items[2 * cell + (high ? 1 : 0)] += 1 / slots;
    items.back() += (slots - static_cast<double>(record.high.size())) / slots;
  }
  return law;
}

// The largest log ratio of two records' probabilities of a report (view, item said) by GRR, with
// the oracle's p and q.
double LargestRatio(const OneTuple& method, const std::vector<Record>& records) {
  double largest = 0;
  std::map<std::pair<int64_t, size_t>, std::pair<double, double>> bounds;
  for (const Record& record : records) {
    const auto law = ItemLaw(method, record);
    for (int64_t view = 0; view < method.views(); ++view) {
      double sum = 0;
      for (size_t said = 0; said < law[view].size(); ++said) {
        const Oracle& oracle = method.oracle(view);
        const double p = law[view][said] * oracle.holder + (1 - law[view][said]) * oracle.other;
        sum += p;
        auto [found, made] = bounds.try_emplace({view, said}, p, p);
        found->second.first = std::min(found->second.first, p);
        found->second.second = std::max(found->second.second, p);
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
  for (const auto& [report, bound] : bounds) {
    largest = std::max(largest, std::log(bound.second / bound.first));
  }
  return largest;
}

TEST(OneTuplePrivacyTest, ARecordHasTheBudgetOfOneReportForEveryTau) {
  for (const double epsilon : {0.3, 2.0}) {
    for (const int64_t tau : {1, 2, 3}) {
      for (const Views views : {Views::kHierarchy, Views::kFlat}) {
        const JoinSetting setting = {
            .places = {4, 2, 2}, .users = 10, .tau = tau, .branching = 2, .epsilon = epsilon};
        const OneTuple method(setting, views,
                              [epsilon](double items) { return Grr(items, epsilon); });
        // More tuples than places too: a device picks one of all then.
        EXPECT_NEAR(LargestRatio(method, AllRecords(4, 4)), epsilon, 1e-9);
      }
    }
  }
}

// OLH over a view's items, all functions to its buckets listed: the report is the function and a
// bucket.
TEST(OneTuplePrivacyTest, SoItDoesByHashing) {
  const double epsilon = 0.5;
  const JoinSetting setting = {
      .places = {2, 2, 2}, .users = 10, .tau = 2, .branching = 2, .epsilon = epsilon};
  const OneTuple method(setting, Views::kFlat, PublishedOracle(epsilon));
  const int64_t buckets = OlhRange(epsilon);
  const double keep = Olh(epsilon).holder, other = (1 - keep) / static_cast<double>(buckets - 1);
  const size_t items = 5;
  const auto functions = static_cast<int64_t>(std::pow(buckets, items));
  double largest = 0;
  for (int64_t function = 0; function < functions; ++function) {
    std::vector<double> low(buckets, 1), high(buckets, 0);
    for (const Record& record : AllRecords(2, 3)) {
      const std::vector<double> law = ItemLaw(method, record)[0];
      std::vector<double> into(buckets, 0);
      int64_t rest = function;
      for (size_t item = 0; item < items; ++item, rest /= buckets)
        into[rest % buckets] += law[item];
      for (int64_t bucket = 0; bucket < buckets; ++bucket) {
        const double p = into[bucket] * keep + (1 - into[bucket]) * other;
        low[bucket] = std::min(low[bucket], p);
        high[bucket] = std::max(high[bucket], p);
      }
    }
    for (int64_t bucket = 0; bucket < buckets; ++bucket) {
      largest = std::max(largest, std::log(high[bucket] / low[bucket]));
    }
  }
  EXPECT_NEAR(largest, epsilon, 1e-9);
}

TEST(LinkedPrivacyTest, RowsAddUpToTheBudget) {
  for (const int64_t tau : {1, 3}) {
    const JoinSetting setting = {
        .places = {125, 125, 125}, .asked = 2, .users = 10, .tau = tau, .epsilon = 2};
    const LinkedJoin hio(setting, Linked::kHioJoin);
    // Of each row GRR over hashes gives away exactly its part.
    const double odds = hio.oracle().holder / (1 - hio.oracle().holder) *
                        static_cast<double>(OlhRange(hio.row_epsilon()) - 1);
    EXPECT_NEAR(std::log(odds) * static_cast<double>(2 * tau + 1), 2, 1e-9);
  }
  // Six levels and the measure.
  const JoinSetting one = {.places = {125, 125, 125}, .asked = 2, .users = 10, .epsilon = 2};
  EXPECT_NEAR(LinkedJoin(one, Linked::kScJoin).row_epsilon() * 7, 2, 1e-12);
}

// Theorem 1 of the LPRR-JOIN paper: the law of a report of rows (1, 1) and (3, 3).
TEST(LprrPrivacyTest, MostReportsAreImpossibleForAnotherRow) {
  struct Row {
    PlaceTree tree;
    double impossible;
  };
  for (const Row& row : {Row{PlaceTree(4, 2), 0.75}, {PlaceTree(125, 5), 8.0 / 9}}) {
    EXPECT_NEAR(LprrTrial(row.tree, 2, 1).ImpossibleShare(), row.impossible, 1e-12);
  }
  const PlaceTree tree(4, 2);
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    // Randomised response among a row's own four combinations, of which the device picks one
    // uniformly: every one has 1/4 then, for every epsilon.
    const Oracle grr = Grr(4, epsilon);
    EXPECT_NEAR(grr.holder / 4 + 3 * grr.other / 4, 0.25, 1e-12);
    const LprrDevice device(tree, 2, epsilon);
    const std::vector<PathNode> halves = {{1, 0}, {1, 0}}, root = {{0, 0}, {0, 0}};
    EXPECT_TRUE(device.Possible({0, 0}, halves));
    EXPECT_FALSE(device.Possible({2, 2}, halves));
    EXPECT_TRUE(device.Possible({2, 2}, root));
  }
}

TEST(JoinRegistryTest, MarksWhatIsNotPrivateAndWhatCannotBeShuffled) {
  const JoinSetting setting = {.places = {8, 8, 8}, .users = 1000, .branching = 2, .epsilon = 1};
  for (const JoinEntry& entry : JoinMethods()) {
    EXPECT_EQ(entry.is_private, entry.name.substr(0, 4) != "lprr") << entry.name;
    const bool linked = entry.name.find("join") != entry.name.npos || !entry.is_private;
    EXPECT_EQ(entry.shuffled == nullptr, linked) << entry.name;
    const MadeJoin made = entry.local(setting);
    if (made.method == nullptr || entry.name == "laplace") continue;
    if (entry.is_private) {
      EXPECT_EQ(made.local_epsilon, 1) << entry.name;
    } else {
      EXPECT_TRUE(std::isinf(made.local_epsilon)) << entry.name;
    }
  }
}

}  // namespace
}  // namespace tombola::lab
