// Devices with records: purchases, which are joined with a public table of products.
#ifndef TOMBOLA_CLI_DEMO_PURCHASES_H_
#define TOMBOLA_CLI_DEMO_PURCHASES_H_

#include <cstdint>
#include <memory>

#include "cli/demo/population.h"

namespace tombola::cli {

// None to three purchases a device, each of a product and an amount; the device has the buyer's
// age. Describe writes purchases.json, the schema, and products.csv, which it joins rows with: they
// do for `tombola report --schema` too.
std::unique_ptr<Population> MakePurchases(int64_t devices);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_DEMO_PURCHASES_H_
