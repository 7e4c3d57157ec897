#include "cli/demo/population.h"

#include "absl/strings/str_cat.h"
#include "cli/demo/apps.h"
#include "cli/demo/purchases.h"
#include "cli/demo/screen_time.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/set.h"

namespace tombola::cli {
namespace {

struct PopulationOfKind {
  absl::string_view kind;
  std::unique_ptr<Population> (*make)(int64_t devices);
};

constexpr PopulationOfKind kPopulations[] = {{Histogram::kName, &MakeFavouriteApp},
                                             {Set::kName, &MakeInstalledApps},
                                             {KeyValueKind::kName, &MakeRatedApps},
                                             {NumberKind::kName, &MakeScreenTime},
                                             {RecordsKind::kName, &MakePurchases}};

}  // namespace

absl::StatusOr<std::unique_ptr<Population>> Population::Create(absl::string_view kind,
                                                               int64_t devices) {
  for (const PopulationOfKind& population : kPopulations) {
    if (population.kind == kind) return population.make(devices);
  }
  return absl::InvalidArgumentError(absl::StrCat("--kind must be ", Kinds(), ", is ", kind));
}

std::string Population::Kinds() {
  std::string kinds;
  for (const PopulationOfKind& population : kPopulations) {
    const bool first = &population == std::begin(kPopulations);
    const bool last = &population == std::end(kPopulations) - 1;
    absl::StrAppend(&kinds, first ? "" : last ? " or " : ", ", population.kind);
  }
  return kinds;
}

std::vector<Record> Population::Next(size_t limit) {
  std::vector<Record> records;
  for (; left_ > 0 && records.size() < limit; --left_) records.push_back(NextDevice());
  return records;
}

}  // namespace tombola::cli
