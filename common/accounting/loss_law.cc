#include "common/accounting/loss_law.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "common/base/check.h"

namespace tombola::accounting {
namespace {

enum class Side { kGained, kLost };

// Appends, `scale` times, the atoms of X + shift against X (gained) or of X against X + shift
// (lost). `offset` is added to the former's losses, and taken off the latter's.
void AppendShifted(const NoiseLaw& law, int64_t shift, double offset, double scale, Side side,
                   LossLaw* out) {
  const double sign = side == Side::kGained ? 1 : -1;
  if (shift == 0) {
    out->atoms.push_back({sign * offset, scale});
    return;
  }
  const size_t size = law.pmf.size();
  const size_t moved = std::min(size, static_cast<size_t>(shift));
  for (size_t i = moved; i < size; ++i) {
    const double loss = offset + std::log(law.pmf[i - moved] / law.pmf[i]);
    out->atoms.push_back(
        {sign * loss, scale * (side == Side::kGained ? law.pmf[i - moved] : law.pmf[i])});
  }
  // The points that only P has, and all that the window leaves out.
  double only_here = law.missing();
  for (size_t i = 0; i < moved; ++i) {
    only_here += side == Side::kGained ? law.pmf[size - 1 - i] : law.pmf[i];
  }
  out->infinite += scale * only_here;
}

// Of the finite losses.
double Variance(absl::Span<const LossAtom> atoms) {
  double mass = 0;
  double sum = 0;
  for (const LossAtom& atom : atoms) {
    mass += atom.mass;
    sum += atom.mass * atom.loss;
  }
  if (mass <= 0) return 0;
  const double mean = sum / mass;
  double squares = 0;
  for (const LossAtom& atom : atoms) {
    squares += atom.mass * (atom.loss - mean) * (atom.loss - mean);
  }
  return squares / mass;
}

LossLaw Shifted(const NoiseLaw& law, int64_t units, Side side) {
  TOMBOLA_CHECK(units >= 1);
  LossLaw out;
  out.atoms.reserve(law.pmf.size());
  AppendShifted(law, units, 0, 1, side, &out);
  out.spread = Variance(out.atoms);
  return out;
}

// By the difference z of the two numbers without the units: it is independent of the lesser number,
// Pr[z] = (1 - p)/(1 + p) p^|z|. For z >= units under P the lesser number stays where it was and
// the loss is `units` noise_epsilon; for z <= 0 it moves by `units`, in between by units - z.
LossLaw ShiftedCorrelated(const NoiseLaw& lesser, double noise_epsilon, int64_t units, Side side) {
  TOMBOLA_CHECK(units >= 1);
  const double p = std::exp(-noise_epsilon);
  const double whole = 1 / (1 + p);
  const double point = -std::expm1(-noise_epsilon) * whole;
  const double k = static_cast<double>(units);
  const bool gained = side == Side::kGained;
  LossLaw out;
  AppendShifted(lesser, 0, k * noise_epsilon, gained ? whole : std::exp(-k * noise_epsilon) * whole,
                side, &out);
  for (int64_t z = 1; z < units; ++z) {
    const double at = static_cast<double>(z);
    const double scale = point * std::exp(-noise_epsilon * (gained ? k - at : at));
    AppendShifted(lesser, units - z, -noise_epsilon * (k - 2 * at), scale, side, &out);
  }
  AppendShifted(lesser, units, -k * noise_epsilon,
                gained ? std::exp(-k * noise_epsilon) * whole : whole, side, &out);
  out.unit = noise_epsilon;
  out.spread = Variance(out.atoms);
  return out;
}

// The distance of points that are its whole multiples; 0 where there is none.
double UnitOf(absl::Span<const CurvePoint> points) {
  double unit = points.back().epsilon;
  for (size_t i = 1; i < points.size(); ++i) {
    unit = std::min(unit, points[i].epsilon - points[i - 1].epsilon);
  }
  const bool whole = unit > 0 && std::all_of(points.begin(), points.end(), [&](const auto& point) {
                       const double times = point.epsilon / unit;
                       return std::abs(times - std::round(times)) < 1e-9 * (1 + times);
                     });
  return whole ? unit : 0;
}

// A corner of the curve a -> sup over events S of P(S) - a Q(S), which is convex and falls from 1.
struct Corner {
  long double ratio;  // a
  long double height;
};

long double Slope(const Corner& from, const Corner& to) {
  return (to.height - from.height) / (to.ratio - from.ratio);
}

// The corners of the greatest convex curve below the polygon through them.
std::vector<Corner> ConvexMinorant(const std::vector<Corner>& polygon) {
  std::vector<Corner> hull;
  for (const Corner& corner : polygon) {
    while (hull.size() >= 2 &&
           Slope(hull[hull.size() - 2], hull.back()) >= Slope(hull.back(), corner)) {
      hull.pop_back();
    }
    hull.push_back(corner);
  }
  return hull;
}

}  // namespace

LossLaw Gained(const NoiseLaw& law, int64_t units) { return Shifted(law, units, Side::kGained); }

LossLaw Lost(const NoiseLaw& law, int64_t units) { return Shifted(law, units, Side::kLost); }

LossLaw GainedCorrelated(const NoiseLaw& lesser, double noise_epsilon, int64_t units) {
  return ShiftedCorrelated(lesser, noise_epsilon, units, Side::kGained);
}

LossLaw LostCorrelated(const NoiseLaw& lesser, double noise_epsilon, int64_t units) {
  return ShiftedCorrelated(lesser, noise_epsilon, units, Side::kLost);
}

std::vector<LossPart> SeveralCells(const NoiseLaw& law, int64_t cells, int64_t units) {
  return {{Gained(law, units), cells}, {Lost(law, units), cells}};
}

std::vector<LossPart> SeveralCorrelatedCells(const NoiseLaw& lesser, double noise_epsilon,
                                             int64_t cells) {
  return {{GainedCorrelated(lesser, noise_epsilon), cells},
          {LostCorrelated(lesser, noise_epsilon), cells}};
}

// H_a(P||Q) = 1 - a + a H_{1/a}(Q||P), so a bound on both orders at epsilon is one at -epsilon. The
// mass of Q at a corner is by how much the slope changes there, that of P the ratio times as much,
// and what is left of the height at the last corner cannot occur under Q.
LossLaw FromCurve(absl::Span<const CurvePoint> points) {
  TOMBOLA_CHECK(!points.empty() && points.front().epsilon >= 0);
  std::vector<Corner> polygon = {{0, 1}};
  for (size_t i = points.size(); i-- > 0;) {
    if (points[i].epsilon <= 0) continue;
    const long double ratio = std::exp(-static_cast<long double>(points[i].epsilon));
    polygon.push_back({ratio, 1 - ratio + ratio * std::min(1.0, points[i].delta)});
  }
  for (const CurvePoint& point : points) {
    polygon.push_back(
        {std::exp(static_cast<long double>(point.epsilon)), std::min(1.0, point.delta)});
  }
  for (size_t i = 1; i < polygon.size(); ++i)
    TOMBOLA_CHECK(polygon[i].ratio > polygon[i - 1].ratio);
  // A curve that falls stays below what it had before.
  for (size_t i = 1; i < polygon.size(); ++i) {
    polygon[i].height = std::min(polygon[i].height, polygon[i - 1].height);
  }
  const std::vector<Corner> hull = ConvexMinorant(polygon);
  LossLaw law;
  for (size_t i = 1; i < hull.size(); ++i) {
    const long double before = Slope(hull[i - 1], hull[i]);
    const long double after = i + 1 < hull.size() ? Slope(hull[i], hull[i + 1]) : 0;
    const long double mass = hull[i].ratio * std::max(after - before, 0.0L);
    if (mass > 0) {
      law.atoms.push_back(
          {static_cast<double>(std::log(hull[i].ratio)), static_cast<double>(mass)});
    }
  }
  law.infinite = static_cast<double>(hull.back().height);
  law.unit = UnitOf(points);
  law.spread = law.unit > 0 ? 0 : Variance(law.atoms);
  return law;
}

}  // namespace tombola::accounting
