#include "common/plan/records_limit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "common/plan/plan.h"
#include "common/plan/records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::mechanism {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 1 to `most`, each as often.
RecordSizes Uniform(int64_t most) {
  std::vector<RecordSizes::Share> shares;
  for (int64_t records = 1; records <= most; ++records) shares.push_back({records, 1});
  return *RecordSizes::Create(shares);
}

absl::StatusOr<LimitNoise> Proportional(int64_t max_records, double scale) {
  return LimitNoise{.noise = scale * static_cast<double>(max_records)};
}

// Sampled records by randomised response on the levels of trees, or grids, as computed with another
// program: the share phi that a count concerns, its nodes and views, and the error squared of the
// best limit as a share of all records.
TEST(ChooseLimitTest, FindsTheLeastErrorOfAnotherProgram) {
  struct Case {
    double devices, epsilon;
    bool grid;
    int64_t best;
    double square;
  };
  const RecordSizes sizes = Uniform(10);
  for (const Case& of : {Case{1e4, 1, false, 5, 8.811557513508641e-3},
                         {1e4, 2, false, 7, 2.866431488047383e-3},
                         {1e4, 5, false, 9, 1.9012333975810484e-4},
                         {1e5, 1, false, 7, 1.6400954015733137e-3},
                         {1e5, 2, false, 8, 4.2028124837643714e-4},
                         {1e5, 5, false, 10, 2.191376932020273e-5},
                         {1e6, 1, false, 9, 2.180517801980104e-4},
                         {3e6, 1, false, 9, 7.982442260043868e-5},
                         {3e6, 5, false, 10, 7.304589773400909e-7},
                         {1e5, 1, true, 1, 1.624e-3},
                         {1e5, 2, true, 1, 9.049e-4},
                         {1e5, 5, true, 5, 2.472e-4},
                         {1e6, 1, true, 1, 8.185e-4},
                         {1e6, 2, true, 4, 4.403e-4},
                         {1e6, 5, true, 7, 4.552e-5}}) {
    const double phi = of.grid ? 0.033 : 0.18;
    const double nodes = of.grid ? 49 * 15 : 7 * 3;
    const double odds = std::exp(of.epsilon) - 1;
    const double response = 4 * std::exp(of.epsilon) / (odds * odds);
    const double records = of.devices * sizes.mean();
    const auto choice = ChooseLimit(sizes, 1, [&](int64_t max_records) {
      const auto tau = static_cast<double>(max_records);
      const double counted = phi * sizes.mean() * (1 - sizes.Cut(max_records));
      const double variance =
          of.devices * (tau * tau * nodes * response + tau * counted - counted * counted);
      return absl::StatusOr<LimitNoise>(LimitNoise{.noise = std::sqrt(variance) / (phi * records)});
    });
    ASSERT_TRUE(choice.ok()) << choice.status();
    EXPECT_EQ(choice->chosen().max_records, of.best) << of.devices << " " << of.epsilon;
    EXPECT_EQ(choice->tried.size(), 10u);
    const double square = std::pow(phi * choice->chosen().error, 2);
    EXPECT_NEAR(square / of.square, 1, of.grid ? 5e-4 : 1e-12) << of.devices << " " << of.epsilon;
  }
}

TEST(ChooseLimitTest, TriesNoMoreThanDevicesHaveAndMultiplesOfTheStep) {
  const auto choice =
      ChooseLimit(Uniform(10), 4, [](int64_t limit) { return Proportional(limit, 0.001); });
  ASSERT_TRUE(choice.ok());
  std::vector<int64_t> tried;
  for (const RecordLimit& limit : choice->tried) tried.push_back(limit.max_records);
  EXPECT_THAT(tried, ElementsAre(4, 8, 12));
  EXPECT_EQ(choice->chosen().max_records, 12);
  EXPECT_EQ(choice->chosen().cut, 0);
  EXPECT_DOUBLE_EQ(choice->chosen().error, 0.012);
}

// Where not all are tried, the best is still better than both its neighbours, and what all of them
// would show.
TEST(ChooseLimitTest, FindsTheBestOfManyByFewLooks) {
  const RecordSizes sizes = Uniform(2000);
  for (const double scale : {1e-5, 1e-4, 3e-4, 1e-3, 1e-2, 1.0}) {
    std::set<int64_t> looked;
    const auto choice = ChooseLimit(sizes, 1, [&](int64_t limit) {
      EXPECT_TRUE(looked.insert(limit).second) << limit;
      return Proportional(limit, scale);
    });
    ASSERT_TRUE(choice.ok());
    EXPECT_LT(looked.size(), 110u);
    int64_t best = 1;
    const auto error = [&](int64_t limit) {
      return std::hypot(sizes.Cut(limit), scale * static_cast<double>(limit));
    };
    for (int64_t limit = 2; limit <= 2000; ++limit) {
      if (error(limit) < error(best)) best = limit;
    }
    EXPECT_EQ(choice->chosen().max_records, best) << scale;
    EXPECT_TRUE(best == 1 || looked.contains(best - 1)) << scale;
    EXPECT_TRUE(best == 2000 || looked.contains(best + 1)) << scale;
  }
}

TEST(ChooseLimitTest, LeavesOutWhatCannotBeAndSaysWhyWhereNothingCan) {
  const auto some = ChooseLimit(Uniform(10), 1, [](int64_t limit) {
    if (limit > 3) return absl::StatusOr<LimitNoise>(absl::FailedPreconditionError("too many"));
    return Proportional(limit, 0.001);
  });
  ASSERT_TRUE(some.ok());
  EXPECT_EQ(some->tried.size(), 3u);
  EXPECT_EQ(some->chosen().max_records, 3);
  // Of many: the largest that can be, between what was tried first.
  for (const int64_t most : {70, 333, 1999}) {
    const auto largest = ChooseLimit(Uniform(2000), 1, [most](int64_t limit) {
      if (limit > most) return absl::StatusOr<LimitNoise>(absl::FailedPreconditionError("more"));
      return Proportional(limit, 1e-12);
    });
    ASSERT_TRUE(largest.ok());
    EXPECT_EQ(largest->chosen().max_records, most);
  }
  const auto none = ChooseLimit(Uniform(10), 1, [](int64_t limit) {
    return absl::StatusOr<LimitNoise>(absl::FailedPreconditionError(limit == 1 ? "one" : "more"));
  });
  EXPECT_TRUE(absl::IsFailedPrecondition(none.status()));
  EXPECT_EQ(none.status().message(), "one");
  const auto wrong = ChooseLimit(Uniform(10), 1, [](int64_t) {
    return absl::StatusOr<LimitNoise>(absl::InvalidArgumentError("epsilon"));
  });
  EXPECT_TRUE(absl::IsInvalidArgument(wrong.status()));
}

v1::Records Schema() {
  v1::Records records;
  v1::Attribute* const age = records.add_attributes();
  age->set_name("age");
  age->add_edges(0);
  age->add_edges(100);
  age->set_bins(100);
  v1::Attribute* const city = records.add_attributes();
  city->set_name("city");
  for (const char* label : {"Oslo", "Bergen", "Bodo"}) city->add_labels(label);
  records.add_views()->add_attributes(0);
  v1::View* const both = records.add_views();
  both->add_attributes(0);
  both->add_attributes(1);
  return records;
}

// A limit's error from what the planner says of a schema that states it.
double ErrorOf(v1::Records records, int64_t limit, const RecordSizes& sizes,
               const PlanRequest& request) {
  records.set_max_records(static_cast<uint32_t>(limit));
  const auto cells = RecordCells::Read(*PlanViews(records, request));
  const auto candidates = PlanRecords(*cells, request);
  const Candidate* const best = Recommended(*candidates, Left::kAnything);
  if (best == nullptr) return std::numeric_limits<double>::infinity();
  double squares = 0;
  const std::vector<ViewCost> costs = CostsOf(*cells, *best->mechanism, request.submissions);
  for (const ViewCost& cost : costs) {
    const double counted =
        cost.range_share * static_cast<double>(request.submissions) * sizes.mean();
    squares += std::pow(cost.range_deviation / counted, 2);
  }
  double counted = 0;
  for (const RecordSizes::Share& of : sizes.shares()) {
    counted += of.share * static_cast<double>(std::min(of.records, limit));
  }
  return std::sqrt(std::pow(1 - counted / sizes.mean(), 2) +
                   squares / static_cast<double>(costs.size()));
}

TEST(PlanLimitTest, IsTheBestOfAllThatThePlannerCanPlan) {
  const RecordSizes sizes = Uniform(10);
  std::set<int64_t> chosen;
  for (const int64_t users : {300, 1000, 2000, 5000, 1000000}) {
    const PlanRequest request{.honest = users, .submissions = users, .epsilon = 1, .delta = 1e-6};
    const auto choice = PlanLimit(Schema(), sizes, request);
    ASSERT_TRUE(choice.ok()) << choice.status();
    int64_t best = 1;
    for (int64_t limit = 2; limit <= 10; ++limit) {
      if (ErrorOf(Schema(), limit, sizes, request) < ErrorOf(Schema(), best, sizes, request)) {
        best = limit;
      }
    }
    EXPECT_EQ(choice->chosen().max_records, best) << users;
    for (const RecordLimit& limit : choice->tried) {
      EXPECT_NEAR(limit.error, ErrorOf(Schema(), limit.max_records, sizes, request), 1e-12);
    }
    chosen.insert(best);
  }
  EXPECT_GE(chosen.size(), 3u);
}

TEST(PlanLimitTest, KeepsMaxAlikeAndTriesItsMultiples) {
  v1::Records records = Schema();
  records.set_max_alike(2);
  const auto choice = PlanLimit(
      records, Uniform(5), {.honest = 20000, .submissions = 20000, .epsilon = 1, .delta = 1e-6});
  ASSERT_TRUE(choice.ok()) << choice.status();
  ASSERT_EQ(choice->tried.size(), 3u);
  EXPECT_EQ(choice->tried[2].max_records, 6);
}

TEST(PlanLimitTest, PassesOverWhatNoTaskCanHaveAndUsualDevicesRefuse) {
  const PlanRequest request{.honest = 200000, .submissions = 200000, .epsilon = 1, .delta = 1e-6};
  const auto choice = PlanLimit(Schema(), *RecordSizes::Create({{1, 1}, {100000, 1}}), request);
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_LE(choice->tried.back().max_records, 1000);
  EXPECT_GT(choice->tried.back().max_records, 100);
}

// Few devices, of which each would send thousands of messages of correlated noise for one record.
TEST(PlanLimitTest, TakesAnotherMechanismThanUsualDevicesRefuse) {
  const PlanRequest request{.honest = 200, .submissions = 200, .epsilon = 0.5, .delta = 1e-6};
  v1::Records one = Schema();
  one.set_max_records(1);
  const auto cells = RecordCells::Read(*PlanViews(one, request));
  ASSERT_TRUE(cells.ok()) << cells.status();
  const auto named = PlanRecords(*cells, request, "correlated");
  const Candidate* const unusual = Recommended(*named, Left::kAnything);
  ASSERT_NE(unusual, nullptr);
  EXPECT_GT(unusual->mechanism->max_reports_per_submission(), kUsualMostReports);
  const auto candidates = PlanRecords(*cells, request);
  const Candidate* const best = Recommended(*candidates, Left::kAnything);
  ASSERT_NE(best, nullptr);
  EXPECT_LE(best->mechanism->max_reports_per_submission(), kUsualMostReports);
  const auto choice = PlanLimit(Schema(), Uniform(3), request);
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->tried.front().max_records, 1);
}

TEST(PlanLimitTest, SaysWhatIsWrongWithTheSchemaOrThatNothingMeetsTheTarget) {
  PlanRequest request{.honest = 1000, .submissions = 1000, .epsilon = 1, .delta = 1e-6};
  v1::Records wrong = Schema();
  wrong.mutable_attributes(0)->set_bins(1);
  const auto refused = PlanLimit(wrong, Uniform(10), request);
  EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << refused.status();
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("age.bins"));
  request.honest = request.submissions = 3;
  request.epsilon = 0.001;
  const auto none = PlanLimit(Schema(), Uniform(10), request);
  EXPECT_TRUE(absl::IsFailedPrecondition(none.status())) << none.status();
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("no mechanism meets the target"));
}

}  // namespace
}  // namespace tombola::mechanism
