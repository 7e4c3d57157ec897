// ln |gamma(x)|, which std::lgamma also has, but with a write to a global variable.
#ifndef TOMBOLA_TESTS_SUPPORT_LOG_GAMMA_H_
#define TOMBOLA_TESTS_SUPPORT_LOG_GAMMA_H_

#include <cmath>

namespace tombola {

inline double LogGamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

}  // namespace tombola

#endif  // TOMBOLA_TESTS_SUPPORT_LOG_GAMMA_H_
