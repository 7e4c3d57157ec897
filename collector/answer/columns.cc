#include "collector/answer/columns.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "collector/estimate/ranking.h"
#include "common/json/histogram.h"

namespace tombola::collector {
namespace {

constexpr int64_t kPlaceColumns = 4;  // of a Ranking

}  // namespace

absl::StatusOr<std::vector<uint64_t>> Pick(uint64_t top, absl::Span<const uint64_t> asked_values,
                                           const std::vector<double>& frequencies) {
  std::vector<uint64_t> values(asked_values.begin(), asked_values.end());
  if (values.empty()) {
    values.resize(frequencies.size());
    std::iota(values.begin(), values.end(), 0);
  }
  std::vector<bool> asked(frequencies.size());
  for (const uint64_t value : values) {
    if (value >= frequencies.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("values must be below the domain's size, ", frequencies.size()));
    }
    if (asked[value]) {
      return absl::InvalidArgumentError(absl::StrCat("values has ", value, " twice"));
    }
    asked[value] = true;
  }
  if (top == 0) return values;
  const size_t shown = std::min<uint64_t>(values.size(), top);
  const auto larger = [&](uint64_t a, uint64_t b) {
    return frequencies[a] != frequencies[b] ? frequencies[a] > frequencies[b] : a < b;
  };
  std::partial_sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shown),
                    values.end(), larger);
  values.resize(shown);
  return values;
}

v1::Ranking RankingOf(const Band& band, absl::Span<const double> raw,
                      const std::vector<uint64_t>& values, uint64_t top) {
  const Ranking ranking(raw, band);
  v1::Ranking body;
  body.set_top(std::min<uint64_t>(top, raw.size()));
  body.set_possible(ranking.Possible(body.top()));
  body.set_held(ranking.held());
  uint64_t sure = 0;
  for (const uint64_t value : values) {
    const Place place = ranking.Of(raw[value]);
    body.add_low(place.low);
    body.add_high(place.high);
    body.add_best(place.best);
    body.add_worst(place.worst);
    sure += place.worst <= body.top();
  }
  body.set_sure(sure);
  return body;
}

// First estimates, errors, frequencies and the ends of the band of all cells, with each value of
// the answer twice, in columns of 8 bytes, and what was asked for; then the values in a message,
// and that in its bytes or its text.
absl::StatusOr<int64_t> ColumnBytes(const Task& task, const AskedRows& asked,
                                    const ColumnCosts& costs, AnswerForm form) {
  const int64_t domain = task.domain().size();
  if (asked.values > domain) {
    return absl::InvalidArgumentError(
        absl::StrCat("values has ", asked.values, " of them; the domain has ", domain));
  }
  int64_t bins = asked.values == 0 ? domain : asked.values;
  if (asked.top != 0) bins = static_cast<int64_t>(std::min<uint64_t>(bins, asked.top));
  const int64_t columns = costs.columns + (asked.top != 0 ? kPlaceColumns : 0);
  const int64_t row = 8 * (1 + columns);
  const int64_t computed = 64 * costs.counted + 16 * asked.values;
  int64_t message = row * bins;
  int64_t labels = 0;
  if (!task.domain().labels().empty()) {
    labels = static_cast<int64_t>(task.bytes().size());  // which hold all of them
    message += labels + 48 * bins;
  }
  if (form == AnswerForm::kMessage) return computed + 2 * row * bins + message + labels;
  const int64_t text = MostHistogramText(bins, labels) * (1 + columns) / 6;
  return std::max(computed + row * bins + message, message + text);
}

}  // namespace tombola::collector
