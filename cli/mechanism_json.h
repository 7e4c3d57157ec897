// A mechanism and its parameters, for scripts and for people.
#ifndef TOMBOLA_CLI_MECHANISM_JSON_H_
#define TOMBOLA_CLI_MECHANISM_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "common/mechanism/mechanism.h"

namespace tombola::cli {

// A number, or null for one that is infinite: JSON has none.
nlohmann::ordered_json FiniteOrNull(double number);

// range, local_epsilon, dummies and fakes always, null where the mechanism has none; the others
// where it has them.
nlohmann::ordered_json ParametersJson(const mechanism::Mechanism& mechanism);

// The same in a line, such as "range 2287, local epsilon 8.52".
std::string DescribeParameters(const mechanism::Mechanism& mechanism);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_MECHANISM_JSON_H_
