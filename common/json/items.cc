#include "common/json/items.h"

#include "common/json/columns.h"
#include "common/json/text.h"

namespace tombola {
namespace {

// "max_error", "sizes", and "full" with its error, interval and hint.
template <typename Body>
void AppendHead(const Body& body, std::string* out) {
  const auto append = [out](absl::string_view name, double number) {
    absl::StrAppend(out, "\"", name, "\":");
    AppendNumber(number, out);
    out->push_back(',');
  };
  const v1::Sizes& sizes = body.sizes();
  append("max_error", body.max_error());
  out->append("\"sizes\":[");
  for (int k = 0; k < sizes.shares_size(); ++k) {
    if (k > 0) out->push_back(',');
    AppendNumber(sizes.shares(k), out);
  }
  out->append("],");
  append("full", sizes.full());
  append("full_stderr", sizes.full_standard_error());
  append("full_low", sizes.full_low());
  append("full_high", sizes.full_high());
  out->append("\"hint\":");
  if (sizes.hint().empty()) {
    out->append("null,");
  } else {
    AppendText(sizes.hint(), out);
    out->push_back(',');
  }
}

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

void AppendSetJson(const v1::Set& set, const std::vector<double>& truth, std::string* out) {
  AppendHead(set, out);
  AppendBins(set, truth, out);
}

std::string SetCsv(const v1::Set& set, const std::vector<double>& truth) {
  return ColumnsCsv(set, truth);
}

void Sort(BinOrder order, v1::Set& set) { SortColumns(order, set); }

void AppendKeyValuesJson(const v1::KeyValues& pairs, const Truth& truth, std::string* out) {
  AppendHead(pairs, out);
  WithMeans(pairs, [&](const auto&... columns) {
    if (truth.means.empty()) {
      AppendBins(pairs, truth.frequencies, out, columns...);
    } else {
      const NamedColumn<std::vector<double>> means{"mean_truth", truth.means};
      AppendBins(pairs, truth.frequencies, out, columns..., means);
    }
  });
}

std::string KeyValuesCsv(const v1::KeyValues& pairs, const std::vector<double>& truth) {
  return WithMeans(pairs,
                   [&](const auto&... columns) { return ColumnsCsv(pairs, truth, columns...); });
}

void Sort(BinOrder order, v1::KeyValues& pairs) {
  SortColumns(order, pairs, pairs.mutable_means(), pairs.mutable_mean_standard_errors(),
              pairs.mutable_mean_low(), pairs.mutable_mean_high());
}

}  // namespace tombola
