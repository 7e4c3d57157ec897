// Devices with a number: hours in front of a screen.
#ifndef TOMBOLA_CLI_DEMO_SCREEN_TIME_H_
#define TOMBOLA_CLI_DEMO_SCREEN_TIME_H_

#include <cstdint>
#include <memory>

#include "cli/demo/population.h"

namespace tombola::cli {

// On one day: half of the devices less than three, few of them many, in twenty bins.
std::unique_ptr<Population> MakeScreenTime(int64_t devices);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_DEMO_SCREEN_TIME_H_
