#include "cli/simulate/items.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/status_macros.h"
#include "common/kind/histogram.h"
#include "common/kind/item_cells.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/set.h"
#include "common/kind/stream.h"
#include "common/table/domain_size.h"
#include "common/table/filling.h"

namespace tombola::cli {
namespace {

// A count of 1 for sets, which have no numbers.
absl::StatusOr<Levels> LevelsOf(const ItemFlags& flags) {
  if (flags.kind != KeyValueKind::kName) return Levels{.low = -1, .high = 1, .count = 1};
  const std::string given = flags.value_range.value_or("-1:1");
  const absl::string_view range = given;
  const size_t colon = range.find(':');
  Levels levels{.count = flags.levels.value_or(kUsualLevels)};
  if (colon == absl::string_view::npos || !absl::SimpleAtod(range.substr(0, colon), &levels.low) ||
      !absl::SimpleAtod(range.substr(colon + 1), &levels.high) ||
      !std::isfinite(levels.high - levels.low) || !(levels.low < levels.high)) {
    return absl::InvalidArgumentError("--value-range must be LO:HI, such as -1:1 or 1:5");
  }
  if (levels.count < 2 || levels.count > 256) {
    return absl::InvalidArgumentError(
        absl::StrCat("--levels must be in [2, 256], is ", levels.count));
  }
  return levels;
}

absl::StatusOr<ItemCells> CellsOf(int64_t values, int64_t levels, int64_t held) {
  if (held < 1 || held > std::min(mechanism::kMostHeld, values)) {
    return absl::InvalidArgumentError(absl::StrCat("--max-items must be in [1, ",
                                                   mechanism::kMostHeld, "] and at most the ",
                                                   values, " of the domain, is ", held));
  }
  const ItemCells cells{
      .values = values, .levels = levels, .filling = {.held = held, .sent = held}};
  if (cells.cells() > mechanism::kLargestDomain) {
    return absl::InvalidArgumentError(
        absl::StrCat("--domain times --levels, and --max-items, must be at most ",
                     mechanism::kLargestDomainText, " together"));
  }
  return cells;
}

}  // namespace

bool ItemFlags::items() const {
  return kind != Histogram::kName && kind != NumberKind::kName && kind != RecordsKind::kName &&
         kind != StreamKind::kName;
}

absl::Status CheckFlags(const ItemFlags& flags) {
  const bool pairs = flags.kind == KeyValueKind::kName;
  if (flags.items() && !pairs && flags.kind != Set::kName) {
    return absl::InvalidArgumentError(
        "--kind must be histogram, set, key_value, number, records, stream or strings");
  }
  if (flags.items() && !flags.max_items.has_value()) {
    return absl::InvalidArgumentError("--max-items must be given for --kind set and key_value");
  }
  const auto given = [](absl::string_view flag, absl::string_view kinds) {
    return absl::InvalidArgumentError(absl::StrCat(flag, " is for --kind ", kinds));
  };
  if (!flags.items()) {
    if (flags.max_items.has_value()) return given("--max-items", "set and key_value");
    if (flags.frequency.has_value()) return given("--frequency", "set and key_value");
    if (flags.kind != NumberKind::kName && flags.sent.has_value()) {
      return given("--sent", "set, key_value and number");
    }
  }
  if (flags.kind == NumberKind::kName) return absl::OkStatus();
  if (!pairs && flags.levels.has_value()) {
    return given("--levels", "key_value, and number with --mean-only");
  }
  if (!pairs && flags.value_range.has_value())
    return given("--value-range", "key_value and number");
  return absl::OkStatus();
}

absl::StatusOr<simulation::ItemData> MakeItemData(const simulation::DataRequest& request,
                                                  const ItemFlags& flags) {
  TOMBOLA_ASSIGN_OR_RETURN(const Levels levels, LevelsOf(flags));
  TOMBOLA_RETURN_IF_ERROR(simulation::ValidateSizes(request));
  const std::optional<std::string> path = simulation::FileOf(request);
  if (path.has_value()) {
    TOMBOLA_ASSIGN_OR_RETURN(std::ifstream file, simulation::OpenFile(*path));
    TOMBOLA_ASSIGN_OR_RETURN(ReadDevices devices, ReadRecords(file, *path, request, levels));
    TOMBOLA_ASSIGN_OR_RETURN(const ItemCells cells,
                             CellsOf(devices.items, levels.count, *flags.max_items));
    return simulation::ItemData(std::move(devices.population), cells, levels);
  }
  TOMBOLA_RETURN_IF_ERROR(simulation::Weights(request).status());
  TOMBOLA_ASSIGN_OR_RETURN(const ItemCells cells,
                           CellsOf(*request.domain, levels.count, *flags.max_items));
  TOMBOLA_ASSIGN_OR_RETURN(simulation::Population population,
                           simulation::DrawPopulation(request, *flags.max_items, levels));
  return simulation::ItemData(std::move(population), cells, levels);
}

}  // namespace tombola::cli
