// Devices with apps, of which there are twenty.
#ifndef TOMBOLA_CLI_DEMO_APPS_H_
#define TOMBOLA_CLI_DEMO_APPS_H_

#include <cstdint>
#include <memory>

#include "cli/demo/population.h"

namespace tombola::cli {

// The app that is used most; those that are installed; stars from 1 to 5 for those that are rated.
std::unique_ptr<Population> MakeFavouriteApp(int64_t devices);
std::unique_ptr<Population> MakeInstalledApps(int64_t devices);
std::unique_ptr<Population> MakeRatedApps(int64_t devices);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_DEMO_APPS_H_
