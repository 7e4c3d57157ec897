// A scheme and its parameters, for scripts and for people.
#ifndef TOMBOLA_COMMON_JSON_MECHANISM_H_
#define TOMBOLA_COMMON_JSON_MECHANISM_H_

#include <string>

#include "common/json/text.h"
#include "common/scheme/scheme.h"

namespace tombola {

// A number, or null for one that is infinite: JSON has none.
Json FiniteOrNull(double number);

// range, local_epsilon, dummies and fakes always, null where the scheme has none; the others
// where it has them.
Json ParametersJson(const mechanism::Scheme& scheme);

// The same in a line, such as "range 2287, local epsilon 8.52".
std::string DescribeParameters(const mechanism::Scheme& scheme);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_MECHANISM_H_
