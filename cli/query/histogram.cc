#include "cli/query/histogram.h"

#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/query/histogram_chart.h"
#include "cli/query/histogram_table.h"
#include "cli/report/device_lines.h"
#include "cli/report/histogram_line.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"
#include "common/json/histogram.h"
#include "common/kind/histogram.h"

namespace tombola::cli {
namespace {

// Bins that a table or a chart shows unless --top says otherwise, and the most that a chart can.
constexpr uint64_t kUsualBins = 50;
constexpr uint64_t kMostDrawn = 1000;

// One value, or several between commas.
absl::Status AddValues(const std::string& given, const Domain& domain,
                       v1::HistogramQuestion* question) {
  if (const auto whole = domain.Find(given); whole.has_value()) {
    question->add_values(*whole);
    return absl::OkStatus();
  }
  for (const absl::string_view value : absl::StrSplit(given, ',')) {
    const auto index = domain.Find(std::string(value));
    if (!index.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--values: \"", value, "\" is not among the task's values"));
    }
    question->add_values(*index);
  }
  return absl::OkStatus();
}

absl::Status Ask(const QueryOptions& options, const Task& task, v1::GetAnswerRequest* request) {
  v1::HistogramQuestion* const question = request->mutable_histogram();
  for (const std::string& given : options.values) {
    TOMBOLA_RETURN_IF_ERROR(AddValues(given, task.domain(), question));
  }
  question->set_top(options.top.value_or(0));
  if (!options.drawn()) return absl::OkStatus();
  auto bins = static_cast<uint64_t>(task.domain().size());
  if (!options.values.empty()) bins = static_cast<uint64_t>(question->values_size());
  if (!options.top.has_value() && options.values.empty() && bins > kUsualBins) {
    question->set_top(kUsualBins);
  }
  if (question->top() != 0) bins = std::min(bins, question->top());
  if (options.format == "svg" && bins > kMostDrawn) {
    return absl::InvalidArgumentError(
        absl::StrCat("--format svg draws at most ", kMostDrawn,
                     " bins: ask for fewer with --top, or take --format csv"));
  }
  return absl::OkStatus();
}

void SortAnswer(BinOrder order, v1::Answer* answer) { Sort(order, *answer->mutable_histogram()); }

absl::StatusOr<Truth> TruthOf(const v1::Answer& answer, const Task& task, const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path));
  std::istringstream in(text);
  DeviceLines lines(in, &HistogramValue);
  const Devices devices = lines.Next(text.size() + 1);
  if (lines.bad() > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--truth: ", path, ": ", ToText(lines.complaints().front())));
  }
  if (devices.values.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--truth: ", path, " must have a line"));
  }
  absl::flat_hash_map<uint64_t, int64_t> counts;
  for (size_t i = 0; i < devices.values.size(); ++i) {
    const auto value = task.domain().IndexOf(devices.values[i]);
    if (!value.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--truth: ", path, ": line ", devices.lines[i],
                                                     ": ", value.status().message()));
    }
    ++counts[*value];
  }
  Truth truth;
  for (const uint64_t value : answer.histogram().values()) {
    truth.frequencies.push_back(static_cast<double>(counts[value]) /
                                static_cast<double>(devices.values.size()));
  }
  return truth;
}

std::string Band(const QueryOptions& options, const v1::Answer& answer) {
  return DescribeBand(answer.histogram(), options.confidence);
}

void WriteTable(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                const Truth& truth, std::ostream& out) {
  const bool terminal = options.out.empty();
  out << DrawHistogram(answer.histogram(), {.columns = terminal ? TerminalColumns() : 80,
                                            .colour = terminal && isatty(STDOUT_FILENO) != 0,
                                            .confidence = options.confidence,
                                            .truth = truth.frequencies});
  const int64_t shown = answer.histogram().values_size();
  if (!options.top.has_value() && options.values.empty() && shown < task.domain().size()) {
    out << "the " << shown << " largest of " << task.domain().size()
        << " bins: --top K shows K of them, --top 0 all\n";
  }
  out << Band(options, answer);
}

void WriteChart(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                const Truth& truth, std::ostream& out) {
  out << DrawHistogramChart(answer, {.title = task.name(),
                                     .postprocess = options.postprocess,
                                     .confidence = options.confidence,
                                     .domain = task.domain().size(),
                                     .truth = truth.frequencies});
}

}  // namespace

QueryFace HistogramFace() {
  return {.kind = Histogram::kName,
          .usual_postprocess = "pop",
          .ask = &Ask,
          .sort = &SortAnswer,
          .truth = &TruthOf,
          .write_table = &WriteTable,
          .write_chart = &WriteChart,
          .beside_rows = &Band};
}

}  // namespace tombola::cli
