#include "cli/query/histogram.h"

#include <unistd.h>

#include <string>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "cli/query/histogram_chart.h"
#include "cli/query/histogram_table.h"
#include "cli/query/rows.h"
#include "common/base/status_macros.h"
#include "common/json/histogram.h"
#include "common/kind/histogram.h"

namespace tombola::cli {
namespace {

absl::Status Ask(const QueryOptions& options, const Task& task, v1::GetAnswerRequest* request) {
  TOMBOLA_ASSIGN_OR_RETURN(const AskedRows asked, RowsAsked(options, task));
  v1::HistogramQuestion* const question = request->mutable_histogram();
  question->set_top(asked.top);
  question->mutable_values()->Add(asked.values.begin(), asked.values.end());
  return absl::OkStatus();
}

void SortAnswer(BinOrder order, v1::Answer* answer) { Sort(order, *answer->mutable_histogram()); }

absl::StatusOr<Truth> TruthOf(const QueryOptions& options, const v1::Answer& answer,
                              const Task& task) {
  return TruthOfValues(answer.histogram().values(), task, options.truth);
}

std::string Band(const QueryOptions& options, const v1::Answer& answer, const Task& /*task*/) {
  return absl::StrCat(DescribeBand(answer.histogram(), options.confidence),
                      DescribePlaces(options, answer.histogram().ranking()));
}

void WriteTable(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                const Truth& truth, std::ostream& out) {
  const bool terminal = options.out.empty();
  out << DrawHistogram(answer.histogram(), {.columns = terminal ? TerminalColumns() : 80,
                                            .colour = terminal && isatty(STDOUT_FILENO) != 0,
                                            .confidence = options.confidence,
                                            .places = ShowsPlaces(options),
                                            .truth = truth.frequencies});
  out << LeftOut(options, task, answer.histogram().values_size());
  out << Band(options, answer, task);
}

}  // namespace

absl::StatusOr<Truth> TruthOfValues(const google::protobuf::RepeatedField<uint64_t>& values,
                                    const Task& task, const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const Devices devices, DevicesOf(task, path));
  absl::flat_hash_map<uint64_t, int64_t> counts;
  for (size_t i = 0; i < devices.values.size(); ++i) {
    const auto value = task.domain().IndexOf(std::get<std::string>(devices.values[i]));
    if (!value.ok()) return BadLine(path, devices.lines[i], value.status().message());
    ++counts[*value];
  }
  Truth truth;
  for (const uint64_t value : values) {
    truth.frequencies.push_back(static_cast<double>(counts[value]) /
                                static_cast<double>(devices.values.size()));
  }
  return truth;
}

void WriteHistogramChart(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                         const Truth& truth, std::ostream& out) {
  out << DrawHistogramChart(answer, {.title = task.name(),
                                     .postprocess = options.postprocess,
                                     .confidence = options.confidence,
                                     .domain = task.domain().size(),
                                     .truth = truth.frequencies});
}

QueryFace HistogramFace() {
  return {.kind = Histogram::kName,
          .usual_postprocess = "pop",
          .ask = &Ask,
          .sort = &SortAnswer,
          .truth = &TruthOf,
          .write_table = &WriteTable,
          .write_chart = &WriteHistogramChart,
          .beside_rows = &Band};
}

}  // namespace tombola::cli
