#include "common/accounting/composition.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"

namespace tombola::accounting {

EpsilonDelta GroupPrivacy(const EpsilonDelta& single, int64_t k) {
  TOMBOLA_CHECK(k >= 1 && single.epsilon > 0);
  if (k == 1) return single;
  const double times = static_cast<double>(k);
  const double factor = std::expm1(times * single.epsilon) / std::expm1(single.epsilon);
  // The factor's rounding must not make the statement better than the truth.
  const double delta = single.delta * factor * (1 + 1e-12);
  return {.epsilon = times * single.epsilon, .delta = std::min(1.0, delta)};
}

}  // namespace tombola::accounting
