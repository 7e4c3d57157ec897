#include "common/json/key_value.h"

#include "common/json/columns.h"
#include "common/json/items.h"

namespace tombola {
namespace {

using Numbers = google::protobuf::RepeatedField<double>;

// What a key has beside its frequency, handed to `use`.
template <typename Use>
auto WithMeans(const v1::KeyValues& pairs, const Use& use) {
  return use(NamedColumn<Numbers>{"mean", pairs.means()},
             NamedColumn<Numbers>{"mean_stderr", pairs.mean_standard_errors()},
             NamedColumn<Numbers>{"mean_low", pairs.mean_low()},
             NamedColumn<Numbers>{"mean_high", pairs.mean_high()});
}

}  // namespace

void AppendKeyValuesJson(const v1::KeyValues& pairs, const Truth& truth, std::string* out) {
  AppendItemsHead(pairs, out);
  WithMeans(pairs, [&](const auto&... columns) {
    if (truth.means.empty()) {
      AppendBins(pairs, truth.frequencies, out, columns...);
    } else {
      const NamedColumn<std::vector<double>> means{"mean_truth", truth.means};
      AppendBins(pairs, truth.frequencies, out, columns..., means);
    }
  });
}

std::string KeyValuesCsv(const v1::KeyValues& pairs, const Truth& truth) {
  return WithMeans(pairs, [&](const auto&... columns) {
    if (truth.means.empty()) return ColumnsCsv(pairs, truth.frequencies, columns...);
    const NamedColumn<std::vector<double>> means{"mean_truth", truth.means};
    return ColumnsCsv(pairs, truth.frequencies, columns..., means);
  });
}

void Sort(BinOrder order, v1::KeyValues& pairs) {
  SortColumns(order, pairs, pairs.mutable_means(), pairs.mutable_mean_standard_errors(),
              pairs.mutable_mean_low(), pairs.mutable_mean_high());
}

}  // namespace tombola
