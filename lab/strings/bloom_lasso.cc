#include "lab/strings/bloom_lasso.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/simulation/distributions.h"
#include "collector/estimate/normal.h"
#include "common/base/encoding.h"
#include "common/crypto/sha256.h"

namespace tombola::lab {
namespace {

constexpr double kRapporAlpha = 0.05;
constexpr int kMostPasses = 200;
constexpr double kSettled = 1e-3;  // of a deviation: the largest change in a pass
constexpr size_t kMostSupport = 2000;

using Columns = std::vector<std::vector<int32_t>>;

// The least of |y - offset - X beta|^2 / 2 + penalty_v beta_v over beta >= 0, by coordinate
// descent. The offset takes up what strings of few devices set together. penalty_v is what chance
// makes of a column.
struct Lasso {
  Eigen::VectorXd beta;
  double offset = 0;
};

Lasso Descend(const Eigen::VectorXd& y, const Columns& columns, double deviation) {
  const double candidates = static_cast<double>(columns.size());
  const double chance = collector::NormalTailQuantile(kRapporAlpha / candidates);
  Lasso lasso{.beta = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(columns.size()))};
  Eigen::VectorXd rest = y;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const double shift = rest.mean();
    lasso.offset += shift;
    rest.array() -= shift;
    double largest = std::abs(shift);
    for (size_t v = 0; v < columns.size(); ++v) {
      const double size = static_cast<double>(columns[v].size());
      double along = 0;
      for (const int32_t row : columns[v]) along += rest[row];
      double& beta = lasso.beta[static_cast<Eigen::Index>(v)];
      const double penalty = chance * deviation * std::sqrt(size);
      const double next = std::max(0.0, beta + (along - penalty) / size);
      const double change = next - beta;
      if (change == 0) continue;
      for (const int32_t row : columns[v]) rest[row] -= change;
      beta = next;
      largest = std::max(largest, std::abs(change));
    }
    if (largest < kSettled * deviation) break;
  }
  return lasso;
}

// The columns with the largest weights, at most kMostSupport.
std::vector<size_t> SupportOf(const Eigen::VectorXd& beta) {
  std::vector<size_t> support;
  for (Eigen::Index v = 0; v < beta.size(); ++v) {
    if (beta[v] > 0) support.push_back(static_cast<size_t>(v));
  }
  std::sort(support.begin(), support.end(), [&](size_t a, size_t b) {
    return beta[static_cast<Eigen::Index>(a)] > beta[static_cast<Eigen::Index>(b)];
  });
  support.resize(std::min(support.size(), kMostSupport));
  return support;
}

// Least squares of y on the columns and an offset, which comes last: weights and their variances in
// units of y's.
struct Fit {
  Eigen::VectorXd weights, variances;
};

Fit LeastSquares(const Eigen::VectorXd& y, const Columns& columns,
                 const std::vector<size_t>& support) {
  const auto size = static_cast<Eigen::Index>(support.size());
  Eigen::MatrixXd design = Eigen::MatrixXd::Zero(y.size(), size + 1);
  for (Eigen::Index at = 0; at < size; ++at) {
    for (const int32_t row : columns[support[static_cast<size_t>(at)]]) design(row, at) = 1;
  }
  design.col(size).setOnes();
  const Eigen::LDLT<Eigen::MatrixXd> solver(design.transpose() * design);
  const Eigen::MatrixXd inverse = solver.solve(Eigen::MatrixXd::Identity(size + 1, size + 1));
  return {.weights = solver.solve(design.transpose() * y), .variances = inverse.diagonal()};
}

}  // namespace

std::vector<int32_t> BitsOf(const std::string& text, const RapporSetting& setting) {
  std::vector<int32_t> bits;
  for (int64_t cohort = 0; cohort < setting.cohorts; ++cohort) {
    const size_t begin = bits.size();
    for (int64_t hash = 0; hash < setting.rappor.hashes; ++hash) {
      const crypto::Sha256Digest digest =
          crypto::Sha256(absl::StrCat(cohort, "/", hash, "/", text));
      const auto bit = static_cast<int64_t>(LoadNumber<uint64_t>(digest.data()) %
                                            static_cast<uint64_t>(setting.rappor.bits));
      bits.push_back(static_cast<int32_t>(cohort * setting.rappor.bits + bit));
    }
    std::sort(bits.begin() + static_cast<ptrdiff_t>(begin), bits.end());
  }
  bits.erase(std::unique(bits.begin(), bits.end()), bits.end());
  return bits;
}

BloomSums ReportBlooms(const StringPopulation& population, const RapporSetting& setting,
                       simulation::Generator& random) {
  const auto cohorts = static_cast<size_t>(setting.cohorts);
  const auto width = static_cast<size_t>(setting.rappor.bits);
  BloomSums sums{.devices = std::vector<int64_t>(cohorts, 0)};
  std::vector<int64_t> set(cohorts * width, 0);
  const std::vector<double> even(cohorts, 1.0);
  for (const HeldString& held : population.strings) {
    const std::vector<int64_t> drawn = simulation::Multinomial(held.devices, even, random);
    for (size_t cohort = 0; cohort < cohorts; ++cohort) sums.devices[cohort] += drawn[cohort];
    for (const int32_t bit : BitsOf(held.text, setting)) {
      set[static_cast<size_t>(bit)] += drawn[static_cast<size_t>(bit) / width];
    }
  }
  const accounting::UnaryReports report = accounting::OneReport(setting.rappor, 1);
  for (size_t at = 0; at < set.size(); ++at) {
    const int64_t holders = set[at];
    set[at] = simulation::Binomial(holders, report.kept, random) +
              simulation::Binomial(sums.devices[at / width] - holders, report.risen, random);
  }
  EstimateBits(set, setting, &sums);
  return sums;
}

void EstimateBits(const std::vector<int64_t>& ones, const RapporSetting& setting, BloomSums* sums) {
  const accounting::UnaryReports report = accounting::OneReport(setting.rappor, 1);
  const double apart = report.kept - report.risen;
  double variance = 0;
  for (size_t at = 0; at < ones.size(); ++at) {
    const auto devices =
        static_cast<double>(sums->devices[at / static_cast<size_t>(setting.rappor.bits)]);
    sums->with_bit.push_back((static_cast<double>(ones[at]) - report.risen * devices) / apart);
    variance += devices * report.risen * (1 - report.risen) / (apart * apart);
  }
  sums->deviation = std::sqrt(variance / static_cast<double>(ones.size()));
}

std::vector<FoundText> DecodeBlooms(const BloomSums& sums, absl::Span<const HeldString> candidates,
                                    const RapporSetting& setting) {
  if (candidates.empty()) return {};
  Columns columns;
  for (const HeldString& candidate : candidates) {
    columns.push_back(BitsOf(candidate.text, setting));
  }
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(
      sums.with_bit.data(), static_cast<Eigen::Index>(sums.with_bit.size()));
  const std::vector<size_t> support = SupportOf(Descend(y, columns, sums.deviation).beta);
  const Fit fit = LeastSquares(y, columns, support);
  const double least =
      collector::NormalTailQuantile(kRapporAlpha / static_cast<double>(candidates.size()));
  std::vector<FoundText> found;
  for (size_t at = 0; at < support.size(); ++at) {
    const auto place = static_cast<Eigen::Index>(at);
    const double deviation = sums.deviation * std::sqrt(fit.variances[place]);
    if (!(fit.weights[place] > least * deviation)) continue;
    // A weight is what one cohort holds.
    found.push_back(
        {candidates[support[at]].text, static_cast<double>(setting.cohorts) * fit.weights[place]});
  }
  std::sort(found.begin(), found.end(), [](const FoundText& a, const FoundText& b) {
    return a.devices != b.devices ? a.devices > b.devices : a.text < b.text;
  });
  return found;
}

std::vector<FoundText> FindByRappor(const StringPopulation& population,
                                    const RapporSetting& setting, simulation::Generator& random) {
  return DecodeBlooms(ReportBlooms(population, setting, random), population.strings, setting);
}

}  // namespace tombola::lab
