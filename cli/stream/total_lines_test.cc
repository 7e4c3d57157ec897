#include "cli/stream/total_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/random/discrete_noise.h"
#include "common/stream/design.h"
#include "common/stream/k_ary.h"

namespace tombola::cli {
namespace {

using stream::Design;
using stream::Method;

TEST(TotalLinesTest, AreTextOrJson) {
  std::string text, json;
  TotalLines(false, 2).Append(7, {.total = -3, .variance = 2}, text);
  EXPECT_EQ(text, "7\t-3\t1.41421\t-6\t0\n");
  TotalLines(true, 2).Append(7, {.total = -3, .variance = 2}, json);
  EXPECT_EQ(json, "{\"period\":7,\"total\":-3,\"stderr\":1.41421,\"low\":-6,\"high\":0}\n");
}

TEST(TotalLinesTest, HaveRoomForTheLargest) {
  std::string text;
  TotalLines(true, 8).Append(std::numeric_limits<int64_t>::max(),
                             {.total = -(int64_t{1} << 62), .variance = 1.2345678e-300}, text);
  TotalLines(true, 8).Append(1, {.total = int64_t{1} << 62, .variance = 1.2345678e30}, text);
  const auto parsed = nlohmann::json::parse(text.substr(0, text.find('\n')));
  EXPECT_EQ(parsed["period"], std::numeric_limits<int64_t>::max());
  EXPECT_EQ(parsed["total"], -(int64_t{1} << 62));
}

TEST(TotalLinesTest, DeviationsAreThoseOfTheWiderLaw) {
  EXPECT_NEAR(DeviationsOf(0.95, NoiseKind::kGaussian), 1.959964, 1e-6);
  EXPECT_NEAR(DeviationsOf(0.95, NoiseKind::kAny), std::log(20) / std::sqrt(2), 1e-12);
  EXPECT_NEAR(DeviationsOf(0.5, NoiseKind::kAny), 0.6744898, 1e-6);
}

// The law of noise as far as it matters: Pr[X = k] by |k|, of which sums of independent ones are
// taken.
using Law = std::vector<double>;

Law LaplaceLaw(double rate) {
  Law law;
  const double ratio = std::exp(-rate);
  for (double mass = (1 - ratio) / (1 + ratio); mass > 1e-12; mass *= ratio) law.push_back(mass);
  return law;
}

Law Sum(const Law& a, const Law& b) {
  const auto of = [](const Law& law, int64_t k) {
    const auto at = static_cast<size_t>(std::abs(k));
    return at < law.size() ? law[at] : 0;
  };
  Law sum(a.size() + b.size() - 1);
  for (size_t k = 0; k < sum.size(); ++k) {
    const auto reach = static_cast<int64_t>(b.size()) - 1;
    for (int64_t j = -reach; j <= reach; ++j) {
      sum[k] += of(a, static_cast<int64_t>(k) - j) * of(b, j);
    }
  }
  while (sum.size() > 1 && sum.back() < 1e-12) sum.pop_back();
  return sum;
}

double Inside(const Law& law, int64_t half) {
  double inside = 0;
  for (int64_t k = -half; k <= half; ++k) {
    const auto at = static_cast<size_t>(std::abs(k));
    if (at < law.size()) inside += law[at];
  }
  return inside;
}

// The rates of the noises in a total.
std::vector<double> RatesOf(const Design& design, int64_t t) {
  const double unit = static_cast<double>(kRateUnits);
  std::vector<double> rates;
  if (design.structure.has_value()) {
    const stream::NodeRates nodes(design);
    for (const int64_t node : design.structure->Chain(t)) {
      rates.push_back(static_cast<double>(nodes.Of(node)) / unit);
    }
    return rates;
  }
  for (int level = 0; level < design.k_ary.h; ++level) {
    const double rate = static_cast<double>(design.level_rates[static_cast<size_t>(level)]) / unit;
    rates.insert(rates.end(),
                 static_cast<size_t>(std::abs(stream::DigitOf(design.k_ary, t, level))), rate);
  }
  return rates;
}

// By the exact law, for every total of structures of all kinds. What the laws are cut off at is
// below 1e-9.
TEST(TotalLinesTest, IntervalsHaveTheTruthAsOftenAsTheySay) {
  for (const Method method : {Method::kPlain, Method::kFenwick, Method::kBest, Method::kKAry}) {
    for (const double epsilon : {0.5, 1.0, 3.5, 5.0, 20.0}) {
      const auto design = *stream::MakeDesign(
          {.epsilon = epsilon, .periods = 30, .sensitivity = 1, .method = method});
      for (const int64_t t : {1, 2, 3, 7, 13, 16, 23, 30}) {
        Law law = {1};
        double variance = 0;
        for (const double rate : RatesOf(*design, t)) {
          law = Sum(law, LaplaceLaw(rate));
          variance += DiscreteLaplaceVariance(rate);
        }
        for (const double confidence : {0.5, 0.8, 0.9, 0.95, 0.99, 0.999}) {
          const double deviations = DeviationsOf(confidence, NoiseKind::kAny);
          const int64_t half = IntervalOf({.total = 0, .variance = variance}, deviations).high;
          EXPECT_GE(Inside(law, half) + 1e-9, confidence)
              << stream::NameOf(method) << " " << epsilon << " " << t;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tombola::cli
