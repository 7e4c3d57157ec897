#include "common/stream/design.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "common/accounting/gaussian.h"
#include "common/accounting/product.h"
#include "common/random/discrete_noise.h"

namespace tombola::stream {
namespace {

using ::testing::HasSubstr;

constexpr double kRounding = 1.0 / 12;

Question Asked(Method method, int64_t periods) {
  return {.epsilon = 1,
          .delta = IsGaussian(method) ? 1e-6 : 0,
          .periods = periods,
          .sensitivity = 1,
          .method = method};
}

TEST(DesignTest, HasTheVariancesOfTheReference) {
  struct Case {
    Method method;
    int64_t periods;
    double mean, max;
  };
  const std::vector<Case> cases = {
      {Method::kPlain, 24, 23.01683985519481, 44.19233252197404},
      {Method::kFenwick, 24, 68.40344465837678, 108.34358007544868},
      {Method::kBest, 24, 23.016839855194814, 44.19233252197403},
      {Method::kPlain, 52, 48.795700493012994, 95.7500537976104},
      {Method::kFenwick, 52, 110.44514198155132, 191.84126617924477},
      {Method::kBest, 52, 43.443670431260436, 70.01832822093371},
      {Method::kPlain, 365, 336.966535480052, 672.0917237716884},
      {Method::kFenwick, 365, 306.10694509893966, 653.0064228161984},
      {Method::kBest, 365, 133.12926851112354, 195.53312818769032},
      {Method::kPlain, 1000, 921.5942678020002, 1841.3471884155847},
      {Method::kFenwick, 1000, 435.46292224784804, 989.4854116475929},
      {Method::kBest, 1000, 209.44304711664677, 291.45993529292707},
  };
  for (const Case& c : cases) {
    const auto design = *MakeDesign(Asked(c.method, c.periods));
    EXPECT_NEAR(design->mean_variance / c.mean, 1, 1e-6) << c.periods;
    EXPECT_NEAR(design->max_variance / c.max, 1, 1e-6) << c.periods;
    EXPECT_EQ(design->delta, 0);
  }
}

TEST(DesignTest, OfGaussianNoiseHasTheVariancesOfTheReference) {
  struct Case {
    int64_t periods;
    double mean, max, blt_max;
  };
  const std::vector<Case> cases = {
      {24, 65.95196612676443, 76.81538881869575, 76.81553246528672},
      {52, 83.60240049235053, 96.26915807516887, 96.2713662311383},
      {365, 138.0886572984962, 154.69608394008685, 154.83840469577603},
      {1000, 171.7663532211871, 190.26367967848242, 190.83634115798114},
  };
  for (const Case& c : cases) {
    const auto root = *MakeDesign(Asked(Method::kSquareRoot, c.periods));
    EXPECT_NEAR((root->mean_variance - kRounding) / c.mean, 1, 2e-6) << c.periods;
    EXPECT_NEAR((root->max_variance - kRounding) / c.max, 1, 2e-6) << c.periods;
    const auto blt = *MakeDesign(Asked(Method::kBlt, c.periods));
    EXPECT_LE(blt->max_variance - kRounding, c.blt_max * (1 + 1e-3)) << c.periods;
    EXPECT_GE(blt->max_variance - kRounding, c.max * (1 - 1e-3)) << c.periods;
    EXPECT_EQ(blt->delta, 1e-6);
  }
}

// Whatever a record changes: the rates of what covers a period sum to at most epsilon, exactly.
TEST(DesignTest, RatesOverAPeriodSumToAtMostEpsilon) {
  for (const double epsilon : {0.1, 1.0, 3.7}) {
    for (const int64_t shift : {1, 7}) {
      const auto most = static_cast<__int128>(epsilon * static_cast<double>(kRateUnits));
      for (const Method method : {Method::kPlain, Method::kFenwick, Method::kBest}) {
        for (const int64_t periods : {1, 2, 24, 52, 365, 1000, 4096, 150'000}) {
          if (periods > MostPeriods(method)) continue;
          Question question = Asked(method, periods);
          question.epsilon = epsilon;
          question.sensitivity = shift;
          const auto design = *MakeDesign(question);
          const NodeRates rates(*design);
          std::vector<int64_t> change(static_cast<size_t>(periods) + 1);
          for (int64_t t = 1; t <= periods; ++t) {
            const auto units = static_cast<int64_t>(rates.Of(t));
            change[static_cast<size_t>(design->structure->start(t))] += units;
            change[static_cast<size_t>(t)] -= units;
          }
          __int128 sum = 0, largest = 0;
          for (const int64_t step : change) largest = std::max(largest, sum += step);
          EXPECT_LE(largest * shift, most) << periods;
          EXPECT_GE(largest * shift, most - most / 1'000'000) << periods;
        }
      }
      Question question = Asked(Method::kKAry, 1000);
      question.epsilon = epsilon;
      question.intervals = shift;
      __int128 sum = 0;
      const auto design = *MakeDesign(question);
      for (const uint64_t units : design->level_rates) sum += units;
      EXPECT_LE(sum * shift, most);
      EXPECT_GE(sum * shift, most - most / 1'000'000);
    }
  }
}

// By the product accountant: one record is a unit in one block of each level.
TEST(DesignTest, TheProductOfTheLevelsOfAKAryTreeIsPure) {
  const auto design = *MakeDesign(Asked(Method::kKAry, 1000));
  std::vector<accounting::LossPart> parts;
  for (const uint64_t units : design->level_rates) {
    const double x = static_cast<double>(units) / static_cast<double>(kRateUnits);
    const double up = 1 / (1 + std::exp(-x));
    parts.push_back({.law = {.atoms = {{x, up}, {-x, 1 - up}}, .unit = x}, .uses = 1});
  }
  ASSERT_EQ(parts.size(), 3);
  // A little above, because the levels' losses lie between the points of the accountant's grid.
  EXPECT_LE(*accounting::ProductDelta(parts, design->epsilon * 1.01), 1e-9);
  EXPECT_GE(*accounting::ProductDelta(parts, design->epsilon * 0.9), 1e-3);
}

// The divergence of discrete Gaussian noise, summed over all whole numbers, is at most that of the
// continuous one times 1 + 1e-5, down to the least variance that designs have.
TEST(DesignTest, DiscreteGaussianNoiseIsAsPrivateAsItIsTakenFor) {
  const double variance = 0x1p24;
  const auto reach = static_cast<int64_t>(60 * std::sqrt(variance));
  for (const int64_t shift : {500, 1000, 4096, 12'345}) {
    for (const double epsilon : {0.1, 1.0, 4.0}) {
      const double theta = static_cast<double>(shift) / std::sqrt(variance);
      const double continuous = accounting::GaussianDelta(theta, epsilon);
      if (continuous < 1e-14) continue;
      double mass = 0, delta = 0;
      for (int64_t k = -reach; k <= reach; ++k) {
        const auto of = [&](int64_t at) {
          return std::exp(-static_cast<double>(at) * static_cast<double>(at) / (2 * variance));
        };
        mass += of(k);
        delta += std::max(0.0, of(k - shift) - std::exp(epsilon) * of(k));
      }
      EXPECT_LE(delta / mass, continuous * (1 + 1e-5)) << shift << " " << epsilon;
      EXPECT_GE(delta / mass, continuous * (1 - 1e-5)) << shift << " " << epsilon;
    }
  }
}

TEST(DesignTest, ChoosesWhatHasTheLeastMeanVariance) {
  const auto chosen = [](Question question) { return (*MakeDesign(question))->method; };
  Question question{.epsilon = 1, .periods = 24, .sensitivity = 1};
  EXPECT_EQ(chosen(question), Method::kPlain);
  question.periods = 365;
  EXPECT_EQ(chosen(question), Method::kKAry);
  question.adaptive = true;
  EXPECT_EQ(chosen(question), Method::kBest);
  question.periods = 5000;
  EXPECT_EQ(chosen(question), Method::kFenwick);
  question.delta = 1e-6;
  EXPECT_EQ(chosen(question), Method::kBlt);
  question = {.epsilon = 1, .delta = 1e-6, .periods = 24, .sensitivity = 1};
  EXPECT_EQ(chosen(question), Method::kPlain);
}

// A shift of three is nine times the variance, or a little more: discrete Laplace noise has less
// than 2 / rate^2.
TEST(DesignTest, MoreIntervalsAreMoreNoise) {
  for (const Method method : kMethods) {
    Question question = Asked(method, 100);
    const auto one = *MakeDesign(question);
    question.intervals = 3;
    const auto three = *MakeDesign(question);
    question.intervals = 1;
    question.sensitivity = 3;
    const auto larger = *MakeDesign(question);
    EXPECT_NEAR(three->mean_variance / larger->mean_variance, 1, 1e-5) << NameOf(method);
    EXPECT_GE(three->mean_variance / one->mean_variance, 8.9) << NameOf(method);
    EXPECT_LE(three->mean_variance / one->mean_variance, 9.7) << NameOf(method);
  }
}

TEST(DesignTest, RefusesWhatIsOutOfRange) {
  const auto refusal = [](Question question) {
    const auto design = MakeDesign(question);
    EXPECT_EQ(design.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(design.status().message());
  };
  const Question good{.epsilon = 1, .periods = 10, .sensitivity = 1};
  const auto with = [&](auto change) {
    Question question = good;
    change(question);
    return question;
  };
  ASSERT_TRUE(MakeDesign(good).ok());
  EXPECT_THAT(refusal(with([](Question& q) { q.epsilon = 0; })), HasSubstr("epsilon must be in"));
  EXPECT_THAT(refusal(with([](Question& q) { q.epsilon = NAN; })), HasSubstr("epsilon"));
  EXPECT_THAT(refusal(with([](Question& q) { q.epsilon = 1e-13; })), HasSubstr("too small"));
  EXPECT_THAT(refusal(with([](Question& q) { q.delta = 1; })),
              HasSubstr("delta must be in [0, 1)"));
  EXPECT_THAT(refusal(with([](Question& q) { q.delta = -1e-9; })), HasSubstr("delta"));
  EXPECT_THAT(refusal(with([](Question& q) { q.periods = 0; })), HasSubstr("periods must be in"));
  EXPECT_THAT(refusal(with([](Question& q) { q.periods = kMostPeriods + 1; })),
              HasSubstr("periods"));
  EXPECT_THAT(refusal(with([](Question& q) { q.sensitivity = 0; })), HasSubstr("sensitivity"));
  EXPECT_THAT(refusal(with([](Question& q) { q.last_weight = 0; })), HasSubstr("last_weight"));
  EXPECT_THAT(refusal(with([](Question& q) { q.intervals = 0; })), HasSubstr("intervals"));
  EXPECT_THAT(refusal(with([](Question& q) { q.method = Method::kBlt; })),
              HasSubstr("delta must be above 0"));
  EXPECT_THAT(refusal(with([](Question& q) {
                q.method = Method::kBest;
                q.periods = 4097;
              })),
              HasSubstr("periods must be at most 4096"));
  EXPECT_THAT(refusal(with([](Question& q) {
                q.method = Method::kKAry;
                q.adaptive = true;
              })),
              HasSubstr("fixed in advance"));
  EXPECT_THAT(refusal(with([](Question& q) {
                q.method = Method::kSquareRoot;
                q.delta = 1e-6;
                q.sensitivity = 1'000'000;
              })),
              HasSubstr("sensitivity times intervals is too large"));
}

TEST(DesignTest, ALastTotalThatCountsMoreIsLessNoisy) {
  for (const Method method : {Method::kFenwick, Method::kBest}) {
    for (const int64_t periods : {64, 100}) {
      Question question = {.epsilon = 1, .periods = periods, .sensitivity = 1, .method = method};
      const auto even = *MakeDesign(question);
      question.last_weight = 200;
      const auto uneven = *MakeDesign(question);
      const auto weighted = [&](const Design& design) {
        return static_cast<double>(periods) * design.mean_variance + 199 * design.last_variance;
      };
      EXPECT_LT(weighted(*uneven), weighted(*even)) << NameOf(method) << " " << periods;
      EXPECT_GT(uneven->mean_variance, even->mean_variance);
      // The parts of epsilon over a period sum to no more than the whole.
      const NodeRates rates(*uneven);
      for (int64_t t = 1; t <= periods; ++t) {
        uint64_t sum = 0;
        for (const int64_t node : uneven->structure->Cover(t)) sum += rates.Of(node);
        EXPECT_LE(sum, kRateUnits) << t;
      }
    }
  }
}

// The same with the last total's weight: what would be best for one is not for the other.
TEST(DesignTest, WhatIsBestDependsOnTheLastTotal) {
  const auto chosen = [](int64_t last_weight) {
    return (*MakeDesign({.epsilon = 1,
                         .periods = 4096,
                         .sensitivity = 1,
                         .adaptive = true,
                         .last_weight = last_weight}))
        ->method;
  };
  EXPECT_EQ(chosen(1), Method::kBest);
  EXPECT_EQ(chosen(int64_t{1} << 31), Method::kFenwick);
}

// What the whole noise is for is split into parts that change a half or a quarter as much.
TEST(DesignTest, APartOfWhatIsHiddenIsHiddenBetter) {
  const auto laplace = *MakeDesign(
      {.epsilon = 2, .periods = 24, .sensitivity = 1, .intervals = 4, .method = Method::kPlain});
  EXPECT_EQ(EpsilonOfPart(*laplace, 4), 0.5);
  for (const Method method : {Method::kSquareRoot, Method::kBlt}) {
    const Question one = {
        .epsilon = 1, .delta = 1e-6, .periods = 24, .sensitivity = 1, .method = method};
    Question many = one;
    many.intervals = 3;
    const auto design = *MakeDesign(many);
    EXPECT_NEAR(EpsilonOfPart(*design, 1), 1, 1e-6);
    const double part = EpsilonOfPart(*design, 3);
    EXPECT_LT(part, 1.0 / 3) << "better than composition";
    // One interval at that epsilon takes no more noise than there is.
    Question alone = one;
    alone.epsilon = part;
    EXPECT_NEAR(static_cast<double>((*MakeDesign(alone))->noise_variance) /
                    static_cast<double>(design->noise_variance),
                1, 1e-4);
  }
}

}  // namespace
}  // namespace tombola::stream
