#include "collector/catalog/task_maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "common/kind/kind.h"
#include "common/mechanism/every.h"
#include "common/plan/plan.h"
#include "common/task/task.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;
using Change = std::function<void(v1::CreateTaskRequest*)>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

v1::CreateTaskRequest GoodRequest() {
  v1::CreateTaskRequest request;
  request.set_name("colours");
  request.set_domain_size(20);
  request.set_epsilon(1);
  request.set_delta(1e-6);
  request.set_users(1000);
  request.set_shuffler_key(std::string(AsView(TestShufflerKey().public_key())));
  return request;
}

void SetLabels(v1::CreateTaskRequest* request, const std::vector<std::string>& labels) {
  request->clear_domain_size();
  request->mutable_labels()->Add(labels.begin(), labels.end());
}

absl::StatusOr<std::shared_ptr<const Task>> Make(const Change& change = nullptr,
                                                 uint64_t seed = 1) {
  v1::CreateTaskRequest request = GoodRequest();
  if (change) change(&request);
  SeededRandom random(seed);
  return MakeTask(request, TestCollectorKey().public_key(), TestTaskStart(), random);
}

// The target holds for the smallest batch that the task lets go, less its dishonest share, and the
// reports tell something.
void ExpectHonest(const Task& task) {
  const int64_t honest = task.Honest(task.batch_policy().smallest_batch);
  const auto delta = task.scheme()->Delta(honest, task.target().epsilon);
  ASSERT_TRUE(delta.ok()) << delta.status();
  EXPECT_LE(*delta, task.target().delta);
  const auto needed = NeededSubmissions(task);
  ASSERT_TRUE(needed.ok()) << needed.status();
  EXPECT_EQ(*needed, task.batch_policy().smallest_batch);
  EXPECT_GT(task.kind().tables()[0]->count_model().support.separation, 0);
}

void ExpectHonestOrRefused(const absl::StatusOr<std::shared_ptr<const Task>>& made) {
  if (made.ok()) {
    ExpectHonest(**made);
  } else {
    EXPECT_TRUE(absl::IsFailedPrecondition(made.status())) << made.status();
  }
}

TEST(TaskMakerTest, TakesWhatWasAskedForAndTheDefaults) {
  const auto made = Make();
  ASSERT_TRUE(made.ok()) << made.status();
  const Task& task = **made;
  EXPECT_EQ(task.name(), "colours");
  EXPECT_EQ(task.domain().size(), 20);
  EXPECT_TRUE(task.domain().labels().empty());
  EXPECT_FALSE(task.domain().other().has_value());
  EXPECT_EQ(task.target().epsilon, 1);
  EXPECT_EQ(task.target().delta, 1e-6);
  EXPECT_EQ(task.batch_policy().planned_submissions, 1000);
  EXPECT_EQ(task.batch_policy().smallest_batch, 900);
  EXPECT_EQ(task.batch_policy().dishonest_share, 0);
  EXPECT_EQ(task.batch_policy().interval, absl::ZeroDuration());
  EXPECT_EQ(task.batch_policy().retry_window, absl::Hours(24));
  EXPECT_EQ(task.submissions_per_device(), 1);
  EXPECT_EQ(task.collector_key(), TestCollectorKey().public_key());
  EXPECT_EQ(task.shuffler_key(), TestShufflerKey().public_key());
  EXPECT_EQ(task.not_before(), TestTaskStart());
  EXPECT_EQ(task.not_after(), TestTaskStart() + absl::Hours(24 * 90));
  EXPECT_TRUE(std::isfinite(task.scheme()->local_epsilon()));
  ExpectHonest(task);
}

TEST(TaskMakerTest, WithoutAMechanismTakesTheBestThatHasALocalEpsilon) {
  const auto chosen = Make();
  ASSERT_TRUE(chosen.ok()) << chosen.status();
  const double mse = (*chosen)->kind().PredictedMse(1000);
  int better = 0;
  for (const std::string& name : mechanism::MechanismNames()) {
    const auto other = Make([&](v1::CreateTaskRequest* r) { r->set_mechanism(name); });
    ASSERT_TRUE(other.ok()) << name << ": " << other.status();
    EXPECT_EQ((*other)->scheme()->name(), name);
    ExpectHonest(**other);
    if (std::isfinite((*other)->scheme()->local_epsilon())) {
      EXPECT_LE(mse, (*other)->kind().PredictedMse(1000) * 1.006) << name;
    } else if ((*other)->kind().PredictedMse(1000) < mse) {
      ++better;
    }
  }
  EXPECT_GT(better, 0) << "else the local epsilon decided nothing";
}

TEST(TaskMakerTest, RapporIsForOneSubmissionOfOneCohortToAHistogram) {
  using Request = v1::CreateTaskRequest;
  const auto refused = [](const Change& change, const std::string& message) {
    const absl::Status status = Make([&](Request* r) {
                                  r->set_mechanism("rappor");
                                  change(r);
                                }).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  };
  refused([](Request* r) { r->set_submissions_per_device(2); },
          "submissions_per_device must be 1 for rappor without longitudinal memo");
  refused([](Request* r) { r->mutable_rappor()->set_cohorts(2); }, "cohorts must be 1");
  refused([](Request* r) { r->mutable_rappor()->set_prr(0.5); },
          "prr, irr_p and irr_q must be given together");
  refused(
      [](Request* r) {
        r->set_kind(v1::KIND_NUMBER);
        r->clear_labels();
        r->set_domain_size(10);
        r->mutable_numbers()->add_edges(0);
        r->mutable_numbers()->add_edges(1);
      },
      "mechanism must be another than rappor");
  refused(
      [](Request* r) {
        r->set_mechanism("grr");
        r->mutable_rappor()->set_bits(16);
      },
      "rappor must be absent for grr; it is for rappor only");
}

TEST(TaskMakerTest, AParameterChoosesItsMechanism) {
  using Request = v1::CreateTaskRequest;
  const std::vector<std::pair<Change, std::string>> cases = {
      {[](Request* r) { r->set_range(29); }, "local_hash"},
      {[](Request* r) { r->set_fakes(77); }, "murs"},
      {[](Request* r) { r->set_dummies(20); }, "mix_dump"},
      {[](Request* r) { r->mutable_rappor()->set_hashes(2); }, "rappor"},
      {[](Request* r) { r->set_max_messages(1); }, "grr"}};
  for (const auto& [change, name] : cases) {
    const auto made = Make(change);
    ASSERT_TRUE(made.ok()) << name << ": " << made.status();
    EXPECT_EQ((*made)->scheme()->name(), name);
  }
  EXPECT_EQ((*Make([](Request* r) { r->set_fakes(77); }))->scheme()->fakes(), 77);
}

TEST(TaskMakerTest, TakesEveryOptionalField) {
  const auto made = Make([](v1::CreateTaskRequest* request) {
    SetLabels(request, {"red", "green", "blue", "other"});
    request->set_other(3);
    request->set_smallest_batch(500);
    request->set_dishonest_share(0.2);
    request->set_interval(3600);
    request->set_retry_window(7200);
    request->set_submissions_per_device(4);
    request->set_lifetime(86400);
    request->set_mechanism("local_hash");
  });
  ASSERT_TRUE(made.ok()) << made.status();
  const Task& task = **made;
  EXPECT_EQ(task.domain().labels(), (std::vector<std::string>{"red", "green", "blue", "other"}));
  EXPECT_EQ(task.domain().other(), 3u);
  EXPECT_EQ(task.batch_policy().smallest_batch, 500);
  EXPECT_EQ(task.batch_policy().dishonest_share, 0.2);
  EXPECT_EQ(task.batch_policy().interval, absl::Hours(1));
  EXPECT_EQ(task.batch_policy().retry_window, absl::Hours(2));
  EXPECT_EQ(task.submissions_per_device(), 4);
  EXPECT_EQ(task.not_after(), TestTaskStart() + absl::Hours(24));
  ExpectHonest(task);
}

TEST(TaskMakerTest, TheSmallestBatchIsNineTenthsOfTheUsersRoundedUp) {
  const std::vector<std::pair<uint64_t, int64_t>> cases = {
      {2, 2},   {9, 9},      {10, 9},     {11, 10},         {19, 18},          {20, 18},
      {21, 19}, {1000, 900}, {1001, 901}, {99'999, 90'000}, {100'000, 90'000}, {100'001, 90'001}};
  for (const auto& [users, smallest] : cases) {
    // A large epsilon keeps the planner out of the way.
    const auto made = Make([users = users](v1::CreateTaskRequest* request) {
      request->set_users(users);
      request->set_epsilon(4);
    });
    ASSERT_TRUE(made.ok()) << users << ": " << made.status();
    EXPECT_EQ((*made)->batch_policy().smallest_batch, smallest) << users;
  }
}

TEST(TaskMakerTest, WhatPeriodsKeepIsBounded) {
  // A day of 2^24 values for 510 days keeps 2^33 counts, less what rows take besides.
  const auto make = [](uint64_t domain, uint64_t interval, uint64_t days) {
    return Make([=](v1::CreateTaskRequest* request) {
             request->set_domain_size(domain);
             request->set_interval(interval);
             request->set_lifetime(days * 24 * 3600);
             request->set_mechanism("grr");
             request->set_epsilon(4);
           })
        .status();
  };
  EXPECT_TRUE(make(1 << 24, 24 * 3600, 511).ok()) << make(1 << 24, 24 * 3600, 511);
  const absl::Status refused = make(1 << 24, 3600, 90);
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(refused.message(),
              HasSubstr("interval must be at least 15218 seconds with this lifetime and domain"));
  EXPECT_TRUE(make(1 << 24, 15218, 90).ok());
  EXPECT_FALSE(make(1 << 24, 15217, 90).ok());
  EXPECT_TRUE(make(1 << 24, 0, 90).ok()) << "without an interval";
  EXPECT_TRUE(make(2, 1, 30).ok());
  EXPECT_FALSE(make(2, 1, 3660).ok()) << "rows are not free either";
}

TEST(TaskMakerTest, TwoTasksOfTheSameWordsHaveDifferentIds) {
  EXPECT_NE((*Make(nullptr, 1))->id(), (*Make(nullptr, 2))->id());
}

struct BadField {
  const char* what;
  const char* named;
  Change change;
};

class RefusedFieldTest : public ::testing::TestWithParam<BadField> {};

TEST_P(RefusedFieldTest, IsInvalidAndNamed) {
  const absl::Status status = Make(GetParam().change).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr(GetParam().named));
}

using R = v1::CreateTaskRequest;

INSTANTIATE_TEST_SUITE_P(
    TaskMakerTest, RefusedFieldTest,
    ::testing::Values(
        BadField{"EpsilonZero", "epsilon", [](R* r) { r->set_epsilon(0); }},
        BadField{"EpsilonNegative", "epsilon", [](R* r) { r->set_epsilon(-1); }},
        BadField{"EpsilonNan", "epsilon", [](R* r) { r->set_epsilon(kNan); }},
        BadField{"EpsilonInfinite", "epsilon", [](R* r) { r->set_epsilon(kInfinity); }},
        BadField{"EpsilonTooLarge", "between 1e-6 and 100", [](R* r) { r->set_epsilon(100.5); }},
        BadField{"DeltaZero", "delta must be between 1e-30 and 0.5", [](R* r) { r->set_delta(0); }},
        BadField{"DeltaOne", "delta must be between 1e-30 and 0.5", [](R* r) { r->set_delta(1); }},
        BadField{"DeltaNan", "delta must be between 1e-30 and 0.5", [](R* r) { r->set_delta(kNan); }},
        BadField{"EpsilonTiny", "epsilon must be between 1e-6 and 100", [](R* r) { r->set_epsilon(1e-300); }},
        BadField{"DeltaTiny", "delta must be between 1e-30 and 0.5", [](R* r) { r->set_delta(1e-300); }},
        BadField{"DeltaNearOne", "delta must be between 1e-30 and 0.5", [](R* r) { r->set_delta(0.999); }},
        BadField{"DomainZero", "domain_size", [](R* r) { r->set_domain_size(0); }},
        BadField{"DomainOne", "domain_size", [](R* r) { r->set_domain_size(1); }},
        BadField{"DomainTooLarge", "16777216", [](R* r) { r->set_domain_size(16777217); }},
        BadField{"OneLabel", "labels", [](R* r) { SetLabels(r, {"alone"}); }},
        BadField{"LabelsAndDomain", "domain_size",
                 [](R* r) {
                   SetLabels(r, {"a", "b"});
                   r->set_domain_size(2);
                 }},
        BadField{"DuplicateLabels", "labels must be distinct",
                 [](R* r) {
                   SetLabels(r, {"a", "b", "a"});
                 }},
        BadField{"EmptyLabel", "labels",
                 [](R* r) {
                   SetLabels(r, {"a", ""});
                 }},
        BadField{"OtherOutsideTheDomain", "other", [](R* r) { r->set_other(20); }},
        BadField{"NoUsers", "users", [](R* r) { r->set_users(0); }},
        BadField{"OneUser", "users", [](R* r) { r->set_users(1); }},
        BadField{"TooManyUsers", "2^40", [](R* r) { r->set_users((uint64_t{1} << 40) + 1); }},
        BadField{"DishonestOne", "dishonest_share", [](R* r) { r->set_dishonest_share(1); }},
        BadField{"DishonestNegative", "dishonest_share",
                 [](R* r) { r->set_dishonest_share(-0.1); }},
        BadField{"DishonestNan", "dishonest_share", [](R* r) { r->set_dishonest_share(kNan); }},
        BadField{"NobodyHonest", "dishonest_share", [](R* r) { r->set_dishonest_share(0.9999); }},
        BadField{"SmallestAboveUsers", "smallest_batch must be between 2 and users",
                 [](R* r) { r->set_smallest_batch(1001); }},
        BadField{"SmallestZero", "smallest_batch", [](R* r) { r->set_smallest_batch(0); }},
        BadField{"SmallestOne", "smallest_batch", [](R* r) { r->set_smallest_batch(1); }},
        BadField{"UnknownMechanism", "mechanism", [](R* r) { r->set_mechanism("laplace"); }},
        BadField{"RangeWithoutHashing", "range",
                 [](R* r) {
                   r->set_mechanism("grr");
                   r->set_range(29);
                 }},
        BadField{"FakesWithoutMurs", "fakes",
                 [](R* r) {
                   r->set_mechanism("local_hash");
                   r->set_fakes(29);
                 }},
        BadField{"DummiesWithoutMixDump", "dummies",
                 [](R* r) {
                   r->set_mechanism("pure_dump");
                   r->set_dummies(29);
                 }},
        BadField{"NoFakes", "fakes",
                 [](R* r) {
                   r->set_mechanism("murs");
                   r->set_fakes(0);
                 }},
        BadField{"DummiesNan", "dummies", [](R* r) { r->set_dummies(kNan); }},
        BadField{"MessagesBelowOne", "max_messages", [](R* r) { r->set_max_messages(0.5); }},
        BadField{"LocalEpsilonZero", "max_local_epsilon",
                 [](R* r) { r->set_max_local_epsilon(0); }},
        BadField{"LocalEpsilonNan", "max_local_epsilon",
                 [](R* r) { r->set_max_local_epsilon(kNan); }},
        BadField{"RangeZero", "range", [](R* r) { r->set_range(0); }},
        BadField{"RangeComposite", "range is 15", [](R* r) { r->set_range(15); }},
        BadField{"IntervalTooLong", "interval", [](R* r) { r->set_interval(uint64_t{1} << 40); }},
        BadField{"WindowTooShort", "retry_window", [](R* r) { r->set_retry_window(3599); }},
        BadField{"WindowTooLong", "retry_window", [](R* r) { r->set_retry_window(31622401); }},
        BadField{"TooManySubmissions", "submissions_per_device",
                 [](R* r) { r->set_submissions_per_device(1001); }},
        BadField{"LifetimeTooLong", "lifetime",
                 [](R* r) { r->set_lifetime(uint64_t{3660} * 86400 + 1); }},
        BadField{"LifetimeOfAllBits", "lifetime", [](R* r) { r->set_lifetime(~uint64_t{0}); }},
        BadField{"NoName", "name", [](R* r) { r->clear_name(); }},
        BadField{"NoShufflerKey", "shuffler_key", [](R* r) { r->clear_shuffler_key(); }},
        BadField{"ShortShufflerKey", "shuffler_key", [](R* r) { r->set_shuffler_key("short"); }}),
    [](const auto& info) { return std::string(info.param.what); });

TEST(TaskMakerTest, PlansForTheSmallestBatchLessTheDishonestShare) {
  const auto honest = Make();
  const auto suspicious = Make([](R* r) { r->set_dishonest_share(0.5); });
  ASSERT_TRUE(suspicious.ok()) << suspicious.status();
  ExpectHonest(**suspicious);
  EXPECT_LT((*suspicious)->scheme()->local_epsilon(), (*honest)->scheme()->local_epsilon());
}

TEST(TaskMakerTest, ShufflingBuysALargerLocalEpsilonThanTheTarget) {
  const auto made = Make([](R* r) { r->set_users(100'000); });
  EXPECT_GT((*made)->scheme()->local_epsilon(), 2 * (*made)->target().epsilon);
  ExpectHonest(**made);
}

TEST(TaskMakerTest, KeepsTheCapOnTheLocalEpsilon) {
  const auto made = Make([](R* r) {
    r->set_users(100'000);
    r->set_max_local_epsilon(1.5);
  });
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_LE((*made)->scheme()->local_epsilon(), 1.5);
  EXPECT_GT((*made)->scheme()->local_epsilon(), 1.49);
}

TEST(TaskMakerTest, UsesTheRangeThatWasAskedFor) {
  for (const uint64_t range : {uint64_t{29}, uint64_t{8}}) {
    const auto made = Make([range](R* r) { r->set_range(range); });
    ASSERT_TRUE(made.ok()) << made.status();
    const mechanism::Hashing& local_hash = *(*made)->kind().tables()[0]->hashing();
    EXPECT_EQ(local_hash.options().range, range);
    ExpectHonest(**made);
  }
}

// Where shuffling cannot help, the task is a local mechanism, or there is none.
TEST(TaskMakerTest, ATargetThatTwoUsersHardlyMeetIsHonestOrRefused) {
  for (const double delta : {1e-6, 1e-30}) {
    for (const double epsilon : {1.0, 0.1, 1e-3, 1e-6}) {
      SCOPED_TRACE(testing::Message() << epsilon << ", " << delta);
      const auto made = Make([=](R* r) {
        r->set_users(2);
        r->set_epsilon(epsilon);
        r->set_delta(delta);
      });
      ExpectHonestOrRefused(made);
      EXPECT_TRUE(made.ok()) << made.status();
    }
  }
}

TEST(TaskMakerTest, ExtremeTargetsAreHonestOrRefused) {
  for (const uint64_t users : {uint64_t{2}, uint64_t{1} << 40}) {
    for (const double delta : {1e-30, 0.5}) {
      for (const double epsilon : {1e-6, 1.0, 100.0}) {
        SCOPED_TRACE(testing::Message() << users << " users, " << epsilon << ", " << delta);
        ExpectHonestOrRefused(Make([=](R* r) {
          r->set_users(users);
          r->set_epsilon(epsilon);
          r->set_delta(delta);
        }));
      }
    }
  }
}

// Planning asks before every look whether somebody still waits; so it ends soon, and makes nothing.
TEST(TaskMakerTest, NothingIsMadeForSomebodyWhoHasGone) {
  v1::CreateTaskRequest request = GoodRequest();
  request.set_kind(v1::KIND_SET);
  request.mutable_items()->set_max_items(8);
  request.set_max_messages(20);
  SeededRandom random(1);
  int asked = 0, asked_after = 0;
  const auto make = [&](int stays) {
    asked = 0;
    asked_after = 0;
    return MakeTask(request, TestCollectorKey().public_key(), TestTaskStart(), random, [&, stays] {
      const bool left = ++asked > stays;
      asked_after += left ? 1 : 0;
      return left;
    });
  };
  const auto made = make(std::numeric_limits<int>::max());
  ASSERT_TRUE(made.ok()) << made.status();
  const int looks = asked;
  EXPECT_GT(looks, 20);
  EXPECT_TRUE(absl::IsCancelled(make(10).status()));
  // Every candidate that is left asks once or a few times, and computes nothing.
  EXPECT_LT(asked_after, looks);
  EXPECT_TRUE(absl::IsCancelled(make(looks - 1).status()));
}

}  // namespace
}  // namespace tombola::collector
