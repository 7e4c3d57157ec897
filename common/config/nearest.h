// What somebody meant who wrote something that there is not.
#ifndef TOMBOLA_COMMON_CONFIG_NEAREST_H_
#define TOMBOLA_COMMON_CONFIG_NEAREST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tombola::config {

// The one of `known` that takes the fewest letters added, left out, changed or swapped with their
// neighbour, if those are at most a third of the word's; the first of several. Empty: none is near.
std::string Nearest(absl::string_view word, const std::vector<std::string>& known);

}  // namespace tombola::config

#endif  // TOMBOLA_COMMON_CONFIG_NEAREST_H_
