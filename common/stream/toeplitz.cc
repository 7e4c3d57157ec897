#include "common/stream/toeplitz.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "common/base/check.h"

namespace tombola::stream {
namespace {

constexpr int kHalvings = 200;
constexpr int kRounds = 6;  // each with a fresh simplex around the best point so far
constexpr int kStepsOfARound = 1500;

// The sum of r^k over 0 <= k < n, |r| < 1.
double Geometric(double ratio, int64_t n) {
  return (1 - std::pow(ratio, static_cast<double>(n))) / (1 - ratio);
}

// The sum over 0 <= k < n of (constant + sum of weight_i ratio_i^k)^2.
double SumOfSquares(double constant, absl::Span<const double> weight,
                    absl::Span<const double> ratio, int64_t n) {
  double sum = constant * constant * static_cast<double>(n);
  for (size_t i = 0; i < weight.size(); ++i) {
    sum += 2 * constant * weight[i] * Geometric(ratio[i], n);
    for (size_t j = 0; j < weight.size(); ++j) {
      sum += weight[i] * weight[j] * Geometric(ratio[i] * ratio[j], n);
    }
  }
  return sum;
}

// A point of the search: ln(1 - theta_i), then ln omega_i.
using Point = std::vector<double>;

Blt BltAt(const Point& point) {
  const size_t buffers = point.size() / 2;
  std::vector<size_t> order(buffers);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return point[a] > point[b]; });
  Blt blt;
  for (const size_t i : order) {
    blt.theta.push_back(-std::expm1(point[i]));
    blt.omega.push_back(std::exp(point[buffers + i]));
  }
  return blt;
}

// The largest variance of a total, or what no point that will do has.
double Cost(const Point& point, int64_t periods) {
  constexpr double kHopeless = 1e300;
  for (size_t i = 0; i < point.size(); ++i) {
    const bool theta = i < point.size() / 2;
    if (point[i] > (theta ? -1e-3 : 2) || point[i] < (theta ? -18 : -12)) return kHopeless;
  }
  const Blt blt = BltAt(point);
  for (size_t i = 1; i < blt.theta.size(); ++i) {
    if (blt.theta[i] - blt.theta[i - 1] < 1e-4 * (1 - blt.theta[i])) return kHopeless;
  }
  const BltTotals totals = TotalsOf(blt);
  if (!(totals.decay.front() > -0.99) || std::abs(totals.decay.front()) < 1e-9) return kHopeless;
  const double cost = SquaredColumn(blt, periods, 0) * SquaredTotals(totals, periods);
  return std::isfinite(cost) && cost >= 1 ? cost : kHopeless;
}

// Nelder and Mead's search, from a simplex around `point`.
Point Descend(Point point, double size, int64_t periods) {
  const size_t n = point.size();
  struct Corner {
    Point at;
    double cost;
  };
  std::vector<Corner> simplex = {{point, Cost(point, periods)}};
  for (size_t i = 0; i < n; ++i) {
    Point moved = point;
    moved[i] += size;
    simplex.push_back({moved, Cost(moved, periods)});
  }
  const auto by_cost = [](const Corner& a, const Corner& b) { return a.cost < b.cost; };
  for (int step = 0; step < kStepsOfARound; ++step) {
    std::sort(simplex.begin(), simplex.end(), by_cost);
    if (simplex.back().cost - simplex.front().cost <= 1e-10 * simplex.front().cost) break;
    Point middle(n);
    for (size_t c = 0; c < n; ++c) {
      for (size_t i = 0; i < n; ++i) middle[i] += simplex[c].at[i] / static_cast<double>(n);
    }
    const auto along = [&](double factor) {
      Point at(n);
      for (size_t i = 0; i < n; ++i) {
        at[i] = middle[i] + factor * (simplex.back().at[i] - middle[i]);
      }
      const double cost = Cost(at, periods);
      return Corner{std::move(at), cost};
    };
    Corner reflected = along(-1);
    if (reflected.cost < simplex.front().cost) {
      Corner further = along(-2);
      simplex.back() = further.cost < reflected.cost ? std::move(further) : std::move(reflected);
      continue;
    }
    if (reflected.cost < simplex[n - 1].cost) {
      simplex.back() = std::move(reflected);
      continue;
    }
    Corner nearer = along(reflected.cost < simplex.back().cost ? -0.5 : 0.5);
    if (nearer.cost < std::min(reflected.cost, simplex.back().cost)) {
      simplex.back() = std::move(nearer);
      continue;
    }
    for (size_t c = 1; c <= n; ++c) {
      for (size_t i = 0; i < n; ++i) {
        simplex[c].at[i] = (simplex[c].at[i] + simplex[0].at[i]) / 2;
      }
      simplex[c].cost = Cost(simplex[c].at, periods);
    }
  }
  return std::min_element(simplex.begin(), simplex.end(), by_cost)->at;
}

double OnGrid(double value) {
  return std::ldexp(std::round(std::ldexp(value, kBltBits)), -kBltBits);
}

}  // namespace

std::vector<int64_t> SquareRootColumn(int64_t periods) {
  TOMBOLA_CHECK(periods >= 1 && periods <= kMostSquareRootPeriods);
  std::vector<int64_t> column;
  double f = 1;
  for (int64_t k = 0; k < periods; ++k) {
    if (k > 0) f *= static_cast<double>(2 * k - 1) / static_cast<double>(2 * k);
    column.push_back(std::llround(std::ldexp(f, kSquareRootBits)));
  }
  return column;
}

std::vector<double> TotalsColumn(absl::Span<const int64_t> column) {
  TOMBOLA_CHECK(!column.empty() && column[0] == int64_t{1} << kSquareRootBits);
  std::vector<double> c;
  for (const int64_t value : column) {
    c.push_back(std::ldexp(static_cast<double>(value), -kSquareRootBits));
  }
  std::vector<double> inverse = {1};
  for (size_t k = 1; k < c.size(); ++k) {
    double sum = 0;
    for (size_t j = 1; j <= k; ++j) sum += c[j] * inverse[k - j];
    inverse.push_back(-sum);
  }
  std::partial_sum(inverse.begin(), inverse.end(), inverse.begin());
  return inverse;
}

double SquaredColumn(const Blt& blt, int64_t periods, double slack) {
  return (1 + slack) * (1 + slack) + SumOfSquares(slack, blt.omega, blt.theta, periods - 1);
}

// C(x) = 1 + sum of omega_i x / (1 - theta_i x) has the zeros 1/s with 1 + sum of
// omega_i / (s - theta_i) = 0, which falls between two thetas from +infinity to -infinity, and
// below the first from 1. 1/C is the quotient of the products of 1 - theta_i x and of 1 - s_i x,
// and b_k are the partial fractions of that over 1 - x.
BltTotals TotalsOf(const Blt& blt) {
  const size_t buffers = blt.theta.size();
  const double sum = std::accumulate(blt.omega.begin(), blt.omega.end(), 0.0);
  BltTotals totals;
  for (size_t i = 0; i < buffers; ++i) {
    double low = i == 0 ? blt.theta[0] - sum : blt.theta[i - 1];
    double high = blt.theta[i];
    for (int halving = 0; halving < kHalvings; ++halving) {
      const double middle = (low + high) / 2;
      if (middle <= low || middle >= high) break;
      double value = 1;
      for (size_t j = 0; j < buffers; ++j) value += blt.omega[j] / (middle - blt.theta[j]);
      (value > 0 ? low : high) = middle;
    }
    totals.decay.push_back((low + high) / 2);
  }
  totals.constant = 1;
  for (size_t i = 0; i < buffers; ++i) {
    totals.constant *= (1 - blt.theta[i]) / (1 - totals.decay[i]);
    const double s = totals.decay[i];
    double weight = s - blt.theta[i];
    for (size_t j = 0; j < buffers; ++j) {
      if (j != i) weight *= (s - blt.theta[j]) / (s - totals.decay[j]);
    }
    totals.weight.push_back(weight / (s - 1));
  }
  return totals;
}

double SquaredTotals(const BltTotals& totals, int64_t periods) {
  return SumOfSquares(totals.constant, totals.weight, totals.decay, periods);
}

Blt SearchBlt(int64_t periods, int buffers) {
  TOMBOLA_CHECK(periods >= 1 && buffers >= 1 && buffers <= 5);
  // 1 - theta spread evenly in its logarithm between about a half and a third of the last period.
  Point point(static_cast<size_t>(2 * buffers));
  const double last = std::log(1 / (3 * static_cast<double>(periods) + 3));
  for (int i = 0; i < buffers; ++i) {
    const double share = (i + 0.5) / buffers;
    point[static_cast<size_t>(i)] = -0.3 + share * (last + 0.3);
    point[static_cast<size_t>(buffers + i)] = point[static_cast<size_t>(i)] / 2 - 0.5;
  }
  double size = 1;
  for (int round = 0; round < kRounds; ++round, size /= 2) point = Descend(point, size, periods);
  Blt blt = BltAt(point);
  for (double& theta : blt.theta) theta = OnGrid(theta);
  for (double& omega : blt.omega) omega = OnGrid(omega);
  return blt;
}

}  // namespace tombola::stream
