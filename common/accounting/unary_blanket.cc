#include "common/accounting/unary_blanket.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/accounting/binomial.h"
#include "common/accounting/blanket.h"
#include "common/accounting/epsilon_search.h"
#include "common/accounting/fourier.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
constexpr double kRoundingMargin = 1e-9;
constexpr double kRoundingOfOneReport = 1e-13;
constexpr double kLargestLocalEpsilon = 700;
// So many sums of ratios are compared pair by pair; so many pairs for all m of a small batch.
constexpr double kMostExactSums = 2000;
constexpr double kMostExactPairs = 1e7;
constexpr double kStepsPerDeviation = 32;
constexpr double kReach = 9;  // standard deviations, on each side of 0
constexpr double kTailShare = 1e-9;
constexpr size_t kMostPoints = size_t{1} << 22;

double Rho(const UnaryReports& reports) {
  return reports.kept * (1 - reports.risen) / (reports.risen * (1 - reports.kept));
}

// A value and its probability.
struct Atom {
  double at = 0;
  double mass = 0;
};

// rho^a for a ~ Bin(hashes, risen).
std::vector<Atom> RatioLaw(const UnaryReports& reports) {
  const Binomial ones{reports.hashes, reports.risen, 1 - reports.risen};
  const double log_rho = std::log(Rho(reports));
  std::vector<Atom> law;
  for (int64_t a = 0; a <= reports.hashes; ++a) {
    law.push_back({std::exp(static_cast<double>(a) * log_rho), BinomialPmf(ones, a)});
  }
  return law;
}

// C(m + hashes, hashes): how many sums of m ratios there are, or what is surely too many.
double SumsOf(int64_t m, int64_t hashes) {
  double sums = 1;
  for (int64_t i = 1; i <= hashes && sums < 1e12; ++i) {
    sums *= static_cast<double>(m + i) / static_cast<double>(i);
  }
  return sums;
}

// Sums of m ratios, by how many of the m have each number of ones. `count` are left for those from
// `index` on, which each has with probability `rest`; the others have that of `sum`.
void AddSums(const std::vector<Atom>& law, size_t index, int64_t count, double rest, Atom sum,
             std::vector<Atom>* sums) {
  if (index + 1 == law.size()) {
    sums->push_back({sum.at + static_cast<double>(count) * law[index].at, sum.mass});
    return;
  }
  double beyond = 0;
  for (size_t i = index + 1; i < law.size(); ++i) beyond += law[i].mass;
  const Binomial with{count, law[index].mass / rest, beyond / rest};
  for (int64_t k = 0; k <= count; ++k) {
    const Atom next = {sum.at + static_cast<double>(k) * law[index].at,
                       sum.mass * BinomialPmf(with, k)};
    if (next.mass > 0) AddSums(law, index + 1, count - k, beyond, next, sums);
  }
}

// E[(X_1 + ... + X_m)_+], all terms being positive.
double ExactExcess(int64_t m, const UnaryReports& reports, double epsilon) {
  std::vector<Atom> sums;
  AddSums(RatioLaw(reports), 0, m, 1, {0, 1}, &sums);
  const double growth = std::exp(epsilon);
  double excess = 0;
  for (const Atom& a : sums) {
    for (const Atom& b : sums) {
      const double beyond = a.at - growth * b.at;
      if (beyond > 0) excess += a.mass * b.mass * beyond;
    }
  }
  return excess;
}

// The law of one term on a grid: each atom on the two points beside it, its mean kept.
struct TermLaw {
  struct Point {
    int64_t at = 0;  // in steps
    double mass = 0;
  };
  double step = 0;
  std::vector<Point> points;  // in any order

  double Place(const Point& point) const { return step * static_cast<double>(point.at); }
};

// Y: X with probability `blanket`, else 0.
std::vector<Atom> Terms(const UnaryReports& reports, double blanket, double epsilon) {
  const std::vector<Atom> ratios = RatioLaw(reports);
  const double growth = std::exp(epsilon);
  std::vector<Atom> terms = {{0, 1 - blanket}};
  for (const Atom& a : ratios) {
    for (const Atom& b : ratios) {
      terms.push_back({a.at - growth * b.at, blanket * a.mass * b.mass});
    }
  }
  return terms;
}

double DeviationOf(const std::vector<Atom>& terms) {
  double mean = 0;
  double square = 0;
  for (const Atom& term : terms) {
    mean += term.mass * term.at;
    square += term.mass * term.at * term.at;
  }
  return std::sqrt(std::max(square - mean * mean, std::numeric_limits<double>::min()));
}

TermLaw OnGrid(const std::vector<Atom>& terms, double step) {
  TermLaw law{.step = step};
  for (const Atom& term : terms) {
    const double place = term.at / step;
    const double below = std::floor(place);
    // A little more goes up than should: the mean may not fall by rounding.
    const double share = std::min(1.0, place - below + 4 * kUnit * std::abs(place));
    const auto at = static_cast<int64_t>(below);
    law.points.push_back({at, term.mass * (1 - share)});
    law.points.push_back({at + 1, term.mass * share});
  }
  return law;
}

// Under the law tilted by t, e^(t Y) / M(t).
struct Tilted {
  double log_mgf = 0;
  double mean = 0;
  double variance = 0;
};

Tilted At(const TermLaw& law, double t) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const TermLaw::Point& point : law.points) {
    if (point.mass > 0) largest = std::max(largest, t * law.Place(point));
  }
  double sum = 0;
  double first = 0;
  double second = 0;
  for (const TermLaw::Point& point : law.points) {
    if (point.mass == 0) continue;
    const double place = law.Place(point);
    const double weight = point.mass * std::exp(t * place - largest);
    sum += weight;
    first += weight * place;
    second += weight * place * place;
  }
  const double mean = first / sum;
  return {.log_mgf = std::log(sum) + largest,
          .mean = mean,
          .variance = std::max(0.0, second / sum - mean * mean)};
}

// The t >= 0 at which the tilted mean is about x; any t is sound.
double TiltTo(const TermLaw& law, double x) {
  double low = 0;
  double high = 1 / std::sqrt(std::max(At(law, 0).variance, 1e-300));
  for (int i = 0; i < 60 && At(law, high).mean < x; ++i) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (At(law, middle).mean < x ? low : high) = middle;
  }
  return high;
}

// At least ln E[S; S >= x] for the sum S of `count` terms, x > 0: s <= x e^((s - x) / x) there, so
// that the expectation is at most x e^(-1 - t x) M(t + 1/x)^count, for any t >= 0.
double LogTail(const TermLaw& law, double count, double x) {
  const double t = std::max(TiltTo(law, x / count), 1 / x);
  return std::log(x) + count * At(law, t).log_mgf - t * x;
}

size_t Wrapped(int64_t index, size_t points) { return static_cast<size_t>(index) & (points - 1); }

double Norm(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

// E[S_+] = M(t)^count E_t[e^(-t S) S_+] for the sum of `count` terms, the tilted mean being 0.
double GridExcess(const std::vector<Atom>& terms, int64_t count) {
  const double uses = static_cast<double>(count);
  const double spread = DeviationOf(terms) * std::sqrt(uses);
  // As fine as wanted, or as a window of the most points allows.
  const double step = std::max(DeviationOf(terms) / kStepsPerDeviation,
                               4 * kReach * spread / static_cast<double>(kMostPoints));
  const TermLaw law = OnGrid(terms, step);
  const double tilt = TiltTo(law, 0);
  const Tilted tilted = At(law, tilt);
  const double deviation = std::sqrt(uses * tilted.variance);
  const double log_scale = uses * tilted.log_mgf;
  double above = std::max(4 * step, kReach * deviation);
  while (LogTail(law, uses, above) > log_scale + std::log(kTailShare * deviation) &&
         above < step * static_cast<double>(kMostPoints)) {
    above *= 1.3;
  }
  const double wanted = (above + kReach * deviation) / step + 8;
  const size_t points = std::bit_ceil(
      std::clamp(static_cast<size_t>(std::min(wanted, 1e9)), size_t{16}, kMostPoints));
  const auto end = static_cast<int64_t>(
      std::min(above / step, static_cast<double>(points) * above / (above + kReach * deviation)));
  ComplexPoints sum{std::vector<double>(points), std::vector<double>(points)};
  for (const TermLaw::Point& point : law.points) {
    if (point.mass == 0) continue;
    sum.real[Wrapped(point.at, points)] +=
        point.mass * std::exp(tilt * law.Place(point) - tilted.log_mgf);
  }
  // Transforms of laws have absolute values of at most 1: errors of factors add up, as in
  // product.cc.
  const Fourier fourier(points);
  const double multiplied = 16 * kUnit * uses;
  double error = multiplied + uses * fourier.RelativeError() * Norm(sum.real);
  fourier.Forward(&sum);
  ComplexPoints power{std::vector<double>(points, 1), std::vector<double>(points)};
  MultiplyByPower(sum, count, &power);
  sum = std::move(power);
  fourier.Inverse(&sum);
  for (double& value : sum.real) value = std::max(value, 0.0);
  error = 2 * (error + (fourier.RelativeError() + multiplied) * Norm(sum.real));
  double expected = 0;
  double squares = 0;
  for (int64_t at = 1; at < end; ++at) {
    const double s = step * static_cast<double>(at);
    const double value = s * std::exp(-tilt * s);
    expected += sum.real[Wrapped(at, points)] * value;
    squares += value * value;
  }
  const double tail =
      std::exp(LogTail(law, uses, step * static_cast<double>(std::max<int64_t>(end, 1))));
  const double margin = 1 + kRoundingMargin + kRoundingOfOneReport * uses;
  return (std::exp(log_scale) * (expected + std::sqrt(squares) * error) + tail) * margin;
}

// The divergence of one report by itself, between values without a common bit.
double LocalDelta(const UnaryReports& reports, double epsilon) {
  if (epsilon >= LocalEpsilon(reports)) return 0;
  const Binomial kept{reports.hashes, reports.kept, 1 - reports.kept};
  const Binomial risen{reports.hashes, reports.risen, 1 - reports.risen};
  const double growth = std::exp(epsilon);
  double delta = 0;
  for (int64_t a = 0; a <= reports.hashes; ++a) {
    for (int64_t b = 0; b <= reports.hashes; ++b) {
      delta += std::max(0.0, BinomialPmf(kept, a) * BinomialPmf(risen, b) -
                                 growth * BinomialPmf(risen, a) * BinomialPmf(kept, b));
    }
  }
  return std::min(1.0, delta * (1 + kRoundingMargin));
}

double ExactDelta(const UnaryReports& reports, double epsilon) {
  const double blanket = BlanketOf(reports);
  const Binomial others{reports.honest - 1, blanket, 1 - blanket};
  double delta = 0;
  for (int64_t m = 1; m <= reports.honest; ++m) {
    delta += BinomialPmf(others, m - 1) * blanket / static_cast<double>(m) *
             ExactExcess(m, reports, epsilon);
  }
  return delta * (1 + kRoundingMargin);
}

bool IsSmall(const UnaryReports& reports) {
  double pairs = 0;
  for (int64_t m = 1; m <= reports.honest; ++m) {
    const double sums = SumsOf(m, reports.hashes);
    pairs += sums * sums;
    if (sums > kMostExactSums || pairs > kMostExactPairs) return false;
  }
  return true;
}

}  // namespace

absl::Status Validate(const UnaryReports& reports) {
  const auto refused = [](absl::string_view field, absl::string_view bound, auto value) {
    return absl::InvalidArgumentError(absl::StrCat(field, " must be ", bound, ", is ", value));
  };
  if (reports.honest < 1 || reports.honest > kLargestUnaryBatch) {
    return refused("honest", "in [1, 2^30]", reports.honest);
  }
  if (reports.hashes < 1 || reports.hashes > kMostHashes) {
    return refused("hashes", "in [1, 256]", reports.hashes);
  }
  if (!(reports.risen > 0 && reports.risen < 1)) {
    return refused("risen", "in (0, 1)", reports.risen);
  }
  if (!(reports.kept > reports.risen && reports.kept < 1)) {
    return refused("kept", absl::StrCat("in (", reports.risen, ", 1)"), reports.kept);
  }
  if (LocalEpsilon(reports) > kLargestLocalEpsilon) {
    return refused("the local epsilon", "at most 700", LocalEpsilon(reports));
  }
  return absl::OkStatus();
}

double LocalEpsilon(const UnaryReports& reports) {
  return static_cast<double>(reports.hashes) * std::log(Rho(reports)) *
         (1 + 8 * std::numeric_limits<double>::epsilon());
}

double BlanketOf(const UnaryReports& reports) {
  return std::pow((1 - reports.kept) / (1 - reports.risen), static_cast<double>(reports.hashes));
}

double UnaryGivenMessages(int64_t m, const UnaryReports& reports, double epsilon) {
  const double scale = BlanketOf(reports) / static_cast<double>(m);
  const double excess = SumsOf(m, reports.hashes) <= kMostExactSums
                            ? ExactExcess(m, reports, epsilon)
                            : GridExcess(Terms(reports, 1, epsilon), m);
  return std::min(1.0, scale * excess);
}

absl::StatusOr<double> UnaryDelta(const UnaryReports& reports, double epsilon) {
  TOMBOLA_RETURN_IF_ERROR(Validate(reports));
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  const double local = LocalDelta(reports, epsilon);
  if (local == 0) return 0;
  const double delta =
      IsSmall(reports) ? ExactDelta(reports, epsilon)
                       : GridExcess(Terms(reports, BlanketOf(reports), epsilon), reports.honest) /
                             static_cast<double>(reports.honest);
  return std::min(delta, local);
}

absl::StatusOr<double> UnaryEpsilon(const UnaryReports& reports, double delta) {
  TOMBOLA_RETURN_IF_ERROR(Validate(reports));
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(delta));
  const absl::StatusOr<double> epsilon =
      SmallestEpsilon([&](double at) { return UnaryDelta(reports, at); }, delta);
  if (absl::IsFailedPrecondition(epsilon.status())) return LocalEpsilon(reports);
  TOMBOLA_RETURN_IF_ERROR(epsilon.status());
  return std::min(*epsilon, LocalEpsilon(reports));
}

}  // namespace tombola::accounting
