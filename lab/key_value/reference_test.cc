// Probabilities, budgets and variances beside those of an independent computation.
#include <cmath>

#include "gtest/gtest.h"
#include "lab/key_value/central.h"
#include "lab/key_value/collision.h"
#include "lab/key_value/kvoh.h"
#include "lab/key_value/ldpkv.h"
#include "lab/key_value/lrr_kv.h"
#include "lab/key_value/pckv_grr.h"
#include "lab/key_value/pckv_ue.h"
#include "lab/key_value/priv_kv.h"
#include "lab/key_value/rappor_harmony.h"

namespace tombola::lab {
namespace {

constexpr double kUsers = 1e6;

// A key of this frequency and mean, no holder of which has more pairs than count.
KeyShare Whole(double frequency, double mean, double users = kUsers) {
  const double holders = frequency * users;
  return {users, holders, holders, holders, mean};
}

// The reference takes the number of devices that are asked for a key for users / keys; 1/N is a
// little more on average, 1 + keys/users times.
constexpr double kAsked = 2.5e-4;

void ExpectClose(double found, double reference, double relative = 1e-9) {
  EXPECT_NEAR(found / reference, 1, relative) << found << " against " << reference;
}

TEST(LrrKvTest, HasThePrintedProbabilitiesAndTheirTrueBudgets) {
  struct Row {
    double epsilon;
    int64_t keys, items;
    double own, opposite, other, pair, record;
  };
  for (const Row& row : {
           Row{0.1, 3, 1, 0.13635380786492293, 0.13433549538213915, 0.12155178279215635,
               0.1149126682319457, 0.11491266823194551},
           {0.1, 100, 30, 0.0042489386665201636, 0.004247214020196735, 0.003843038167880942,
            0.10040598289854483, 0.003514473319399045},
           {0.8, 1000, 6, 0.001105460308965709, 0.0011047870311318355, 0.0004964128122686083,
            0.8006092330414646, 0.1860503205649057},
           {1.0, 100, 1, 0.013343337691940549, 0.013230236818747198, 0.004867132127446561,
            1.00851233288815, 1.0085123328881502},
           {1.6, 3, 1, 0.4143745493642601, 0.26482363359843775, 0.05346696950621702,
            2.047706202602842, 2.047706202602842},
           {3.2, 306, 50, 0.03335342651743095, 0.032284868646361736, 0.0013160024011777567,
            3.2325618537300476, 0.39668672771352065},
       }) {
    const Setting setting = {.keys = row.keys, .items = row.items, .epsilon = row.epsilon};
    const LrrProbabilities law = LrrProbabilitiesOf(setting);
    ExpectClose(law.own, row.own);
    ExpectClose(law.opposite, row.opposite);
    ExpectClose(law.other, row.other);
    ExpectClose(LrrKv(setting).pair_epsilon(), row.pair);
    ExpectClose(LrrKv(setting).law().epsilon, row.record);
    ExpectClose(LrrKv(setting).ternary().tilt, row.own - row.opposite, 1e-8);
  }
}

TEST(PckvGrrTest, HasTheReferenceVariances) {
  struct Row {
    double epsilon;
    int64_t keys, items;
    double pair, own, other, frequency, difference, mean;
  };
  for (const Row& row : {
           Row{0.5, 10, 1, 0.5, 0.0727953358158468, 0.04415260305638825, 0.00010368052712204473,
               0.00011456853841405796, 0.0034351420507373887},
           {0.5, 100, 30, 3.018551821883677, 0.07321805689890137, 0.0035783086606220025,
            0.0014033354093300103, 0.0014142234206220238, 0.043059668140626915},
           {2.0, 100, 30, 5.260987615831005, 0.42657463426062114, 0.0022139975511172925,
            3.5845612479589405e-05, 3.621881768375678e-05, 0.0009560516405178186},
           {4.0, 100, 30, 7.3833336535412615, 0.8613449169061868, 0.0005353478111730243,
            8.054316573855439e-06, 8.220634850529432e-06, 0.000171321352415198},
       }) {
    const Setting setting = {.keys = row.keys, .items = row.items, .epsilon = row.epsilon};
    const PckvGrr method(setting, PairBudget::kTight);
    ExpectClose(method.pair_epsilon(), row.pair);
    ExpectClose((method.ternary().holder + method.ternary().tilt) / 2, row.own);
    ExpectClose(method.ternary().other / 2, row.other);
    const KeyShare key = Whole(0.2, 0.5);
    ExpectClose(*method.FrequencyVariance(key), row.frequency);
    ExpectClose(*method.DifferenceVariance(key), row.difference);
    ExpectClose(PaddedMeanVariance(setting, method.ternary(), key), row.mean);
  }
}

// The sampling term is in, which Theorem 4 leaves out.
TEST(PckvGrrTest, HasTheReferenceVariancesOfPopularKeys) {
  struct Row {
    double users, frequency, mean;
    int64_t items;
    double epsilon;
    int64_t keys;
    double tight_frequency, tight_mean, lrr_frequency, lrr_mean;
  };
  for (const Row& row : {
           Row{1e6, 0.5, 0.4, 30, 1.6, 100, 9.507932921610619e-05, 0.0003855652899861171,
               0.008010751975332351, 360.08573277303367},
           {1e6, 0.2, -0.3, 6, 3.2, 1000, 2.5834871336738036e-05, 0.0006282083965666021,
            0.00011795038240193445, 80.47573332983788},
           {1e5, 0.3, 0.5, 5, 2.0, 50, 0.00013033956325189005, 0.0015186302061343247,
            0.00047958984581185067, 5.095873853382782},
       }) {
    const Setting setting = {.keys = row.keys, .items = row.items, .epsilon = row.epsilon};
    const KeyShare key = Whole(row.frequency, row.mean, row.users);
    const PckvGrr tight(setting, PairBudget::kTight);
    ExpectClose(*tight.FrequencyVariance(key), row.tight_frequency);
    ExpectClose(PaddedMeanVariance(setting, tight.ternary(), key), row.tight_mean);
    const LrrKv lrr(setting);
    ExpectClose(*lrr.FrequencyVariance(key), row.lrr_frequency);
    ExpectClose(PaddedMeanVariance(setting, lrr.ternary(), key), row.lrr_mean, 1e-6);
  }
}

TEST(PckvGrrTest, DecodesFixedCounts) {
  const PckvGrr method({.keys = 3, .items = 2, .epsilon = 1}, PairBudget::kTight);
  struct Row {
    int64_t plus, minus;
    double frequency, mean;
  };
  for (const Row& row : {Row{250, 130, 1.807558072364788, 0.9383720482431919},
                         {120, 110, 0.6345930120607981, 0.12322491612851359},
                         {90, 80, 0.1654069879392022, 0.4727591721558667}}) {
    const Tally tally = {.reports = 1000, .plus = row.plus, .minus = row.minus};
    const double frequency = FrequencyOf(method.ternary(), 2, tally);
    ExpectClose(frequency, row.frequency);
    ExpectClose(MeanOf(DifferenceOf(method.ternary(), 2, tally), frequency, 1000), row.mean);
  }
}

TEST(PckvUeTest, HasTheReferenceVariances) {
  struct Row {
    double epsilon;
    int64_t items;
    double other, frequency, difference;
  };
  for (const Row& row : {
           Row{0.5, 1, 0.4302258370717044, 5.035121676422984e-05, 2.86888223842602e-05},
           {1.0, 30, 0.3497554090542189, 0.009067467467133064, 0.005896071674080112},
           {4.0, 6, 0.034723337448322934, 5.573823711915315e-06, 5.3802819502890135e-06},
       }) {
    const PckvUe method({.keys = 100, .items = row.items, .epsilon = row.epsilon});
    ExpectClose(method.ternary().other, row.other);
    ExpectClose(*method.FrequencyVariance(Whole(0, 0)), row.frequency);
    ExpectClose(*method.DifferenceVariance(Whole(0, 0)), row.difference);
  }
}

TEST(CollisionTest, HasTheReferenceBucketsAndVariances) {
  struct Row {
    int64_t items;
    double epsilon;
    int64_t buckets;
    double omega, hit, rare, held;
  };
  for (const Row& row : {
           Row{1, 0.5, 3, 3.648721270700128, 0.45186276187760605, 15.817400276842235,
               17.62964140064743},
           {1, 2.0, 8, 14.38905609893065, 0.5135191667978681, 0.7245913890681452,
            1.6549980822087098},
           {6, 2.0, 59, 97.3343365935839, 0.07591417743754082, 4.792200695067393,
            20.17651829067353},
           {30, 0.5, 114, 133.46163812100383, 0.01235352191020842, 677.8233060666063,
            951.1304066121996},
           {30, 2.0, 299, 490.67168296791954, 0.015059063637494957, 24.289596013108856,
            108.08229574953471},
       }) {
    const CollisionLaw law = BestCollision(row.items, row.epsilon);
    EXPECT_EQ(law.buckets, row.buckets);
    ExpectClose(law.omega(), row.omega);
    ExpectClose(law.hit(), row.hit);
    ExpectClose(law.gain(), law.hit() - law.other(), 1e-8);
    ExpectClose(law.RareVariance(), row.rare);
    ExpectClose(law.hit() * (1 - law.hit()) / (law.gain() * law.gain()), row.held);
    // Two things to a key, one of them held.
    const Collision method({.keys = 100, .items = row.items, .epsilon = row.epsilon});
    ExpectClose(*method.FrequencyVariance(Whole(0, 0)), 2 * row.rare / kUsers);
    ExpectClose(*method.FrequencyVariance(Whole(1, 0)), (row.rare + row.held) / kUsers);
  }
}

TEST(LdpkvTest, HasTheReferenceVariances) {
  struct Row {
    double epsilon, own, other, frequency, difference;
  };
  for (const Row& row :
       {Row{0.5, 0.45186276187760605, 0.27406861906119695, 7.835396178065527, 17.340212204049386},
        {2.0, 0.7869860421615985, 0.10650697891920075, 0.36203083048315526, 0.4600219204508031}}) {
    const Ldpkv method({.keys = 100, .items = 1, .epsilon = row.epsilon});
    ExpectClose((method.ternary().holder + method.ternary().tilt) / 2, row.own);
    ExpectClose(method.ternary().other / 2, row.other);
    ExpectClose(*method.FrequencyVariance(Whole(0, 0)), 100 * row.frequency / kUsers, kAsked);
    ExpectClose(*method.DifferenceVariance(Whole(0, 0)), 100 * row.difference / kUsers, kAsked);
  }
}

TEST(PrivKvTest, ThePublishedMeanShrinks) {
  struct Row {
    double epsilon, frequency, factor;
  };
  for (const Row& row : {Row{1.0, 0.01, 0.016380946025790075},
                         {1.0, 0.5, 0.6224593312018546},
                         {2.0, 0.1, 0.23196931668407395},
                         {4.0, 0.01, 0.06945315965638048}}) {
    const PrivKv method({.keys = 10, .items = 1, .epsilon = row.epsilon}, PrivKvMean::kPublished);
    ExpectClose(method.MeanShrinkage(row.frequency), row.factor);
  }
}

TEST(AskedTest, ExpectsMoreThanOneOverTheMean) {
  // By E[1/N; N >= 1] = e^-m (Ei(m) - ln m - 0.5772156649), Ei(1) = 1.8951178164, Ei(10) =
  // 2492.2289762419.
  ExpectClose(InverseAsked(1), 1.3179021515 * std::exp(-1.0) / (1 - std::exp(-1.0)), 1e-9);
  ExpectClose(
      InverseAsked(10),
      (2492.2289762419 - std::log(10.0) - 0.5772156649) * std::exp(-10.0) / (1 - std::exp(-10.0)),
      1e-9);
  ExpectClose(InverseAsked(100.001), InverseAsked(99.999), 1e-4);
  ExpectClose(InverseAsked(1e4), 1.00010002e-4, 1e-8);
}

// A rare key of GAUSS's size: 100 keys, 30 items, a million devices.
TEST(RareKeyTest, HasTheReferenceVariances) {
  struct Row {
    double epsilon, lrr, lrr_difference, pair, tight, ue, state, kvoh_difference, priv,
        priv_difference, rappor, harmony, collision;
  };
  for (const Row& row : {
           Row{0.4, 0.4790391719827041, 58537.44924464285, 1.9235286092132617, 0.002255182207576701,
               0.07417017695880586, 0.0012334658248220548, 0.004933863299288219,
               0.0024916833069152915, 0.0149898771571125, 0.001233465824822055, 0.00513386329928822,
               0.0021911920766617427},
           {3.2, 0.00022763413687878464, 0.11205253546316755, 0.0009150900627768791,
            3.48144008493631e-06, 0.00033196255714488306, 8.860027879245599e-06,
            3.544011151698239e-05, 3.169643495179731e-05, 5.503153778331876e-05,
            8.860027879245599e-06, 0.00023544011151698237, 1.1036155688000195e-05},
       }) {
    const Setting setting = {.keys = 100, .items = 30, .epsilon = row.epsilon};
    const KeyShare rare = Whole(0, 0);
    ExpectClose(*LrrKv(setting).FrequencyVariance(rare), row.lrr);
    ExpectClose(*LrrKv(setting).DifferenceVariance(rare), row.lrr_difference);
    ExpectClose(*PckvGrr(setting, PairBudget::kPair).FrequencyVariance(rare), row.pair);
    ExpectClose(*PckvGrr(setting, PairBudget::kTight).FrequencyVariance(rare), row.tight);
    ExpectClose(*PckvUe(setting).FrequencyVariance(rare), row.ue);
    ExpectClose(*Ldpkv(setting).FrequencyVariance(rare), row.state, kAsked);
    const PrivKv priv(setting, PrivKvMean::kUnbiased);
    ExpectClose(*priv.FrequencyVariance(rare), row.priv, kAsked);
    ExpectClose(*priv.DifferenceVariance(rare), row.priv_difference, kAsked);
    ExpectClose(*RapporHarmony(setting).FrequencyVariance(rare), row.rappor, kAsked);
    ExpectClose(*RapporHarmony(setting).DifferenceVariance(rare), row.harmony, kAsked);
    ExpectClose(*Collision(setting).FrequencyVariance(rare), row.collision);
    ExpectClose(*Kvoh(setting).DifferenceVariance(rare), row.kvoh_difference, kAsked);
    // Everybody has the state `absent`, whose bit has variance V + 1, not V = 4 e^eps/(e^eps -
    // 1)^2.
    const double odds = std::exp(row.epsilon), bit = 4 * odds / ((odds - 1) * (odds - 1));
    ExpectClose(*Kvoh(setting).FrequencyVariance(rare), 100 * (2.0 / 3 * bit + 4.0 / 9) / kUsers,
                kAsked);
  }
}

// Theorem 2 of the paper counts on more: with 30 items the response to the pair leaves a thirtieth.
TEST(LrrKvTest, IsAQuarterOfPckvGrrsVarianceAndManyTimesInTheMean) {
  struct Row {
    double epsilon, frequency, difference;
  };
  for (const Row& row : {Row{0.1, 0.2490385048131001, 54943.579273408526},
                         {0.8, 0.24904746364273908, 13607.505327145174},
                         {3.2, 0.24875599259379927, 121.58599093842582}}) {
    const Setting setting = {.keys = 100, .items = 30, .epsilon = row.epsilon};
    const PckvGrr pair(setting, PairBudget::kPair);
    const KeyShare rare = Whole(0, 0);
    ExpectClose(*LrrKv(setting).FrequencyVariance(rare) / *pair.FrequencyVariance(rare),
                row.frequency);
    ExpectClose(*LrrKv(setting).DifferenceVariance(rare) / *pair.DifferenceVariance(rare),
                row.difference);
  }
}

TEST(CentralTest, HasTheReferenceNoise) {
  const Setting five = {.keys = 100, .items = 5, .epsilon = 0.5};
  ExpectClose(Central::Laplace(five).noise_variance(), 800);
  ExpectClose(Central::Gaussian(five, 1e-6)->noise_variance(), 649.252155807219, 1e-8);
  const Setting thirty = {.keys = 100, .items = 30, .epsilon = 1};
  ExpectClose(Central::Laplace(thirty).noise_variance(), 7200);
  ExpectClose(Central::Gaussian(thirty, 1e-6)->noise_variance(), 1070.8747030754346, 1e-8);
  ExpectClose(*Central::Laplace(five).FrequencyVariance(Whole(0.3, 0)), 2 * 800 / 1e12);
  EXPECT_FALSE(Central::Gaussian(five, 0).ok());
}

}  // namespace
}  // namespace tombola::lab
