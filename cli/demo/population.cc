#include "cli/demo/population.h"

#include "absl/strings/str_cat.h"
#include "cli/demo/apps.h"
#include "cli/demo/commutes.h"
#include "cli/demo/purchases.h"
#include "cli/demo/screen_time.h"
#include "cli/demo/searches.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/set.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"

namespace tombola::cli {
namespace {

struct PopulationOfKind {
  absl::string_view kind;
  std::unique_ptr<Population> (*make)(int64_t devices, int64_t periods);
};

// Of a kind without periods.
template <std::unique_ptr<Population> (*Make)(int64_t devices)>
std::unique_ptr<Population> AtOnce(int64_t devices, int64_t) {
  return Make(devices);
}

std::unique_ptr<Population> MakeCommutes(int64_t devices, int64_t periods) {
  return std::make_unique<Commutes>(devices, periods);
}

constexpr PopulationOfKind kPopulations[] = {
    {Histogram::kName, &AtOnce<&MakeFavouriteApp>}, {Set::kName, &AtOnce<&MakeInstalledApps>},
    {KeyValueKind::kName, &AtOnce<&MakeRatedApps>}, {NumberKind::kName, &AtOnce<&MakeScreenTime>},
    {RecordsKind::kName, &AtOnce<&MakePurchases>},  {StreamKind::kName, &MakeCommutes},
    {StringsKind::kName, &AtOnce<&MakeSearches>}};

}  // namespace

absl::StatusOr<std::unique_ptr<Population>> Population::Create(absl::string_view kind,
                                                               int64_t devices, int64_t periods) {
  if (kind == StreamKind::kName && devices / 2 < periods) {
    return absl::InvalidArgumentError("--devices must be at least two for each of --periods");
  }
  for (const PopulationOfKind& population : kPopulations) {
    if (population.kind == kind) return population.make(devices, periods);
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
