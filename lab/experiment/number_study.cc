#include "lab/experiment/number_study.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <random>
#include <utility>

#include "cli/simulation/generator.h"
#include "common/accounting/noise_search.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/ranges/range_tree.h"
#include "lab/experiment/study.h"
#include "lab/joins/one_tuple.h"
#include "lab/joins/shuffled_oracle.h"
#include "lab/numbers/bit_sum.h"
#include "lab/numbers/central_ranges.h"
#include "lab/numbers/local_mean.h"
#include "lab/numbers/share_sum.h"
#include "lab/numbers/shuffled_sum.h"

namespace tombola::lab {
namespace {

using simulation::Generator;
using simulation::SeedSequence;

// Numbers around a fifth, most of them within +-0.6, at so many quantiles.
constexpr int kNumbers = 2000;
constexpr double kMiddle = 0.2, kSpread = 0.3;

std::vector<double> DrawNumbers(uint64_t seed) {
  Generator random(SeedSequence(seed).Add("numbers").seed());
  std::normal_distribution<double> normal(kMiddle, kSpread);
  std::vector<double> numbers(kNumbers);
  for (double& number : numbers) number = std::clamp(normal(random), -1.0, 1.0);
  return numbers;
}

// A bell, as SYN's; or eight steps.
std::vector<double> CountsOf(int64_t users, bool steps) {
  std::vector<double> counts(kNumberBins);
  double sum = 0;
  for (int64_t bin = 0; bin < kNumberBins; ++bin) {
    const double place = static_cast<double>(bin) / kNumberBins;
    counts[bin] = steps ? static_cast<double>(1 + (static_cast<int>(place * 8) * 5) % 8)
                        : std::exp(-std::pow((place - 0.5) / 0.25, 2) / 2);
    sum += counts[bin];
  }
  for (double& count : counts) count = std::round(count * static_cast<double>(users) / sum);
  return counts;
}

// By epsilon.
using Deviation = std::function<double(double epsilon)>;

NumberLine CentralLine(std::string name, std::string title, int style, const Deviation& deviation) {
  NumberLine line = {std::move(name), std::move(title), "central", style, true, {}, {}};
  for (const double epsilon : StudyEpsilons()) {
    line.deviations.push_back(deviation(epsilon));
    line.messages.push_back(0);
  }
  return line;
}

NumberLine NoiseFirstLine(std::string name, std::string title, int style,
                          const std::vector<double>& counts, int64_t trials, uint64_t seed) {
  return CentralLine(name, std::move(title), style, [&](double epsilon) {
    Generator noise(SeedSequence(seed).Add(name).Add(epsilon).seed());
    double squares = 0;
    for (int64_t trial = 0; trial < trials; ++trial) {
      squares += std::pow(RangeError(counts, NoiseFirst(counts, epsilon, noise)), 2);
    }
    return std::sqrt(squares / static_cast<double>(trials));
  });
}

void AddCentralRanges(int64_t users, int64_t trials, uint64_t seed, NumberStudy& study) {
  const auto flat = [](double epsilon) {
    return FlatDeviation(kNumberBins, 2 * std::pow(2 / epsilon, 2));
  };
  study.ranges.push_back(CentralLine("laplace", "Laplace on bins", 0, flat));
  // Of scales that go by the inverse of epsilon.
  const double boost = BoostRanges(kNumberBins, kBoostBranching, 1).Deviation();
  study.ranges.push_back(
      CentralLine("boost", "Boost", 1, [boost](double epsilon) { return boost / epsilon; }));
  const double wavelet = Privelet(kNumberBins, 1).Deviation();
  study.ranges.push_back(CentralLine("privelet", "Privelet", 2,
                                     [wavelet](double epsilon) { return wavelet / epsilon; }));
  study.ranges.push_back(
      NoiseFirstLine("noise_first", "NoiseFirst, a bell", 3, CountsOf(users, false), trials, seed));
  study.ranges.push_back(NoiseFirstLine("noise_first_steps", "NoiseFirst, eight steps", 4,
                                        CountsOf(users, true), trials, seed));
}

absl::Status AddShuffledRanges(int64_t users, NumberStudy& study) {
  const double devices = static_cast<double>(users);
  const RangeTree tree(kNumberBins, kOwnBranching, false);
  const double levels = static_cast<double>(tree.levels());
  const double unit = TreeDeviation(kNumberBins, kOwnBranching, 1);
  NumberLine local = {
      "local_tree", "OLH on a random level, least squares", "local", 5, false, {}, {}};
  NumberLine flat = {"grr", "grr on bins", "shuffled", 6, false, {}, {}};
  NumberLine own = {"tree", "pure_dump on a tree (Tombola)", "shuffled", 7, false, {}, {}};
  NumberLine bins = {"bins", "pure_dump on bins", "shuffled", 8, false, {}, {}};
  for (const double epsilon : StudyEpsilons()) {
    local.deviations.push_back(unit * std::sqrt(levels * devices * RareVariance(Olh(epsilon))));
    local.messages.push_back(1);
    TOMBOLA_ASSIGN_OR_RETURN(const Target target, Target::Create(users, epsilon, kStudyDelta));
    TOMBOLA_ASSIGN_OR_RETURN(const ShuffledOracle grr, ShuffledGrr(kNumberBins, target));
    const double share = 1.0 / kNumberBins;
    flat.deviations.push_back(FlatDeviation(kNumberBins, devices * grr.oracle.Variance(share, 1)));
    flat.messages.push_back(1);
    for (NumberLine* line : {&own, &bins}) {
      const bool nodes = line == &own;
      TOMBOLA_ASSIGN_OR_RETURN(
          const double mean,
          accounting::SmallestPoissonMean(epsilon, kStudyDelta, nodes ? tree.levels() : 1));
      line->deviations.push_back(nodes ? unit * std::sqrt(mean) : FlatDeviation(kNumberBins, mean));
      const double cells = static_cast<double>(nodes ? tree.cells() : kNumberBins);
      line->messages.push_back((nodes ? levels : 1) + cells * mean / devices);
    }
  }
  study.ranges.insert(study.ranges.begin(), std::move(local));
  for (NumberLine* line : {&flat, &bins, &own}) study.ranges.push_back(std::move(*line));
  return absl::OkStatus();
}

// Of a mean, from the average variance of a device's estimate.
template <typename Variance>
double MeanDeviation(const std::vector<double>& numbers, double users, const Variance& variance) {
  double sum = 0;
  for (const double number : numbers) sum += variance(number);
  return std::sqrt(sum / kNumbers / users);
}

// DDPS with one bit and with several, by its theorems and by the law of what the collector sees.
absl::Status AddBitSums(int64_t users, const std::vector<double>& numbers, NumberStudy& study) {
  const double devices = static_cast<double>(users);
  NumberLine lines[] = {
      {"binary_published", "DDPS, binary sum, published accounting", "shuffled", 4, true, {}, {}},
      {"binary_sum", "DDPS, binary sum, tight accounting", "shuffled", 4, false, {}, {}},
      {"bits_published", "DDPS, real sum, published accounting", "shuffled", 3, true, {}, {}},
      {"bit_sum", "DDPS, real sum, tight accounting", "shuffled", 3, false, {}, {}}};
  for (const double epsilon : StudyEpsilons()) {
    TOMBOLA_ASSIGN_OR_RETURN(const Target target, Target::Create(users, epsilon, kStudyDelta));
    // As many as the paper says.
    const int64_t many = static_cast<int64_t>(std::ceil(epsilon * std::sqrt(devices)));
    const absl::StatusOr<BitSum> sums[] = {PublishedBitSum(1, target), PlanBitSum(1, target),
                                           PublishedRealSum(target), PlanBitSum(many, target)};
    for (size_t i = 0; i < std::size(lines); ++i) {
      TOMBOLA_RETURN_IF_ERROR(sums[i].status());
      lines[i].deviations.push_back(MeanDeviation(
          numbers, devices, [&](double number) { return sums[i]->Variance(number); }));
      lines[i].messages.push_back(static_cast<double>(sums[i]->bits));
    }
  }
  for (NumberLine& line : lines) study.means.push_back(std::move(line));
  return absl::OkStatus();
}

absl::Status AddMeans(int64_t users, uint64_t seed, NumberStudy& study) {
  const std::vector<double> numbers = DrawNumbers(seed);
  const double devices = static_cast<double>(users);
  int style = 0;
  for (const MeanMethod& method : MeanMethods()) {
    NumberLine& line = study.means.emplace_back(NumberLine{
        std::string(method.name), std::string(method.title), "local", style++, false, {}, {}});
    for (const double epsilon : StudyEpsilons()) {
      line.deviations.push_back(MeanDeviation(
          numbers, devices, [&](double number) { return method.variance(number, epsilon); }));
      line.messages.push_back(1);
    }
  }
  TOMBOLA_RETURN_IF_ERROR(AddBitSums(users, numbers, study));
  NumberLine real = {"real_sum", "real sum, one message", "shuffled", 5, false, {}, {}};
  NumberLine shares = {"share_sum", "CESS, shares of a sum", "shuffled", 6, false, {}, {}};
  NumberLine own = {"levels", "pure_dump, dithered levels (Tombola)", "shuffled", 7, false, {}, {}};
  const auto rounding = [&](int64_t steps) {
    const auto variance = [&](double number) { return RoundingVariance(number, steps); };
    return std::pow(MeanDeviation(numbers, 1, variance), 2);
  };
  for (const double epsilon : StudyEpsilons()) {
    TOMBOLA_ASSIGN_OR_RETURN(const Target target, Target::Create(users, epsilon, kStudyDelta));
    TOMBOLA_ASSIGN_OR_RETURN(const LevelSum levels, PlanRealSum(target));
    real.deviations.push_back(
        MeanDeviation(numbers, devices, [&](double number) { return levels.Variance(number); }));
    real.messages.push_back(1);
    TOMBOLA_ASSIGN_OR_RETURN(const ShareSum shared, PlanShareSum(target));
    shares.deviations.push_back(std::sqrt(shared.MeanVariance(rounding(shared.steps))));
    shares.messages.push_back(static_cast<double>(shared.messages));
    TOMBOLA_ASSIGN_OR_RETURN(const DitheredLevels dithered,
                             PlanDitheredLevels(devices, epsilon, kStudyDelta));
    own.deviations.push_back(std::sqrt(dithered.MeanVariance(devices, rounding(dithered.steps))));
    own.messages.push_back(dithered.Messages(devices));
  }
  for (NumberLine* line : {&real, &shares, &own}) study.means.push_back(std::move(*line));
  study.means.push_back(CentralLine("laplace", "Laplace", 8, [devices](double epsilon) {
    return std::sqrt(8.0) / (epsilon * devices);
  }));
  return absl::OkStatus();
}

const NumberLine& FindLine(const std::vector<NumberLine>& lines, absl::string_view name) {
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [&](const NumberLine& line) { return line.name == name; });
  TOMBOLA_CHECK(found != lines.end());
  return *found;
}

}  // namespace

const NumberLine& NumberStudy::Range(absl::string_view name) const {
  return FindLine(ranges, name);
}
const NumberLine& NumberStudy::Mean(absl::string_view name) const { return FindLine(means, name); }

absl::StatusOr<NumberStudy> StudyNumbers(int64_t users, int64_t trials, uint64_t seed) {
  NumberStudy study = {.users = users, .bins = kNumberBins, .ranges = {}, .means = {}};
  AddCentralRanges(users, trials, seed, study);
  TOMBOLA_RETURN_IF_ERROR(AddShuffledRanges(users, study));
  TOMBOLA_RETURN_IF_ERROR(AddMeans(users, seed, study));
  return study;
}

}  // namespace tombola::lab
