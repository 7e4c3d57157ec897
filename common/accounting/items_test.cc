#include "common/accounting/items.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "common/accounting/blanket.h"
#include "common/accounting/correlated.h"
#include "common/accounting/noise_search.h"
#include "common/accounting/product.h"
#include "common/accounting/two_bucket.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

using ::testing::HasSubstr;

TEST(ItemsTest, TheLeastPoissonNoiseForSeveralCellsIsTheReference) {
  const struct {
    int64_t cells;
    double epsilon, delta, mean;
  } kCases[] = {
      {1, 0.5, 1e-06, 136.0961850649608},   {2, 0.5, 1e-06, 263.07822642105634},
      {5, 0.1, 1e-06, 13181.721110605153},  {5, 0.5, 1e-06, 650.8994736401805},
      {6, 0.5, 1e-08, 1169.4329370393393},  {10, 1.0, 1e-06, 358.09593241389325},
      {30, 0.1, 1e-06, 79082.50339514982},  {30, 0.5, 1e-06, 3896.2044261686183},
      {30, 1.0, 1e-06, 1071.5864553553376}, {100, 0.5, 1e-09, 22787.021264932646},
  };
  for (const auto& c : kCases) {
    const auto mean = SmallestPoissonMean(c.epsilon, c.delta, c.cells);
    ASSERT_TRUE(mean.ok()) << mean.status();
    EXPECT_GE(*mean, c.mean * (1 - 2e-6));
    EXPECT_LE(*mean, c.mean * (1 + 1e-3));
    EXPECT_LE(*CellsDelta(*PoissonNoise(*mean), c.cells, c.epsilon), c.delta);
  }
}

TEST(ItemsTest, TheLeastPoissonNoiseForSeveralUnitsInACellIsTheReference) {
  const struct {
    int64_t units, cap;
    double epsilon, delta, mean;
  } kCases[] = {
      {10, 1, 1.0, 1e-06, 358.0959036534406},
      {10, 10, 1.0, 1e-06, 3576.401781720962},
      {3, 3, 0.5, 1e-06, 1174.8695391337487},
      {10, 2, 0.5, 1e-06, 2598.652504558584},
  };
  for (const auto& c : kCases) {
    const auto mean = SmallestPoissonMean(c.epsilon, c.delta, c.units / c.cap, nullptr, c.cap);
    ASSERT_TRUE(mean.ok()) << mean.status();
    EXPECT_GE(*mean, c.mean * (1 - 2e-6));
    EXPECT_LE(*mean, c.mean * (1 + 1e-3));
    EXPECT_LE(*CellsDelta(*PoissonNoise(*mean), c.units / c.cap, c.epsilon, c.cap), c.delta);
  }
}

// Every way to put `left` units on cells from `cell` on, at most `cap` on one.
void AllRecords(size_t cell, int64_t left, int64_t cap, std::vector<int64_t>* record,
                std::vector<std::vector<int64_t>>* all) {
  if (cell == record->size()) {
    if (left == 0) all->push_back(*record);
    return;
  }
  for (int64_t here = 0; here <= std::min(left, cap); ++here) {
    (*record)[cell] = here;
    AllRecords(cell + 1, left - here, cap, record, all);
  }
}

// The divergence of two records' counts where Bin(trials, gamma) is on every cell, all counts of
// all cells added up one by one.
double Enumerated(const std::vector<int64_t>& a, const std::vector<int64_t>& b, int64_t trials,
                  double gamma, double epsilon) {
  std::vector<double> pmf;
  double choices = 1;
  for (int64_t k = 0; k <= trials; ++k) {
    const double n = static_cast<double>(trials);
    const double x = static_cast<double>(k);
    pmf.push_back(choices * std::pow(gamma, x) * std::pow(1 - gamma, n - x));
    choices *= (n - x) / (x + 1);
  }
  const auto at = [&](int64_t k) {
    return k < 0 || k > trials ? 0.0 : pmf[static_cast<size_t>(k)];
  };
  const int64_t most = trials + std::max(*std::max_element(a.begin(), a.end()),
                                         *std::max_element(b.begin(), b.end()));
  std::vector<int64_t> counts(a.size());
  double sum = 0;
  while (true) {
    double p = 1;
    double q = 1;
    for (size_t cell = 0; cell < a.size(); ++cell) {
      p *= at(counts[cell] - a[cell]);
      q *= at(counts[cell] - b[cell]);
    }
    sum += std::max(0.0, p - std::exp(epsilon) * q);
    size_t cell = 0;
    while (cell < counts.size() && counts[cell] == most) counts[cell++] = 0;
    if (cell == counts.size()) return sum;
    ++counts[cell];
  }
}

TEST(ItemsTest, UnitsAreNeverBelowTheEnumeratedTruthAndAreItInTheWorstCase) {
  const struct {
    size_t cells;
    int64_t units, cap, trials;
    double gamma, epsilon;
  } kCases[] = {
      {2, 2, 2, 4, 0.3, 0.5}, {3, 2, 2, 4, 0.5, 0.2}, {3, 3, 3, 5, 0.4, 1.0},
      {4, 4, 2, 3, 0.4, 0.7}, {4, 2, 1, 3, 0.3, 0.5}, {2, 4, 4, 9, 0.5, 1.5},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.units);
    std::vector<std::vector<int64_t>> records;
    std::vector<int64_t> record(c.cells);
    AllRecords(0, c.units, c.cap, &record, &records);
    double worst = 0;
    for (const auto& a : records) {
      for (const auto& b : records) {
        worst = std::max(worst, Enumerated(a, b, c.trials, c.gamma, c.epsilon));
      }
    }
    const double got =
        *CellsDelta(*BinomialNoise(c.trials, c.gamma), c.units / c.cap, c.epsilon, c.cap);
    EXPECT_GE(got, worst * (1 - 1e-10));
    EXPECT_LE(got, worst * (1 + 1e-4));
  }
}

TEST(ItemsTest, RefusesUnitsThatAreOutOfBounds) {
  for (const int64_t units : {int64_t{0}, kMostUnits + 1}) {
    EXPECT_THAT(std::string(SmallestPoissonMean(1, 1e-6, 1, nullptr, units).status().message()),
                HasSubstr("units"));
    EXPECT_FALSE(SmallestCoin(1000, 1, 1e-6, 1, nullptr, units).ok());
  }
}

TEST(ItemsTest, TheLeastCoinForSeveralCellsIsTheReference) {
  const struct {
    int64_t honest, cells;
    double epsilon, delta, gamma;
  } kCases[] = {
      {100000, 5, 0.5, 1e-06, 0.006551538276901101},
      {1000000, 30, 0.5, 1e-06, 0.003911493757778561},
      {10000, 3, 1.0, 1e-06, 0.011087082384807453},
  };
  for (const auto& c : kCases) {
    const auto gamma = SmallestCoin(c.honest, c.epsilon, c.delta, c.cells);
    ASSERT_TRUE(gamma.ok()) << gamma.status();
    EXPECT_GE(*gamma, c.gamma * (1 - 2e-6));
    EXPECT_LE(*gamma, c.gamma * (1 + 1e-3));
  }
}

TEST(ItemsTest, TheLimitOfCorrelatedNoiseIsTheReference) {
  const struct {
    int64_t cells;
    double epsilon, delta, noise_epsilon;
  } kCases[] = {
      {1, 0.5, 1e-06, 0.25000158206642414},   {2, 0.5, 1e-06, 0.12500313962125145},
      {4, 0.5, 1e-06, 0.0625250192278318},    {5, 0.1, 1e-06, 0.010097418304075094},
      {10, 0.5, 1e-06, 0.029785181875365583}, {30, 1.0, 1e-08, 0.02637550975717637},
  };
  for (const auto& c : kCases) {
    EXPECT_NEAR(*LargestNoiseEpsilon(c.epsilon, c.delta, c.cells) / c.noise_epsilon, 1, 1e-8);
  }
}

TEST(ItemsTest, AFloodForSeveralCellsMeetsTheTarget) {
  const double limit = *LargestNoiseEpsilon(1, 1e-6, 2);
  const auto noise = SmallestFlood(0.8 * limit, 1, 1e-6, 2);
  ASSERT_TRUE(noise.ok()) << noise.status();
  const auto lesser = LesserCount(*noise);
  EXPECT_LE(*CorrelatedCellsDelta(*lesser, noise->noise_epsilon, 2, 1), 1e-6);
  EXPECT_FALSE(SmallestFlood(limit, 1, 1e-6, 2).ok());
}

TEST(ItemsTest, SomeOfTheCellsAmongPoissonDummiesAreTheReferenceAndNeverBelowTheTruth) {
  const struct {
    int64_t sent, held;
    double mean, epsilon, truth, bound;
  } kCases[] = {
      {1, 2, 0.7, 0.2, 0.4152737599149811, 0.4152738133287328},
      {1, 2, 0.7, 0.7, 0.30796129834285796, 0.3079613452408731},
      {2, 4, 0.4, 0.2, 0.7401271849456181, 0.7825335977997867},
      {2, 4, 0.4, 0.7, 0.6859875281401893, 0.7382150085700314},
  };
  for (const auto& c : kCases) {
    const auto law = SampledPoisson(c.mean, c.held, c.sent);
    const double delta = *CellsDelta(*law, c.sent, c.epsilon);
    EXPECT_GE(delta, c.truth);
    EXPECT_GE(delta, c.bound * (1 - 3e-6));
    EXPECT_LE(delta, c.bound * 1.01);
  }
}

// lambda = (r / l) times what r cells need.
TEST(ItemsTest, SomeOfTheCellsNeedTheirShareOfTheNoise) {
  const struct {
    int64_t users, cells, held, sent;
    double epsilon, delta, mean;
  } kCases[] = {
      {1000000, 20010, 10, 5, 0.1, 1e-06, 6590.860555302575},
      {1000000, 20010, 10, 1, 0.1, 1e-06, 264.1130376033606},
      {1000000, 2006, 6, 2, 0.5, 1e-06, 87.69274214035211},
  };
  for (const auto& c : kCases) {
    const double mean = *SmallestPoissonMean(c.epsilon, c.delta, c.sent) *
                        static_cast<double>(c.sent) / static_cast<double>(c.held);
    EXPECT_GE(mean, c.mean * (1 - 2e-6));
    EXPECT_LE(mean, c.mean * (1 + 1e-3));
    EXPECT_LE(*CellsDelta(*SampledPoisson(mean, c.held, c.sent), c.sent, c.epsilon),
              c.delta * (1 + 1e-6));
  }
}

TEST(ItemsTest, ResponsesNeedTheBlanketOfTheReference) {
  const struct {
    int64_t users, cells, held, sent;
    double epsilon, delta, gamma;
  } kCases[] = {
      {1000000, 230, 30, 30, 0.5, 1e-06, 0.029481598960505617},
      {100000, 205, 5, 5, 0.5, 1e-06, 0.24149759477309912},
  };
  for (const auto& c : kCases) {
    Responses responses{.honest = c.users, .cells = c.cells, .held = c.held, .sent = c.sent};
    const auto gamma = SmallestResponse(responses, c.epsilon, c.delta);
    ASSERT_TRUE(gamma.ok()) << gamma.status();
    EXPECT_NEAR(*gamma / c.gamma, 1, 0.02);
    responses.gamma = *gamma;
    EXPECT_LE(*ResponsesDelta(responses, c.epsilon), c.delta);
    const auto epsilon = ResponsesEpsilon(responses, c.delta);
    ASSERT_TRUE(epsilon.ok()) << epsilon.status();
    EXPECT_NEAR(*epsilon / c.epsilon, 1, 1e-3);
  }
}

// Whatever delta is: the crowd's thinning is charged in proportion to it.
TEST(ItemsTest, ResponsesMeetEveryDelta) {
  for (const double delta : {1e-30, 1e-13, 1e-6, 0.1, 0.9, 0.99}) {
    Responses responses{.honest = 100000, .cells = 104, .held = 4, .sent = 2};
    const auto gamma = SmallestResponse(responses, 1, delta);
    ASSERT_TRUE(gamma.ok()) << delta << ": " << gamma.status();
    responses.gamma = *gamma;
    EXPECT_LE(*ResponsesDelta(responses, 1), delta);
    EXPECT_GE(*ResponsesDelta(responses, 1), 0.8 * delta);
  }
}

// Two devices, each with two of four cells and both reports: every pair of reports of the other
// device and of the victim, by the victim's cells. The truth from below.
double EnumeratedResponses(int64_t cells, double gamma, double epsilon) {
  const auto chance = [&](int64_t said, int64_t cell) {
    return (said == cell ? 1 - gamma : 0) + gamma / static_cast<double>(cells);
  };
  // The probability of each multiset of counts, with the other device at cells 0 and 1.
  const auto counts = [&](int64_t first, int64_t second) {
    std::vector<double> law(1 << (3 * cells));
    for (int64_t a = 0; a < cells; ++a) {
      for (int64_t b = 0; b < cells; ++b) {
        for (int64_t c = 0; c < cells; ++c) {
          for (int64_t d = 0; d < cells; ++d) {
            const size_t at = (size_t{1} << (3 * a)) + (size_t{1} << (3 * b)) +
                              (size_t{1} << (3 * c)) + (size_t{1} << (3 * d));
            law[at] += chance(a, first) * chance(b, second) * chance(c, 0) * chance(d, 1);
          }
        }
      }
    }
    return law;
  };
  const std::vector<double> p = counts(0, 1);
  const std::vector<double> q = counts(2, 3);
  double delta = 0;
  for (size_t i = 0; i < p.size(); ++i) delta += std::max(0.0, p[i] - std::exp(epsilon) * q[i]);
  return delta;
}

TEST(ItemsTest, ResponsesAreNeverBelowTheEnumeratedTruth) {
  for (const double gamma : {0.5, 0.9, 0.99}) {
    for (const double epsilon : {0.2, 1.0}) {
      const Responses responses{.honest = 2, .cells = 4, .held = 2, .sent = 2, .gamma = gamma};
      EXPECT_GE(*ResponsesDelta(responses, epsilon), EnumeratedResponses(4, gamma, epsilon));
    }
  }
}

// One of a device's cells by randomised response is the blanket of range cells / held: every set
// and every message of up to four devices, added up one by one.
TEST(ItemsTest, PaddingAndSamplingIsABlanketAndNeverBelowTheEnumeratedTruth) {
  const struct {
    int64_t users;
    double range, gamma, epsilon, truth, bound;
  } kCases[] = {
      {2, 2.0, 0.36485104761271264, 0.3, 0.46710137217745984, 0.46710137217745984},
      {2, 2.0, 0.36485104761271264, 0.7, 0.3680839524570624, 0.3680839524570623},
      {3, 2.5, 0.41794215155665193, 0.3, 0.34838344310095165, 0.3614911688079831},
      {3, 2.5, 0.41794215155665193, 0.7, 0.24415413443802392, 0.2649367893643979},
      {4, 2.0, 0.2384058440442351, 0.3, 0.4919191329905772, 0.505778386802295},
      {4, 2.0, 0.2384058440442351, 0.7, 0.4378420601813584, 0.4382955753963291},
      {3, 2.0, 0.5378828427399902, 0.3, 0.1966900645846045, 0.1980040617157652},
      {3, 2.0, 0.5378828427399902, 0.7, 0.10126538080275402, 0.10126538080275398},
  };
  for (const auto& c : kCases) {
    const auto delta = Delta({.honest = c.users, .range = c.range, .gamma = c.gamma}, c.epsilon);
    ASSERT_TRUE(delta.ok()) << delta.status();
    EXPECT_GE(*delta, c.truth * (1 - 1e-10));
    EXPECT_NEAR(*delta / c.bound, 1, 1e-8);
  }
}

// The same range is wrong for a device that samples one of its cells and then hashes it: where the
// cells of a set collide the truth is above. With the buckets of all cells collapsed it is right.
TEST(ItemsTest, SampleThenHashIsNotABlanketOfThatRange) {
  const struct {
    bool collapsed;
    int64_t users;
    double range, gamma, epsilon, truth, bound;
  } kCases[] = {
      {false, 3, 2.0, 0.5378828427399902, 0.3, 0.24743629652754262, 0.1980040617157652},
      {true, 3, 2.0, 0.5378828427399902, 0.3, 0.015675458927217795, 0.1980040617157652},
      {false, 3, 2.0, 0.2384058440442351, 0.3, 0.6187863162799446, 0.5637510454414915},
      {true, 3, 2.0, 0.2384058440442351, 0.3, 0.07324005028665999, 0.5637510454414915},
  };
  int refuted = 0;
  for (const auto& c : kCases) {
    const auto delta = Delta({.honest = c.users, .range = c.range, .gamma = c.gamma}, c.epsilon);
    EXPECT_NEAR(*delta, c.bound, 1e-8);
    if (c.collapsed) {
      EXPECT_GE(*delta, c.truth);
    } else {
      refuted += *delta < c.truth ? 1 : 0;
    }
  }
  EXPECT_GT(refuted, 0);
}

TEST(ItemsTest, RefusesWhatIsOutOfRange) {
  EXPECT_THAT(SmallestPoissonMean(1, 1e-6, 0).status().message(), HasSubstr("cells must be"));
  const Responses good{.honest = 1000, .cells = 20, .held = 4, .sent = 2, .gamma = 0.5};
  ASSERT_TRUE(ResponsesDelta(good, 1).ok());
  const auto refused = [&](auto change) {
    Responses bad = good;
    change(bad);
    return std::string(ResponsesDelta(bad, 1).status().message());
  };
  EXPECT_THAT(refused([](Responses& bad) { bad.sent = 3; }), HasSubstr("sent must"));
  EXPECT_THAT(refused([](Responses& bad) { bad.sent = 1; }), HasSubstr("sent must"));
  EXPECT_THAT(refused([](Responses& bad) { bad.cells = 7; }), HasSubstr("cells must"));
  EXPECT_THAT(refused([](Responses& bad) { bad.honest = 0; }), HasSubstr("honest must"));
  EXPECT_THAT(refused([](Responses& bad) { bad.gamma = 1; }), HasSubstr("gamma must"));
}

}  // namespace
}  // namespace tombola::accounting
