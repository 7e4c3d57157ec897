// The devices of `tombola simulate --kind set|key_value`, from flags.
#ifndef TOMBOLA_CLI_SIMULATE_ITEMS_H_
#define TOMBOLA_CLI_SIMULATE_ITEMS_H_

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/simulation/data.h"
#include "cli/simulation/item_data.h"
#include "cli/simulation/population.h"
#include "common/kind/levels.h"

namespace tombola::cli {

// As on the command line; what is absent was not given.
struct ItemFlags {
  std::string kind;
  std::optional<int64_t> max_items;
  std::optional<int64_t> levels;
  std::optional<std::string> value_range;  // LO:HI
  std::optional<double> frequency;
  std::optional<int64_t> sent;

  bool items() const;  // whether a device holds several things
};

// InvalidArgument naming the flag: the kind is none, or a flag is not for it, or is missing.
absl::Status CheckFlags(const ItemFlags& flags);

// The devices of a law (simulation/population.h) or of file:PATH. InvalidArgument names the flag,
// or the file's line, and what is wrong with it. The flags passed CheckFlags, with items().
absl::StatusOr<simulation::ItemData> MakeItemData(const simulation::DataRequest& request,
                                                  const ItemFlags& flags);

// Devices by lines of JSON, which are those of `tombola report --input`, and how many items there
// are: `domain`, or the distinct names.
struct ReadDevices {
  simulation::Population population;
  int64_t items = 0;
};
// With `domain`, if the first name is a whole number every name must be one, from 0 to domain - 1;
// else each distinct name is an item, numbered as they come. `users` lines are read, all if it is
// absent. Pairs have numbers in the levels' range, which a count of 1 says that there are none of.
// InvalidArgument names the line; `name` stands in messages.
absl::StatusOr<ReadDevices> ReadRecords(std::istream& lines, absl::string_view name,
                                        const simulation::DataRequest& request,
                                        const Levels& levels);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_SIMULATE_ITEMS_H_
