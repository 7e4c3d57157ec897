#include "common/accounting/loss_grid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace tombola::accounting {
namespace {

constexpr int64_t kMostPoints = int64_t{1} << 23;
constexpr int kTiltSteps = 80;
constexpr double kTiltTolerance = 1e-4;  // of a standard deviation; any tilt is sound

// So far that a million of them are a whole number still.
constexpr double kFarthest = 0x1p40;

int64_t IndexOf(double loss, double step) {
  return static_cast<int64_t>(std::floor(std::clamp(loss / step, -kFarthest, kFarthest)));
}

Cumulant CumulantOf(const GridLaw& law, double step, double t) {
  // Relative to the largest term, so that nothing overflows.
  double largest = -std::numeric_limits<double>::infinity();
  const auto exponent = [&](size_t i) {
    return t * step * static_cast<double>(law.first + static_cast<int64_t>(i));
  };
  if (!law.mass.empty()) largest = std::max(exponent(0), exponent(law.mass.size() - 1));
  double sum = 0;
  double first = 0;
  double second = 0;
  for (size_t i = 0; i < law.mass.size(); ++i) {
    if (law.mass[i] == 0) continue;
    const double weight = law.mass[i] * std::exp(exponent(i) - largest);
    const double at = static_cast<double>(i);
    sum += weight;
    first += weight * at;
    second += weight * at * at;
  }
  const double mean = first / sum;
  const double spread = std::max(0.0, second / sum - mean * mean);
  return {.log_mgf = std::log(sum) + largest,
          .mean = step * (static_cast<double>(law.first) + mean),
          .variance = step * step * spread};
}

}  // namespace

GridLaw OnGrid(const LossPart& part, double step) {
  GridLaw grid{.infinite = part.law.infinite, .uses = part.uses};
  if (part.law.atoms.empty()) return grid;
  const auto [least, most] =
      std::minmax_element(part.law.atoms.begin(), part.law.atoms.end(),
                          [](const LossAtom& a, const LossAtom& b) { return a.loss < b.loss; });
  const int64_t top = IndexOf(most->loss, step) + 1;
  int64_t highest = top;
  grid.first = IndexOf(least->loss, step);
  if (top - grid.first >= kMostPoints) {
    // Around 0 where the losses are on both sides of it, else the highest that there are.
    grid.first = std::max(grid.first, std::min(-kMostPoints / 2, top - kMostPoints + 1));
    highest = std::min(top, grid.first + kMostPoints - 1);
  }
  grid.mass.assign(static_cast<size_t>(highest - grid.first + 1), 0);
  const double whole = std::expm1(-step);
  for (const LossAtom& atom : part.law.atoms) {
    const int64_t below = IndexOf(atom.loss, step);
    if (below < grid.first) {
      grid.mass.front() += atom.mass;
      continue;
    }
    if (below >= highest || atom.loss > kFarthest * step) {
      grid.infinite += atom.mass;
      continue;
    }
    const double beyond = atom.loss - static_cast<double>(below) * step;
    const double share = std::clamp(std::expm1(-beyond) / whole, 0.0, 1.0);
    const size_t at = static_cast<size_t>(below - grid.first);
    grid.mass[at] += atom.mass * (1 - share);
    grid.mass[at + 1] += atom.mass * share;
  }
  return grid;
}

LossSum::LossSum(absl::Span<const LossPart> parts, double step) : step_(step) {
  double log_finite = 0;
  for (const LossPart& part : parts) {
    GridLaw law = OnGrid(part, step);
    while (!law.mass.empty() && law.mass.back() == 0) law.mass.pop_back();
    nothing_finite_ = nothing_finite_ || law.mass.empty();
    uses_ += law.uses;
    most_ += law.uses * law.last();
    log_finite += static_cast<double>(law.uses) * std::log1p(-std::min(1.0, law.infinite));
    laws_.push_back(std::move(law));
  }
  infinite_ = -std::expm1(log_finite);
}

double LossSum::LogMgf(const GridLaw& law, double step, double t) {
  return CumulantOf(law, step, t).log_mgf;
}

Cumulant LossSum::At(double t) const {
  Cumulant all;
  for (const GridLaw& law : laws_) {
    const Cumulant one = CumulantOf(law, step_, t);
    const double uses = static_cast<double>(law.uses);
    all.log_mgf += uses * one.log_mgf;
    all.mean += uses * one.mean;
    all.variance += uses * one.variance;
  }
  return all;
}

// The derivative is the tilted mean less x, which grows with t: Newton's steps within a bracket.
double LossSum::Tilt(double x) const {
  Cumulant here = At(0);
  if (here.mean >= x) return 0;
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  double t = 0;
  for (int i = 0; i < kTiltSteps; ++i) {
    const double gap = x - here.mean;
    if (std::abs(gap) <= kTiltTolerance * std::sqrt(here.variance)) break;
    (gap > 0 ? low : high) = t;
    const double newton = here.variance > 0 ? t + gap / here.variance : high;
    const double furthest = std::isfinite(high) ? high : 4 * std::max(t, 1 / (step_ + std::abs(x)));
    t = newton > low && newton < furthest ? newton
                                          : (std::isfinite(high) ? (low + high) / 2 : furthest);
    if (!(t < 1e12)) return low;
    here = At(t);
  }
  return t;
}

}  // namespace tombola::accounting
