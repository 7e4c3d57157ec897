#include "cli/query/items.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/query/histogram_chart.h"
#include "common/kind/key_value.h"

namespace tombola::cli {
namespace {

// What each device of a file holds, each value of it once.
absl::StatusOr<std::vector<std::pair<uint64_t, double>>> HeldBy(const Record& record,
                                                                const Domain& domain) {
  std::vector<std::pair<uint64_t, double>> held;
  absl::flat_hash_set<uint64_t> seen;
  const auto add = [&](const std::string& name, double number) -> absl::Status {
    TOMBOLA_ASSIGN_OR_RETURN(const uint64_t value, domain.IndexOf(name));
    if (seen.insert(value).second) held.emplace_back(value, number);
    return absl::OkStatus();
  };
  if (const auto* const set = std::get_if<std::vector<std::string>>(&record)) {
    for (const std::string& name : *set) TOMBOLA_RETURN_IF_ERROR(add(name, 0));
  } else if (const auto* const pairs = std::get_if<std::vector<KeyValue>>(&record)) {
    for (const KeyValue& pair : *pairs) TOMBOLA_RETURN_IF_ERROR(add(pair.key, pair.value));
  }
  return held;
}

}  // namespace

absl::StatusOr<Truth> ItemsTruth(const google::protobuf::RepeatedField<uint64_t>& values,
                                 const Task& task, const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const Devices devices, DevicesOf(task, path));
  std::vector<double> holders(static_cast<size_t>(task.domain().size()));
  std::vector<double> sums(holders.size());
  const Levels* const levels =
      task.kind().OfOneBatch().name() == KeyValueKind::kName
          ? &static_cast<const KeyValueKind&>(task.kind().OfOneBatch()).levels()
          : nullptr;
  for (size_t i = 0; i < devices.values.size(); ++i) {
    const auto held = HeldBy(devices.values[i], task.domain());
    if (!held.ok()) return BadLine(path, devices.lines[i], held.status().message());
    for (const auto& [value, number] : *held) {
      if (levels != nullptr && !(number >= levels->low && number <= levels->high)) {
        return BadLine(path, devices.lines[i],
                       absl::StrCat("a number must be in [", levels->low, ", ", levels->high, "]"));
      }
      holders[value] += 1;
      sums[value] += number;
    }
  }
  Truth truth;
  for (const uint64_t value : values) {
    truth.frequencies.push_back(holders[value] / static_cast<double>(devices.values.size()));
    truth.means.push_back(holders[value] > 0 ? sums[value] / holders[value] : std::nan(""));
  }
  return truth;
}

// How many things devices hold, in a line, and the hint if there is one.
std::string DescribeSizes(const v1::Sizes& sizes) {
  std::string out = absl::StrFormat(
      "devices that fill all %d places: %.2f %% (± %.2f)\n", sizes.shares_size() - 1,
      100 * std::clamp(sizes.full(), 0.0, 1.0), 50 * (sizes.full_high() - sizes.full_low()));
  if (!sizes.hint().empty()) absl::StrAppend(&out, "! ", sizes.hint(), "\n");
  return out;
}

void WriteShares(const QueryOptions& options, const v1::Histogram& shares, const Task& task,
                 const Truth& truth, std::ostream& out) {
  const bool terminal = options.out.empty();
  out << DrawHistogram(shares, {.columns = terminal ? TerminalColumns() : 80,
                                .colour = terminal && isatty(STDOUT_FILENO) != 0,
                                .confidence = options.confidence,
                                .places = ShowsPlaces(options),
                                .truth = truth.frequencies})
      << LeftOut(options, task, shares.values_size());
}

void WriteSharesChart(const QueryOptions& options, const v1::Answer& answer,
                      const v1::Histogram& shares, const Task& task, const Truth& truth,
                      ChartPanel below, std::ostream& out) {
  v1::Answer drawn = answer;
  *drawn.mutable_histogram() = shares;
  out << DrawHistogramChart(drawn, {.title = task.name(),
                                    .postprocess = options.postprocess,
                                    .confidence = options.confidence,
                                    .domain = task.domain().size(),
                                    .truth = truth.frequencies,
                                    .below = std::move(below)});
}

}  // namespace tombola::cli
