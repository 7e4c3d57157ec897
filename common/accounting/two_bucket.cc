#include "common/accounting/two_bucket.h"

#include <algorithm>
#include <cmath>

#include "common/accounting/blanket.h"
#include "common/accounting/epsilon_search.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kRoundingMargin = 1e-9;
constexpr double kLargestExponent = 700;

// E[(rho(X) - x)_+] over the window for a falling sequence of thresholds x. Walking down, every
// update adds, so nothing cancels.
class RatioExcess {
 public:
  explicit RatioExcess(const NoiseLaw& law) : law_(law), at_(law.pmf.size()) {}

  // rho at the window's index i; the first point's is 0, as outside there is nothing.
  double Ratio(size_t i) const { return i == 0 ? 0 : law_.pmf[i - 1] / law_.pmf[i]; }

  double Above(double threshold) {
    while (at_ > 0 && Ratio(at_ - 1) > threshold) {
      --at_;
      const double ratio = Ratio(at_);
      if (tail_ > 0) excess_ += std::max(0.0, ratio_ - ratio) * tail_;
      tail_ += law_.pmf[at_];
      ratio_ = ratio;
    }
    return tail_ > 0 ? excess_ + (ratio_ - threshold) * tail_ : 0;
  }

 private:
  const NoiseLaw& law_;
  size_t at_;          // the smallest index whose ratio exceeds the last threshold
  double ratio_ = 0;   // rho there
  double tail_ = 0;    // the window's mass from there on
  double excess_ = 0;  // E[(rho(X) - ratio_)_+]
};

}  // namespace

// The window's law f' is a part of f, so f'(a-1) f'(b) is less than f(a-1) f(b) by 2 missing() in
// total, and the divergence of f is at most that of f' plus this. f' ends at high(): the count
// high() + 1 is possible for v only.
absl::StatusOr<double> TwoBucketDelta(const NoiseLaw& law, double epsilon) {
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  const double growth = std::exp(std::min(epsilon, kLargestExponent));
  RatioExcess excess(law);
  double sum = law.pmf.back() + 2 * law.missing();
  for (size_t b = law.pmf.size(); b-- > 0;) {
    sum += law.pmf[b] * excess.Above(growth * excess.Ratio(b));
  }
  return std::min(1.0, sum * (1 + kRoundingMargin));
}

absl::StatusOr<double> TwoBucketEpsilon(const NoiseLaw& law, double delta) {
  return SmallestEpsilon([&](double epsilon) { return TwoBucketDelta(law, epsilon); }, delta);
}

}  // namespace tombola::accounting
