// Numbers for people that stay on the safe side of what they stand for.
#ifndef TOMBOLA_COMMON_BASE_DECIMAL_H_
#define TOMBOLA_COMMON_BASE_DECIMAL_H_

#include <string>

namespace tombola {

// A decimal of at most `digits` significant digits (1 to 17) which, read back as a double, is never
// below `value` (RoundedUp) or never above it (RoundedDown), and of those the nearest. So what is
// printed of an upper bound, such as an epsilon or a delta, is itself one, and a number that was
// written with so few digits reads as it was written: the double nearest to 1e-6 is "1e-06". No
// number above 0 is rounded up or down to 0.
//
// Written as by printf's %g, whatever the locale: without zeros at the end, with an exponent below
// 1e-4 and where the digits do not reach the point. Infinities are "inf" and "-inf", NaN is "nan".
// A decimal above the largest double reads back as infinity.
std::string RoundedUp(double value, int digits);
std::string RoundedDown(double value, int digits);

// A probability in (0, 1) in percent, such as "95" or "99.99999": the nearest decimal of so many
// significant digits, or of as many more as it takes to tell its distance to 100 within a hundredth
// of that. So what is not certain is never "100".
std::string PercentText(double probability, int digits);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_DECIMAL_H_
