// Devices with a text that nobody listed: what was last searched for.
#ifndef TOMBOLA_CLI_DEMO_SEARCHES_H_
#define TOMBOLA_CLI_DEMO_SEARCHES_H_

#include <cstdint>
#include <memory>

#include "cli/demo/population.h"

namespace tombola::cli {

// Two thirds of them one of forty common words, the rest letters that hardly anybody else has.
std::unique_ptr<Population> MakeSearches(int64_t devices);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_DEMO_SEARCHES_H_
