// The HISKV paper's formulas and steps as printed, kept only here, beside the truth. The numbers of
// docs/errata.md come from these.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "lab/data/synthetic.h"
#include "lab/key_value/length.h"
#include "lab/key_value/lrr_kv.h"
#include "lab/key_value/pckv_grr.h"
#include "lab/oracle/oracle.h"

namespace tombola::lab {
namespace {

KeyShare Whole(double users, double frequency, double mean) {
  const double holders = frequency * users;
  return {users, holders, holders, holders, mean};
}

// --- Theorem 2: the budget of LRR_KV ---

TEST(HiskvTheorem2, ComparesOnlyInputsWithTheSameKey) {
  for (const double epsilon : {0.1, 1.0, 3.2}) {
    const LrrProbabilities law = LrrProbabilitiesOf({.keys = 100, .items = 1, .epsilon = epsilon});
    EXPECT_LE(law.own / law.opposite, std::exp(epsilon));        // what the proof looks at
    EXPECT_GT(law.own / law.other, 1.0001 * std::exp(epsilon));  // another key
  }
}

TEST(HiskvTheorem2, IsExceededWithOneItem) {
  struct Row {
    int64_t keys, items;
    double epsilon, pair, record;
  };
  for (const Row& row : {Row{1, 1, 1, 1.452832, 1.452832},
                         {3, 1, 1, 1.219512, 1.219512},
                         {100, 1, 1, 1.008512, 1.008512},
                         {100, 1, 3.2, 3.310716, 3.310716},
                         {3, 2, 1, 1.174726, 0.750769}}) {
    const LrrKv method({.keys = row.keys, .items = row.items, .epsilon = row.epsilon});
    EXPECT_NEAR(method.pair_epsilon(), row.pair, 1e-6);
    EXPECT_NEAR(method.law().epsilon, row.record, 1e-6);
  }
}

// --- The probabilities, and what they leave of the mean ---

TEST(HiskvLrrKv, HardlyTellsTheSignsApart) {
  const LrrKv method({.keys = 100, .items = 1, .epsilon = 1});
  EXPECT_NEAR(method.ternary().tilt, 1.131009e-4, 1e-10);
  const Setting setting = {.keys = 100, .items = 30, .epsilon = 0.8};
  const double ratio = *LrrKv(setting).DifferenceVariance(Whole(1e6, 0, 0)) /
                       *PckvGrr(setting, PairBudget::kPair).DifferenceVariance(Whole(1e6, 0, 0));
  EXPECT_NEAR(ratio, 13607.5, 0.1);
}

// --- Algorithm 3: padding and sampling ---

// Line 5, the sampling, stands within the branch of line 3.
std::optional<size_t> PrintedPaddingAndSampling(size_t length, size_t items) {
  if (length > items) {
    // lines 1 and 2: `items` pairs are kept, none is drawn
  } else if (length < items) {
    return 0;  // lines 3 to 5: padded, and one is drawn
  }
  return std::nullopt;  // line 7 returns a pair that nobody chose
}

TEST(HiskvAlgorithm3, DrawsNoPairUnlessItPads) {
  EXPECT_TRUE(PrintedPaddingAndSampling(2, 3).has_value());
  EXPECT_FALSE(PrintedPaddingAndSampling(3, 3).has_value());
  EXPECT_FALSE(PrintedPaddingAndSampling(4, 3).has_value());
}

// Dummies are numbered 1 to l there, as the first keys are.
TEST(HiskvAlgorithm3, ItsDummiesAreRealKeys) {
  const Setting setting = {.keys = 100, .items = 30, .epsilon = 1};
  const Ternary law = LrrKv(setting).ternary();
  // Nobody holds anything: every device draws a dummy, each of 30 alike.
  const double reports = 1e12;
  const double said = reports * (law.other + (law.holder - law.other) / 30);
  const Tally expected = {.reports = static_cast<int64_t>(reports),
                          .plus = std::llround(said / 2),
                          .minus = std::llround(said / 2)};
  EXPECT_NEAR(FrequencyOf(law, 30, expected), 1, 1e-6);
  // With keys of their own, none.
  const std::vector<double> picks = PaddedPickLaw(setting, {});
  for (int64_t cell = 0; cell < 2 * setting.keys; ++cell) EXPECT_EQ(picks[cell], 0);
}

// --- Algorithm 1, Figure 2 ---

TEST(HiskvAlgorithm1, ReportsNameAsManyKeysAsThereAreNotTwice) {
  const Setting setting = {.keys = 4, .items = 2, .epsilon = 1};
  // Line 9 tests k_j in [1, 2 (d + l)]: these are the signed keys.
  EXPECT_EQ(LrrKv(setting).ReportLaw({}).size(), 2 * (4 + 2));
}

TEST(HiskvFigure2, TheMeanOfItsSecondKeyIsZero) {
  // As discretised in the text: <k2, +1> of u1 and <k2, -1> of u2.
  const double plus = 1, minus = 1;
  EXPECT_EQ((plus - minus) / (plus + minus), 0);  // 1 is printed
}

// --- Theorem 3: the mean is a ratio ---

// The expectation of the published mean from `devices` that all hold a key with mean v, by the law
// of the counts. l = 1.
double ExpectedMean(int devices, const LrrProbabilities& law, double v) {
  const double plus = law.own * (1 + v) / 2 + law.opposite * (1 - v) / 2;
  const double minus = law.own * (1 - v) / 2 + law.opposite * (1 + v) / 2;
  std::vector<double> log_factorial = {0};
  for (int k = 1; k <= devices; ++k) log_factorial.push_back(log_factorial.back() + std::log(k));
  double expected = 0;
  for (int a = 0; a <= devices; ++a) {
    for (int b = 0; a + b <= devices; ++b) {
      const double ways =
          std::exp(log_factorial[static_cast<size_t>(devices)] -
                   log_factorial[static_cast<size_t>(a)] - log_factorial[static_cast<size_t>(b)] -
                   log_factorial[static_cast<size_t>(devices - a - b)]);
      const double probability = ways * std::pow(plus, a) * std::pow(minus, b) *
                                 std::pow(1 - plus - minus, devices - a - b);
      const double mean = (a - b) / (a + b - 2 * devices * law.other) *
                          (law.own + law.opposite - 2 * law.other) / (law.own - law.opposite);
      expected += probability * mean;
    }
  }
  return expected;
}

TEST(HiskvTheorem3, TheMeanIsBiased) {
  const LrrProbabilities law = LrrProbabilitiesOf({.keys = 3, .items = 1, .epsilon = 1});
  const double one = 0.5 * (law.own + law.opposite - 2 * law.other) / (1 - 2 * law.other);
  EXPECT_NEAR(ExpectedMean(1, law, 0.5), one, 1e-12);
  EXPECT_NEAR(one, 0.203, 5e-4);
  EXPECT_NEAR(ExpectedMean(10, law, 0.5), 0.574, 5e-4);
  EXPECT_NEAR(ExpectedMean(100, law, 0.5), 0.504, 5e-4);
}

// --- Theorem 4: the variance of the frequency ---

double PrintedTheorem4(const LrrProbabilities& law, double items, double f, double users) {
  const double holder = law.own + law.opposite, other = 2 * law.other;
  return items * (f * holder * (1 - holder) + (items - f) * other * (1 - other)) /
         (users * (holder - other) * (holder - other));
}

TEST(HiskvTheorem4, LeavesOutTheSampling) {
  const Setting setting = {.keys = 100, .items = 30, .epsilon = 1.6};
  const double f = 0.5, users = 1e6;
  // For PCKV-GRR with the tight budget, where it shows.
  const PckvGrr tight(setting, PairBudget::kTight);
  const Ternary& law = tight.ternary();
  const LrrProbabilities response = {.own = (law.holder + law.tilt) / 2,
                                     .opposite = (law.holder - law.tilt) / 2,
                                     .other = law.other / 2};
  const double printed = PrintedTheorem4(response, 30, f, users);
  EXPECT_NEAR(printed, 8.0579e-5, 1e-9);
  EXPECT_NEAR(*tight.FrequencyVariance(Whole(users, f, 0.4)), 9.5079e-5, 1e-9);
  EXPECT_NEAR(*tight.FrequencyVariance(Whole(users, f, 0.4)) - printed, f * 29 / users, 1e-12);
  // And for LRR_KV itself.
  const LrrKv lrr(setting);
  EXPECT_NEAR(*lrr.FrequencyVariance(Whole(users, f, 0.4)) -
                  PrintedTheorem4(LrrProbabilitiesOf(setting), 30, f, users),
              f * 29 / users, 1e-10);
}

// --- Theorem 5: the variances of sum and difference ---

TEST(HiskvTheorem5, TakesTheCountsOfOneKeyForIndependent) {
  // 0.3 of a million devices hold a key, all with +; l = 1, so that no sampling is in it.
  const Setting setting = {.keys = 3, .items = 1, .epsilon = 3};
  const LrrProbabilities law = LrrProbabilitiesOf(setting);
  const double users = 1e6, holders = 0.3 * users;
  const double printed = holders * ((law.own - law.other) * (1 - law.own - law.other) +
                                    (law.opposite - law.other) * (1 - law.opposite - law.other)) +
                         2 * users * law.other * (1 - law.other);
  const double s = law.own + law.opposite, o = 2 * law.other;
  const double sum = holders * s * (1 - s) + (users - holders) * o * (1 - o);
  const double tilt = law.own - law.opposite;
  const double difference = holders * (s - tilt * tilt) + (users - holders) * o;
  EXPECT_NEAR(printed / sum, 3.92, 0.01);
  EXPECT_NEAR(printed / difference, 0.573, 0.001);
  // The covariance that is left out is what sets them apart.
  const double covariance = (sum - difference) / 4;
  EXPECT_LT(covariance, 0);
}

// --- Theorems 6 and 7: the largest deviations ---

TEST(HiskvTheorem6, HidesTheNumberOfKeys) {
  const auto deviation = [](int64_t keys) {
    const LrrKv method({.keys = keys, .items = 30, .epsilon = 0.1});
    return std::sqrt(*method.FrequencyVariance(Whole(1e6, 0, 0)));
  };
  // The printed bound, l sqrt(ln(l/eta)) / (eps sqrt(n)), is the same for both.
  EXPECT_NEAR(deviation(100000) / deviation(1000), std::sqrt(100030.0 / 1030), 0.1);
}

TEST(HiskvTheorem7, ASumOfErrorsDoesNotBoundTheirDifference) {
  const double plus = 700, minus = 300, off = 100;  // + gets `off` more than it should, - less
  const double lambda_over_l = std::fabs(off - off);
  const double bound = lambda_over_l / (plus + minus - lambda_over_l);
  const double truth =
      std::fabs((plus - minus) / (plus + minus) - (plus + off - (minus - off)) / (plus + minus));
  EXPECT_EQ(bound, 0);
  EXPECT_NEAR(truth, 0.2, 1e-12);
}

// --- Composition, and the rival's budget ---

TEST(HiskvComposition, OfDisjointGroupsIsTheLargerNotTheSum) {
  const Setting setting = {.keys = 3, .items = 2, .epsilon = 1};
  const LrrKv lrr(setting);
  const Oracle length = Grr(3, 1);
  // A tenth sends its length, the rest its pair: a device's report is one or the other.
  const auto law_of = [&](absl::Span<const Pair> record) {
    std::vector<double> law;
    for (size_t n = 1; n <= 3; ++n) {
      law.push_back(0.1 * (n == record.size() ? length.holder : length.other));
    }
    for (const double probability : lrr.ReportLaw(record)) law.push_back(0.9 * probability);
    return law;
  };
  const std::vector<std::vector<Pair>> records = {
      {{0, 1}}, {{1, 1}, {2, 1}}, {{0, -1}, {1, -1}, {2, -1}}};
  double epsilon = 0;
  for (const auto& one : records) {
    for (const auto& other : records) {
      const std::vector<double> p = law_of(one), q = law_of(other);
      for (size_t i = 0; i < p.size(); ++i) epsilon = std::max(epsilon, std::log(p[i] / q[i]));
    }
  }
  EXPECT_NEAR(epsilon, std::max(1.0, lrr.law().epsilon), 1e-12);
}

TEST(HiskvComparison, PckvGrrIsGivenAFractionOfItsBudget) {
  const Setting setting = {.keys = 100, .items = 30, .epsilon = 1};
  EXPECT_NEAR(PckvGrr(setting, PairBudget::kPair).law().epsilon, 0.05569, 1e-5);
  EXPECT_NEAR(PckvGrr(setting, PairBudget::kTight).law().epsilon, 1, 1e-12);
  const auto ratio = [](double epsilon) {
    const Setting at = {.keys = 100, .items = 30, .epsilon = epsilon};
    return *PckvGrr(at, PairBudget::kPair).FrequencyVariance(Whole(1e6, 0, 0)) /
           *PckvGrr(at, PairBudget::kTight).FrequencyVariance(Whole(1e6, 0, 0));
  };
  EXPECT_NEAR(ratio(0.4), 853, 1);
  EXPECT_NEAR(ratio(3.2), 263, 1);
}

// --- Algorithm 4: lengths ---

TEST(HiskvAlgorithm4, HasNoLengthForADeviceWithoutPairs) {
  // 1.8 % of SPARSE's devices, for which 1 .. d has no answer.
  double none = 1;
  for (const KeyLaw& key : Sparse()) none *= 1 - key.frequency;
  EXPECT_NEAR(none, 0.0178, 5e-5);
  simulation::Generator random(1);
  // Taken for 1, they are counted there: all of 100,000 with a budget that leaves no doubt.
  EXPECT_EQ(OetlLength(std::vector<int64_t>{100000, 0, 0}, 20, random), 1);
}

}  // namespace
}  // namespace tombola::lab
