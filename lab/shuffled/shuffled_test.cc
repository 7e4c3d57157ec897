#include <cmath>

#include "common/accounting/blanket.h"
#include "common/accounting/clones.h"
#include "common/plan/plan.h"
#include "common/table/count_model.h"
#include "gtest/gtest.h"
#include "lab/key_value/ldpkv.h"
#include "lab/key_value/pckv_grr.h"
#include "lab/key_value/pckv_ue.h"
#include "lab/shuffled/account.h"
#include "lab/shuffled/own_methods.h"

namespace tombola::lab {
namespace {

constexpr int64_t kMillion = 1000000;

KeyShare Whole(double users, double frequency, double mean = 0) {
  const double holders = frequency * users;
  return {users, holders, holders, holders, mean};
}

TEST(SharedNoiseTest, HasTheReferenceVariances) {
  const Setting pairs = {.keys = 100, .items = 30, .epsilon = 0.5};
  struct Row {
    int levels;
    double users, mean, variance;
  };
  for (const Row& row : {Row{2, 1e6, 3896.3, 7.7926e-09},
                         {3, 1e6, 3896.3, 1.1688900000000001e-08},
                         {5, 1e6, 780.6, 3.903e-09}}) {
    Setting setting = pairs;
    setting.levels = row.levels;
    const SharedNoise method(setting, row.mean);
    EXPECT_NEAR(*method.FrequencyVariance(Whole(row.users, 0.1)) / row.variance, 1, 1e-10);
  }
}

// A million devices, 1,000 keys of two levels, six pairs: 4.0e-5, where padding and sampling has
// 7.3e-4.
TEST(SharedNoiseTest, IsFarBetterThanSamplingForAPopularKey) {
  const Setting setting = {.keys = 1000, .items = 6, .epsilon = 0.5};
  const KeyShare key = Whole(1e6, 0.1, 0.4);
  const auto shared = PlanSharedNoise(setting, 1e-6);
  const auto padded = PlanPaddedGrr(setting, kMillion, 1e-6);
  ASSERT_TRUE(shared.ok() && padded.ok());
  EXPECT_NEAR(std::sqrt(*shared->FrequencyVariance(key)), 3.95e-5, 0.02e-5);
  EXPECT_NEAR(std::sqrt(*padded->method.FrequencyVariance(key)), 7.26e-4, 0.02e-4);
  EXPECT_NEAR(shared->Messages(kMillion), 7.6, 0.05);
}

TEST(SampledNoiseTest, HasTheReferencePlan) {
  const Setting setting = {.keys = 20000, .items = 10, .epsilon = 0.1, .levels = 1};
  const auto plan = PlanSampledNoise(setting, 1e-6);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_NEAR(plan->Messages(kMillion), 6.284901882443246, 1e-3);
  struct Row {
    double frequency, variance;
  };
  for (const Row& row : {Row{0, 2.641130376033606e-08},
                         {0.001, 3.541130376033606e-08},
                         {0.05, 4.764113037603361e-07}}) {
    EXPECT_NEAR(*plan->FrequencyVariance(Whole(1e6, row.frequency)) / row.variance, 1, 1e-3);
  }
}

TEST(PaddedGrrTest, HasTheReferencePlan) {
  struct Row {
    int64_t users, keys, items;
    double epsilon, kappa, rare, popular;  // at the frequencies 0 and 0.05
  };
  for (const Row& row :
       {Row{kMillion, 200, 30, 0.5, 7355.739313504776, 4.082680322510653e-09,
            1.4556324905474418e-06},
        {kMillion, 2000, 6, 0.1, 592.8184928056075, 1.582634198597352e-08, 4.3484940927557103e-07},
        {100000, 200, 5, 1.0, 2392.556076412533, 2.1254525690538027e-08, 2.0636777737810033e-06}}) {
    const auto plan =
        PlanPaddedGrr({.keys = row.keys, .items = row.items, .epsilon = row.epsilon, .levels = 1},
                      row.users, 1e-6);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const double kappa = std::expm1(plan->local_epsilon);
    EXPECT_GT(kappa, 0.98 * row.kappa);
    EXPECT_LT(kappa, 1.002 * row.kappa);
    const double users = static_cast<double>(row.users);
    EXPECT_NEAR(*plan->method.FrequencyVariance(Whole(users, 0)) / row.rare, 1, 0.02);
    EXPECT_NEAR(*plan->method.FrequencyVariance(Whole(users, 0.05)) / row.popular, 1, 0.02);
  }
}

// What the lab compares is what Tombola plans: cells' variances and messages, but for the caps on a
// device's dummies.
TEST(OwnMethodsTest, AreThoseOfThePlanner) {
  const Setting setting = {.keys = 194, .items = 6, .epsilon = 0.5, .levels = 1};
  const SharedNoise shared = *PlanSharedNoise(setting, 1e-6);
  const SampledNoise sampled = *PlanSampledNoise(setting, 1e-6);
  const PaddedGrr padded = *PlanPaddedGrr(setting, 100000, 1e-6);
  const auto check = [&](const char* name, int64_t sent, const Method& method, double messages) {
    SCOPED_TRACE(testing::Message() << name << ", " << sent << " of 6");
    const auto planned = mechanism::PlanOne(name, {.honest = 100000,
                                                   .submissions = 100000,
                                                   .domain_size = 200,
                                                   .filling = {.held = 6, .sent = sent},
                                                   .epsilon = 0.5,
                                                   .delta = 1e-6});
    ASSERT_TRUE(planned.ok()) << planned.status();
    EXPECT_NEAR((*planned)->expected_reports_per_submission() / messages, 1, 0.01);
    for (const double f : {0.0, 0.001, 0.2}) {
      const double variance =
          mechanism::EstimateVariance((*planned)->count_model(), {.submissions = 100000}, f);
      EXPECT_NEAR(*method.FrequencyVariance(Whole(1e5, f)) / variance, 1, 0.01) << f;
    }
  };
  check("pure_dump", 6, shared, shared.Messages(100000));
  check("pure_dump", 1, sampled, sampled.Messages(100000));
  check("grr", 1, padded.method, 1);
}

// At (0.1, 1e-8) with a million devices, 100 keys and 30 items. The reference's generic bound is
// older, and looser, than the clones used here.
TEST(AccountTest, FindsTheReferenceBudgets) {
  const auto target = Target::Create(kMillion, 0.1, 1e-8);
  ASSERT_TRUE(target.ok()) << target.status();
  const auto at = [](double epsilon) {
    return Setting{.keys = 100, .items = 30, .epsilon = epsilon};
  };
  const auto tight =
      LargestNominal([&](double e) { return PckvGrr(at(e), PairBudget::kTight).law(); }, *target);
  EXPECT_NEAR(*tight, 5.50481741655618, 0.01);
  const auto state = LargestNominal([&](double e) { return Ldpkv(at(e)).law(); }, *target);
  EXPECT_NEAR(*state, 5.482531256638468, 0.01);
  const auto vectors = LargestNominal([&](double e) { return PckvUe(at(e)).law(); }, *target);
  EXPECT_GT(*vectors, 4.805493324846028);
  EXPECT_LT(*vectors, *state);
  // The response to a pair may have what it does not leave of the record.
  const auto pair =
      LargestNominal([&](double e) { return PckvGrr(at(e), PairBudget::kPair).law(); }, *target);
  EXPECT_NEAR(*pair, std::log1p(30 * std::expm1(*tight)), 0.02);
  const auto collision = ShuffledCollision(30, *BestCollisionRange(*target), *target);
  ASSERT_TRUE(collision.ok()) << collision.status();
  EXPECT_LE(2 * collision->RareVariance() / 1e6, 1.01 * 5.064533270475374e-07);
}

TEST(AccountTest, MeetsItsTarget) {
  const auto law_at = [](double epsilon) {
    return Ldpkv({.keys = 10, .items = 1, .epsilon = epsilon}).law();
  };
  const auto target = Target::Create(10000, 0.5, 1e-6);
  ASSERT_TRUE(target.ok()) << target.status();
  const auto nominal = LargestNominal(law_at, *target);
  ASSERT_TRUE(nominal.ok()) << nominal.status();
  const auto delta = [&](double epsilon) {
    const LocalLaw law = law_at(epsilon);
    return *accounting::Delta({.honest = 10000, .range = law.range, .gamma = law.gamma}, 0.5);
  };
  EXPECT_LE(delta(*nominal), 1e-6);
  EXPECT_GT(delta(1.01 * *nominal), 1e-6);
  EXPECT_LE(*accounting::ClonesDelta(10000, target->any_randomiser, 0.5), 1e-6);
  EXPECT_GT(*accounting::ClonesDelta(10000, 1.01 * target->any_randomiser, 0.5), 1e-6);
  // Alone in its batch a report has what it has by itself.
  EXPECT_NEAR(*LargestNominal(law_at, *Target::Create(1, 0.5, 1e-9)), 0.5, 1e-3);
  EXPECT_FALSE(Target::Create(10, 0, 1e-6).ok());
  EXPECT_FALSE(Target::Create(10, 1, 0).ok());
  EXPECT_FALSE(Target::Create(0, 1, 1e-6).ok());
}

}  // namespace
}  // namespace tombola::lab
