#include "lab/numbers/local_mean.h"

#include <cmath>

#include "cli/simulation/distributions.h"

namespace tombola::lab {
namespace {

using simulation::Generator;
using simulation::Uniform;

// Below it the hybrid is Duchi's alone.
constexpr double kHybridEpsilon = 0.61;

double DuchiReach(double epsilon) { return 1 / std::tanh(epsilon / 2); }

double DrawLaplace(double number, double epsilon, Generator& random) {
  return number + simulation::Laplace(2 / epsilon, random);
}
double LaplaceVariance(double, double epsilon) { return 8 / (epsilon * epsilon); }

double DrawDuchi(double number, double epsilon, Generator& random) {
  const double reach = DuchiReach(epsilon);
  return Uniform(random) < DuchiPlus(number, epsilon) ? reach : -reach;
}
double DuchiVariance(double number, double epsilon) {
  return std::pow(DuchiReach(epsilon), 2) - number * number;
}

double DrawPiecewise(double number, double epsilon, Generator& random) {
  const PiecewiseLaw law = PiecewiseLawOf(number, epsilon);
  const double width = law.end - law.begin;
  if (Uniform(random) < law.inside * width) return law.begin + width * Uniform(random);
  const double outside = -law.reach + (2 * law.reach - width) * Uniform(random);
  return outside < law.begin ? outside : outside + width;
}
double PiecewiseVariance(double number, double epsilon) {
  const double less = std::expm1(epsilon / 2);
  return number * number / less + (less + 4) / (3 * less * less);
}

double HybridShare(double epsilon) {
  return epsilon > kHybridEpsilon ? -std::expm1(-epsilon / 2) : 0;
}
double DrawHybrid(double number, double epsilon, Generator& random) {
  return Uniform(random) < HybridShare(epsilon) ? DrawPiecewise(number, epsilon, random)
                                                : DrawDuchi(number, epsilon, random);
}
double HybridVariance(double number, double epsilon) {
  const double share = HybridShare(epsilon);
  return share * PiecewiseVariance(number, epsilon) + (1 - share) * DuchiVariance(number, epsilon);
}

constexpr MeanMethod kMeanMethods[] = {
    {"local_laplace", "Laplace, local", "Dwork et al. 2006", DrawLaplace, LaplaceVariance},
    {"duchi", "Duchi, Harmony", "Duchi et al. 2013; Nguyen et al. 2016", DrawDuchi, DuchiVariance},
    {"piecewise", "piecewise", "Wang et al. 2019", DrawPiecewise, PiecewiseVariance},
    {"hybrid", "hybrid", "Wang et al. 2019", DrawHybrid, HybridVariance},
};

}  // namespace

absl::Span<const MeanMethod> MeanMethods() { return kMeanMethods; }

PiecewiseLaw PiecewiseLawOf(double number, double epsilon) {
  const double root = std::exp(epsilon / 2);
  PiecewiseLaw law = {.reach = (root + 1) / (root - 1)};
  law.begin = (law.reach + 1) / 2 * number - (law.reach - 1) / 2;
  law.end = law.begin + law.reach - 1;
  law.inside = (root * root - root) / (2 * root + 2);
  return law;
}

double DuchiPlus(double number, double epsilon) { return (1 + number / DuchiReach(epsilon)) / 2; }

}  // namespace tombola::lab
