#include "common/accounting/binomial_excess.h"

#include <algorithm>
#include <cmath>

namespace tombola::accounting {
namespace {

constexpr double kNegligibleTerm = 1e-22;

}  // namespace

double BinomialExcess::At(int64_t trials, double part, double threshold) {
  const double count = static_cast<double>(trials);
  if (threshold >= count + (part > 0 ? 1 : 0)) return 0;
  if (law_.failure <= 0) {
    return (1 - part) * std::max(0.0, count - threshold) + part * (count + 1 - threshold);
  }
  const int64_t point = static_cast<int64_t>(std::floor(threshold)) + 1;
  if (!WalkTo(trials, point)) Restart(trials, point);
  // E[(X - x)_+] is linear in x between two integers.
  const double above = static_cast<double>(point) - threshold;
  const double whole = excess_ + above * tail_;
  if (part <= 0) return whole;
  // (X + 1 - x)_+ - (X - x)_+ is 1 from the point on and `above` one below it.
  return whole + part * law_.success * (tail_ + above * PmfBelowPoint());
}

double BinomialExcess::PmfBelowPoint() const {
  return pmf_ > kLeastSteppedPmf ? PmfOneBelow(law_, point_, pmf_) : BinomialPmf(law_, point_ - 1);
}

bool BinomialExcess::WalkTo(int64_t trials, int64_t point) {
  if (!walking_ || trials < law_.trials || point > point_) return false;
  if ((trials - law_.trials) + (point_ - point) > reach_) return false;
  while (law_.trials < trials) AddTrial();
  while (point_ > point) LowerPoint();
  return true;
}

void BinomialExcess::Restart(int64_t trials, int64_t point) {
  law_.trials = trials;
  point_ = point;
  pmf_ = BinomialPmf(law_, point);
  if (static_cast<double>(point) >= law_.mean()) {
    RestartFromAbove();
  } else {
    RestartFromBelow();
  }
  reach_ = std::max<int64_t>(32, static_cast<int64_t>(std::sqrt(law_.variance())));
  steps_ = 0;
  walking_ = pmf_ > kLeastSteppedPmf;
}

void BinomialExcess::RestartFromAbove() {
  double term = pmf_;
  tail_ = term;
  excess_ = 0;
  for (int64_t k = point_; k < law_.trials; ++k) {
    term = PmfOneAbove(law_, k, term);
    const double share = static_cast<double>(k + 1 - point_) * term;
    tail_ += term;
    excess_ += share;
    if (share <= kNegligibleTerm * excess_) break;
  }
}

// E[(X - A)_+] = E[X] - A + E[(A - X)_+].
void BinomialExcess::RestartFromBelow() {
  double term = pmf_;
  double mass = 0;
  double shortfall = 0;
  for (int64_t k = point_; k > 0; --k) {
    term = PmfOneBelow(law_, k, term);
    const double share = static_cast<double>(point_ - (k - 1)) * term;
    mass += term;
    shortfall += share;
    if (share <= kNegligibleTerm * shortfall) break;
  }
  tail_ = std::max(0.0, 1 - mass);
  excess_ = (law_.mean() - static_cast<double>(point_)) + shortfall;
}

// With one Bernoulli B more, (X + B - A)_+ - (X - A)_+ = B 1{X >= A}, and 1{X + B >= A} -
// 1{X >= A} = B 1{X = A - 1}.
void BinomialExcess::AddTrial() {
  const double below = PmfOneBelow(law_, point_, pmf_);
  excess_ += law_.success * tail_;
  tail_ += law_.success * below;
  pmf_ = law_.failure * pmf_ + law_.success * below;
  ++law_.trials;
  CountStep();
}

void BinomialExcess::LowerPoint() {
  excess_ += tail_;
  pmf_ = PmfOneBelow(law_, point_, pmf_);
  tail_ += pmf_;
  --point_;
  CountStep();
}

void BinomialExcess::CountStep() {
  if (++steps_ < kPmfStepsPerAnchor) return;
  steps_ = 0;
  pmf_ = BinomialPmf(law_, point_);
}

}  // namespace tombola::accounting
