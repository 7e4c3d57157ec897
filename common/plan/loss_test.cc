// What a scheme says of its loss, for every mechanism with parameters that a plan gives it.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

#include "common/accounting/composition.h"
#include "common/accounting/submission_loss.h"
#include "common/mechanism/every.h"
#include "common/plan/test_plan.h"

namespace tombola::mechanism {
namespace {

constexpr int64_t kUsers = 100'000;
constexpr double kEpsilon = 0.5;
constexpr double kDelta = 1e-6;
constexpr double kNegligible = 1e-10;

std::shared_ptr<const Mechanism> PlannedFor(absl::string_view name) {
  return PlanOne(name, Request(kUsers, 100, kEpsilon, kDelta)).value();
}

TEST(LossTest, OfOneSubmissionIsWhatDeltaSays) {
  for (const absl::string_view name : MechanismNames()) {
    const auto mechanism = PlannedFor(name);
    const auto loss = mechanism->Loss(kUsers, kNegligible);
    ASSERT_TRUE(loss.ok()) << name << ": " << loss.status();
    for (const double epsilon : {0.1, 0.3, 0.5}) {
      const double delta = mechanism->Delta(kUsers, epsilon).value();
      const double found = accounting::DeltaOver(*loss, 1, epsilon).value();
      EXPECT_GE(found, delta * (1 - 1e-5)) << name << " at " << epsilon;
      EXPECT_LE(found, delta * 1.01 + kNegligible) << name << " at " << epsilon;
    }
  }
}

// What optimal composition of the pairs alone says, at ten times the delta, is 5. Discrete Laplace
// noise has nearly all of its epsilon for any delta, and gains little.
TEST(LossTest, TenSubmissionsOfAHalfAreAboutOnePointSeven) {
  for (const absl::string_view name : MechanismNames()) {
    if (name == "rappor") continue;  // of which a device makes one
    const auto loss = PlannedFor(name)->Loss(kUsers, kNegligible);
    ASSERT_TRUE(loss.ok()) << name << ": " << loss.status();
    const auto total = accounting::EpsilonOver(*loss, 10, kDelta);
    ASSERT_TRUE(total.ok()) << name << ": " << total.status();
    EXPECT_LT(*total, name == "correlated" ? 4.4 : 1.72) << name;
    EXPECT_GT(*total, name == "correlated" ? 4.3 : 1.65) << name;
  }
  EXPECT_GT(accounting::ComposedEpsilon({kEpsilon, kDelta}, 10, 1e-5).value(), 4.9);
}

// With the noise that was planned for one cell.
std::vector<std::unique_ptr<const Mechanism>> WithSeveralCells() {
  const auto planned = [](auto type) {
    using M = typename decltype(type)::type;
    return ValidPlan<M>(Request(kUsers, 100, kEpsilon, kDelta));
  };
  AueOptions aue = planned(std::type_identity<Aue>()).options();
  aue.filling = {.held = 3, .sent = 3};
  CorrelatedOptions correlated = planned(std::type_identity<Correlated>()).options();
  correlated.filling = {.held = 3, .sent = 3};
  GrrOptions one = planned(std::type_identity<Grr>()).options();
  one.filling = {.held = 6, .sent = 1};
  GrrOptions some = one;
  some.filling = {.held = 6, .sent = 3};
  std::vector<std::unique_ptr<const Mechanism>> all;
  all.push_back(std::make_unique<Aue>(Aue::Create(aue).value()));
  all.push_back(std::make_unique<Correlated>(Correlated::Create(correlated).value()));
  all.push_back(std::make_unique<Grr>(Grr::Create(one).value()));
  all.push_back(std::make_unique<Grr>(Grr::Create(some).value()));
  const auto rate = static_cast<uint64_t>(std::ldexp(150.0 * 100 / kUsers, 40));
  for (const int64_t sent : {1, 2, 6}) {
    all.push_back(
        std::make_unique<PureDump>(PureDump::Create({.rate = rate, .honest = kUsers, .max = 1000},
                                                    100, {.held = 6, .sent = sent})
                                       .value()));
  }
  return all;
}

TEST(LossTest, OfSeveralCellsIsWhatDeltaSays) {
  for (const auto& mechanism : WithSeveralCells()) {
    const auto loss = mechanism->Loss(kUsers, kNegligible);
    ASSERT_TRUE(loss.ok()) << mechanism->name() << ": " << loss.status();
    for (const double epsilon : {0.5, 1.0}) {
      const double delta = mechanism->Delta(kUsers, epsilon).value();
      const double found = accounting::DeltaOver(*loss, 1, epsilon).value();
      // Of several responses both are bounds, which charge different probabilities for the crowd.
      const double least =
          mechanism->parameters().sent.value_or(1) > 1 && mechanism->name() == Grr::kName
              ? 0.9
              : 1 - 2e-3;
      EXPECT_GE(found, delta * least - kNegligible) << mechanism->name() << " at " << epsilon;
      EXPECT_LE(found, delta * 1.02 + kNegligible) << mechanism->name() << " at " << epsilon;
    }
  }
}

TEST(LossTest, OfFewerHonestSubmissionsIsLarger) {
  for (const absl::string_view name : MechanismNames()) {
    const auto mechanism = PlannedFor(name);
    const auto loss = mechanism->Loss(kUsers / 2, kNegligible);
    if (name == "correlated") {
      EXPECT_TRUE(absl::IsFailedPrecondition(loss.status())) << "nothing is proven for fewer";
      continue;
    }
    ASSERT_TRUE(loss.ok()) << name << ": " << loss.status();
    EXPECT_GT(accounting::DeltaOver(*loss, 1, kEpsilon).value(), 2 * kDelta) << name;
    EXPECT_TRUE(absl::IsInvalidArgument(mechanism->Loss(0, kNegligible).status())) << name;
  }
}

}  // namespace
}  // namespace tombola::mechanism
