#include "common/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/mechanism/every.h"
#include "common/plan/test_plan.h"

namespace tombola::mechanism {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Plans all, and checks what every plan promises.
std::map<std::string, Candidate> PlanByName(const PlanRequest& request) {
  const absl::StatusOr<std::vector<Candidate>> candidates = PlanAll(request);
  EXPECT_TRUE(candidates.ok()) << candidates.status();
  std::map<std::string, Candidate> by_name;
  for (const Candidate& candidate : candidates.value()) {
    by_name[candidate.name] = candidate;
    EXPECT_EQ(candidate.mechanism != nullptr, candidate.feasible && !candidate.central);
    EXPECT_EQ(std::isfinite(candidate.mse), candidate.feasible) << candidate.name;
    if (candidate.mechanism == nullptr) {
      EXPECT_FALSE(candidate.reason.empty());
      continue;
    }
    const Mechanism& mechanism = *candidate.mechanism;
    EXPECT_EQ(std::string(mechanism.name()), candidate.name);
    EXPECT_EQ(mechanism.domain_size(), request.domain_size);
    EXPECT_LE(mechanism.Delta(request.honest, request.epsilon).value(), request.delta)
        << candidate.name;
    EXPECT_LE(mechanism.SmallestHonest(request.epsilon, request.delta).value(), request.honest)
        << candidate.name;
    EXPECT_LE(mechanism.local_epsilon(), request.max_local_epsilon);
    EXPECT_LE(mechanism.expected_reports_per_submission(), request.max_messages);
    EXPECT_EQ(candidate.mse, mechanism.PredictedMse(request.submissions));
  }
  return by_name;
}

TEST(PlanTest, KnowsEveryMechanism) {
  EXPECT_THAT(MechanismNames(), ElementsAre("local_hash", "grr", "aue", "pure_dump", "mix_dump",
                                            "murs", "correlated", "rappor"));
  const std::vector<Candidate> candidates = PlanAll(Request(1000, 10, 1, 1e-6)).value();
  ASSERT_EQ(candidates.size(), 8u);
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(candidates[i].name, MechanismNames()[i]);
  EXPECT_EQ(candidates[7].name, "laplace");
}

struct Errors {
  int64_t users, domain;
  double epsilon, delta;
  double local_hash, grr, aue, pure_dump, mix_dump, murs, correlated;
};

// Of an independent implementation. Its search for murs stops a percent or so above the best range.
TEST(PlanTest, ReachesTheReferenceErrors) {
  for (const Errors& e : {Errors{600000, 600, 0.1, 1e-6, 1.6344e-8, 1.0636e-8, 7.3363e-9, 7.3242e-9,
                                 8.1637e-9, 1.5718e-8, 2.743e-9},
                          Errors{600000, 600, 0.5, 1e-6, 2.4024e-9, 7.1065e-10, 3.7803e-10,
                                 3.7739e-10, 5.3433e-10, 2.064e-9, 1.0928e-10},
                          Errors{600000, 600, 1.0, 1e-6, 1.2374e-9, 2.3057e-10, 1.1848e-10,
                                 1.1827e-10, 1.7375e-10, 9.5648e-10, 2.6977e-11},
                          Errors{600000, 600, 0.5, 1e-9, 3.3298e-9, 1.2039e-9, 6.6308e-10,
                                 6.6198e-10, 9.0567e-10, 2.9695e-9, 1.0928e-10},
                          Errors{602325, 915, 0.5, 1e-6, 1.9988e-9, 6.8828e-10, 3.7512e-10,
                                 3.7471e-10, 5.1769e-10, 1.7673e-9, 1.0844e-10},
                          Errors{602325, 915, 1.0, 1e-9, 1.3464e-9, 3.7218e-10, 1.986e-10,
                                 1.9837e-10, 2.8129e-10, 1.145e-9, 2.6769e-11},
                          Errors{1000000, 42178, 0.1, 1e-6, 3.1363e-9, 2.8741e-9, 2.6411e-9,
                                 2.6411e-9, 2.6486e-9, 3.1095e-9, 9.8749e-10},
                          Errors{1000000, 42178, 0.5, 1e-6, 2.3067e-10, 1.6892e-10, 1.3609e-10,
                                 1.3609e-10, 1.4186e-10, 2.2468e-10, 3.934e-11},
                          Errors{1000000, 42178, 1.0, 1e-9, 1.1963e-10, 8.2883e-11, 7.2053e-11,
                                 7.2054e-11, 7.464e-11, 1.1831e-10, 9.7116e-12}}) {
    SCOPED_TRACE(absl::StrCat(e.users, " ", e.domain, " ", e.epsilon, " ", e.delta));
    auto planned = PlanByName(Request(e.users, e.domain, e.epsilon, e.delta));
    EXPECT_NEAR(planned["local_hash"].mse / e.local_hash, 1, 0.01);
    EXPECT_NEAR(planned["grr"].mse / e.grr, 1, 0.005);
    EXPECT_NEAR(planned["aue"].mse / e.aue, 1, 0.005);
    EXPECT_NEAR(planned["pure_dump"].mse / e.pure_dump, 1, 0.005);
    EXPECT_NEAR(planned["mix_dump"].mse / e.mix_dump, 1, 0.005);
    EXPECT_LE(planned["murs"].mse / e.murs, 1.005);
    EXPECT_GE(planned["murs"].mse / e.murs, 0.97);
    EXPECT_NEAR(planned["correlated"].mse / e.correlated, 1, 0.005);
    for (const auto& [name, candidate] : planned) {
      EXPECT_TRUE(candidate.feasible) << name;
      EXPECT_EQ(candidate.reason.empty(), !candidate.central) << name;
    }
  }
}

TEST(PlanTest, MeetsItsGoalsAtTheUsualSize) {
  auto planned = PlanByName(Request(600000, 600, 0.5, 1e-6));
  EXPECT_LE(planned["local_hash"].mse, 2.45e-9);
  EXPECT_LE(planned["grr"].mse, 7.2e-10);
  EXPECT_LE(planned["pure_dump"].mse, 3.8e-10);
  EXPECT_LE(planned["correlated"].mse, 1.1e-10);
}

TEST(PlanTest, ClosedFormsHaveTheReferenceErrors) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.method = Method::kPublished;
  auto planned = PlanByName(request);
  EXPECT_NEAR(planned["local_hash"].mse / 1.6675e-8, 1, 0.005);
  EXPECT_NEAR(planned["grr"].mse / 7.6096e-8, 1, 0.005);
  EXPECT_NEAR(planned["aue"].mse / 3.3097e-8, 1, 0.005);
  EXPECT_NEAR(planned["pure_dump"].mse / 2.2531e-9, 1, 0.005);
  EXPECT_NEAR(planned["murs"].mse / 1.3553e-8, 1, 0.005);
  EXPECT_FALSE(planned["correlated"].feasible);
  EXPECT_THAT(planned["correlated"].reason, HasSubstr("no published form"));
  request.epsilon = 2.5;
  for (const auto& [name, candidate] : PlanByName(request)) {
    EXPECT_EQ(candidate.feasible, candidate.central) << name;
  }
}

TEST(PlanTest, TheCentralMechanismIsForComparison) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.honest = 300000;
  const Candidate laplace = PlanByName(request)["laplace"];
  EXPECT_TRUE(laplace.central);
  EXPECT_TRUE(laplace.feasible);
  EXPECT_THAT(laplace.reason, HasSubstr("central"));
  EXPECT_NEAR(laplace.mse / (8 / (0.25 * 3.6e11)), 1, 1e-12);
}

TEST(PlanTest, ALocalCapLeavesWhatHasALocalEpsilon) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.max_local_epsilon = 4;
  auto planned = PlanByName(request);
  for (const char* name : {"local_hash", "grr", "mix_dump", "murs"}) {
    EXPECT_TRUE(planned[name].feasible) << name;
    EXPECT_NEAR(planned[name].mechanism->local_epsilon(), 4, 1e-3) << name;
  }
  for (const char* name : {"aue", "pure_dump", "correlated"}) {
    EXPECT_FALSE(planned[name].feasible) << name;
    EXPECT_THAT(planned[name].reason, HasSubstr("local epsilon")) << name;
  }
}

TEST(PlanTest, OneMessageLeavesWhatNeedsOne) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.max_messages = 1;
  auto planned = PlanByName(request);
  for (const char* name : {"local_hash", "grr", "murs"}) {
    EXPECT_TRUE(planned[name].feasible) << name;
  }
  for (const char* name : {"aue", "pure_dump", "mix_dump", "correlated"}) {
    EXPECT_FALSE(planned[name].feasible) << name;
    EXPECT_THAT(planned[name].reason, HasSubstr("messages")) << name;
  }
  EXPECT_EQ(Recommended(PlanAll(request).value(), Left::kAnything)->name, "grr");
}

TEST(PlanTest, SaysWhereTheShuffleHidesNothing) {
  auto planned = PlanByName(Request(1, 100, 0.5, 1e-9));
  EXPECT_THAT(planned["grr"].reason, HasSubstr("local"));
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  EXPECT_THAT(PlanByName(request)["grr"].reason, IsEmpty());
  request.max_local_epsilon = 0.5;
  EXPECT_THAT(PlanByName(request)["grr"].reason, HasSubstr("local"));
}

TEST(PlanTest, RefusesAnEpsilonThatReportsCannotDependOn) {
  PlanRequest request = Request(2, 10, 1e-17, 1e-6);
  request.method = Method::kPublished;
  const absl::Status refused = PlanOne("grr", request).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("epsilon is so small"));
}

// Every promise of PlanByName, at the corners of what can be asked for.
TEST(PlanTest, KeepsItsPromisesAtTheCorners) {
  for (const int64_t users : {1, 3, 50, 1000000}) {
    for (const int64_t domain : {int64_t{2}, int64_t{1} << 24}) {
      for (const double epsilon : {0.001, 3.0}) {
        for (const double delta : {1e-12, 0.1}) {
          SCOPED_TRACE(absl::StrCat(users, " ", domain, " ", epsilon, " ", delta));
          auto planned = PlanByName(Request(users, domain, epsilon, delta));
          EXPECT_TRUE(planned["grr"].feasible);
          EXPECT_TRUE(planned["local_hash"].feasible);
        }
      }
    }
  }
}

Candidate Of(const std::string& name, double mse, const std::map<std::string, Candidate>& from) {
  Candidate candidate = from.at(name);
  candidate.mse = mse;
  return candidate;
}

TEST(RecommendedTest, IsTheLeastErrorThatIsNotCentral) {
  const auto from = PlanByName(Request(100000, 100, 1, 1e-6));
  std::vector<Candidate> candidates = {Of("grr", 3e-9, from), Of("pure_dump", 2e-9, from),
                                       Of("laplace", 1e-9, from)};
  EXPECT_EQ(Recommended(candidates, Left::kAnything)->name, "pure_dump");
  candidates.push_back(Candidate{.name = "aue", .mse = 0});
  EXPECT_EQ(Recommended(candidates, Left::kAnything)->name, "pure_dump");
  EXPECT_EQ(Recommended({}, Left::kAnything), nullptr);
  EXPECT_EQ(Recommended({Of("laplace", 1e-9, from)}, Left::kAnything), nullptr);
}

TEST(RecommendedTest, TakesFewerMessagesWhereErrorsAreAlike) {
  const auto from = PlanByName(Request(100000, 100, 1, 1e-6));
  EXPECT_EQ(
      Recommended({Of("pure_dump", 2e-9, from), Of("grr", 2.009e-9, from)}, Left::kAnything)->name,
      "grr");
  EXPECT_EQ(
      Recommended({Of("pure_dump", 2e-9, from), Of("grr", 2.02e-9, from)}, Left::kAnything)->name,
      "pure_dump");
  EXPECT_EQ(
      Recommended({Of("grr", 2.009e-9, from), Of("local_hash", 2e-9, from)}, Left::kAnything)->name,
      "local_hash");
}

void ExpectRefused(const PlanRequest& request, const std::string& message) {
  for (const absl::Status& status : {PlanAll(request).status(), PlanOne("grr", request).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  }
}

TEST(PlanTest, RefusesEachBrokenField) {
  const PlanRequest good = Request(1000, 100, 1, 1e-6);
  const auto refuse = [&good](auto PlanRequest::*field, auto value, const std::string& message) {
    PlanRequest bad = good;
    bad.*field = value;
    ExpectRefused(bad, message);
  };
  refuse(&PlanRequest::honest, 0, "honest is 0; it must be in [1, 2^40]");
  refuse(&PlanRequest::honest, (int64_t{1} << 40) + 1, "honest is");
  refuse(&PlanRequest::submissions, 999, "submissions is 999; it must be at least honest");
  for (const int64_t domain : {int64_t{1}, (int64_t{1} << 24) + 1}) {
    refuse(&PlanRequest::domain_size, domain, "domain_size is");
  }
  for (const double epsilon : {0.0, -1.0, kNan, kInfinity}) {
    refuse(&PlanRequest::epsilon, epsilon, "epsilon is");
  }
  for (const double delta : {0.0, 1.0, kNan}) refuse(&PlanRequest::delta, delta, "delta is");
  for (const double cap : {0.0, -1.0, kNan}) {
    refuse(&PlanRequest::max_local_epsilon, cap, "max_local_epsilon is");
  }
  for (const double most : {0.99, kNan})
    refuse(&PlanRequest::max_messages, most, "max_messages is");
  refuse(&PlanRequest::range, 12, "range is 12; it must be a prime in [10, 2^31)");
  for (const int64_t fakes : {int64_t{-1}, int64_t{0}, (int64_t{1} << 32) + 1}) {
    refuse(&PlanRequest::fakes, fakes, "fakes is");
  }
  for (const double dummies : {0.0, -1.0, kNan, kInfinity}) {
    refuse(&PlanRequest::dummies, dummies, "dummies is");
  }
}

// Of all candidates together: accountants of one cell too, which no candidate by itself bounds.
TEST(PlanTest, NothingIsFeasibleBeyondWhatAllMayTake) {
  PlanRequest request = Request(100'000, 1000, 0.5, 1e-6);
  accounting::Work enough;
  request.all_work = &enough;
  const auto planned = PlanAll(request);
  ASSERT_TRUE(planned.ok());
  const int64_t points = enough.points();
  EXPECT_GT(points, 100'000);
  EXPECT_FALSE(enough.exhausted());
  accounting::Work half(points / 2);
  request.all_work = &half;
  const auto partly = PlanAll(request);
  ASSERT_TRUE(partly.ok());
  EXPECT_TRUE(half.exhausted());
  EXPECT_LE(half.points(), points / 2);
  int refused = 0;
  for (size_t i = 0; i < partly->size(); ++i) {
    if ((*partly)[i].feasible) continue;
    EXPECT_TRUE((*planned)[i].feasible);
    EXPECT_THAT((*partly)[i].reason, HasSubstr("takes too long to plan beside the others"));
    ++refused;
  }
  EXPECT_GT(refused, 0);
  accounting::Work nobody(points, /*all=*/nullptr, [] { return true; });
  request.all_work = &nobody;
  ASSERT_TRUE(PlanAll(request).ok());
  EXPECT_EQ(nobody.looks(), 0);
}

TEST(PlanTest, RefusesAnUnknownMechanism) {
  const absl::Status refused = PlanOne("laplace", Request(1000, 100, 1, 1e-6)).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("mechanism is laplace; it must be one of"));
}

}  // namespace
}  // namespace tombola::mechanism
