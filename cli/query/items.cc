#include "cli/query/items.h"

#include <unistd.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/query/histogram_chart.h"
#include "cli/query/histogram_table.h"
#include "cli/query/rows.h"
#include "cli/terminal/text_cells.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/json/items.h"
#include "common/kind/key_value.h"
#include "common/kind/set.h"

namespace tombola::cli {
namespace {

const v1::Set& BodyOf(const v1::Answer& answer, const v1::Set*) { return answer.set(); }
const v1::KeyValues& BodyOf(const v1::Answer& answer, const v1::KeyValues*) {
  return answer.key_value();
}
template <typename Body>
const Body& BodyOf(const v1::Answer& answer) {
  return BodyOf(answer, static_cast<const Body*>(nullptr));
}

// The columns that are a histogram's too, to be drawn as one is.
template <typename Body>
v1::Histogram AsHistogram(const Body& body) {
  v1::Histogram histogram;
  *histogram.mutable_values() = body.values();
  *histogram.mutable_labels() = body.labels();
  *histogram.mutable_frequencies() = body.frequencies();
  *histogram.mutable_raw() = body.raw();
  *histogram.mutable_standard_errors() = body.standard_errors();
  *histogram.mutable_low() = body.low();
  *histogram.mutable_high() = body.high();
  histogram.set_max_error(body.max_error());
  return histogram;
}

template <typename Question>
absl::Status Ask(const QueryOptions& options, const Task& task, Question* question) {
  TOMBOLA_ASSIGN_OR_RETURN(const AskedRows asked, RowsAsked(options, task));
  question->set_top(asked.top);
  question->mutable_values()->Add(asked.values.begin(), asked.values.end());
  return absl::OkStatus();
}

absl::Status AskSet(const QueryOptions& options, const Task& task, v1::GetAnswerRequest* request) {
  return Ask(options, task, request->mutable_set());
}
absl::Status AskPairs(const QueryOptions& options, const Task& task,
                      v1::GetAnswerRequest* request) {
  return Ask(options, task, request->mutable_key_value());
}

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

template <typename Body>
absl::StatusOr<Truth> TruthOf(const v1::Answer& answer, const Task& task, const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const Devices devices, DevicesOf(task, path));
  std::vector<double> holders(static_cast<size_t>(task.domain().size()));
  std::vector<double> sums(holders.size());
  for (size_t i = 0; i < devices.values.size(); ++i) {
    const auto held = HeldBy(devices.values[i], task.domain());
    if (!held.ok()) return BadLine(path, devices.lines[i], held.status().message());
    for (const auto& [value, number] : *held) {
      holders[value] += 1;
      sums[value] += number;
    }
  }
  Truth truth;
  for (const uint64_t value : BodyOf<Body>(answer).values()) {
    truth.frequencies.push_back(holders[value] / static_cast<double>(devices.values.size()));
    truth.means.push_back(holders[value] > 0 ? sums[value] / holders[value] : std::nan(""));
  }
  return truth;
}

// How many things devices hold, in a line, and the hint if there is one.
std::string DescribeSizes(const v1::Sizes& sizes) {
  std::string out = absl::StrFormat("devices that fill all %d places: %.2f %% (± %.2f)\n",
                                    sizes.shares_size() - 1, 100 * sizes.full(),
                                    50 * (sizes.full_high() - sizes.full_low()));
  if (!sizes.hint().empty()) absl::StrAppend(&out, "! ", sizes.hint(), "\n");
  return out;
}

template <typename Body>
std::string BesideRows(const QueryOptions& options, const v1::Answer& answer) {
  const Body& body = BodyOf<Body>(answer);
  return absl::StrCat(DescribeBand(AsHistogram(body), options.confidence),
                      DescribeSizes(body.sizes()));
}

template <typename Body>
void WriteShares(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                 const Truth& truth, std::ostream& out) {
  const Body& body = BodyOf<Body>(answer);
  const bool terminal = options.out.empty();
  out << DrawHistogram(AsHistogram(body), {.columns = terminal ? TerminalColumns() : 80,
                                           .colour = terminal && isatty(STDOUT_FILENO) != 0,
                                           .confidence = options.confidence,
                                           .truth = truth.frequencies})
      << LeftOut(options, task, body.values_size());
}

void WriteSet(const QueryOptions& options, const v1::Answer& answer, const Task& task,
              const Truth& truth, std::ostream& out) {
  WriteShares<v1::Set>(options, answer, task, truth, out);
  out << BesideRows<v1::Set>(options, answer);
}

// A mean on a line from the lowest level to the highest: its interval and itself.
std::string MeanLine(const v1::KeyValues& pairs, int row, const Levels& levels, int cells) {
  const auto cell = [&](double number) {
    const double share = (number - levels.low) / (levels.high - levels.low);
    return std::min(static_cast<int>(std::lround(share * cells)), cells - 1);
  };
  const int low = cell(pairs.mean_low(row));
  const int high = cell(pairs.mean_high(row));
  const int mean = cell(pairs.means(row));
  std::string line;
  for (int i = 0; i < cells; ++i) {
    line += i == mean ? "●" : i >= low && i <= high ? "─" : "·";
  }
  return line;
}

void WritePairs(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                const Truth& truth, std::ostream& out) {
  WriteShares<v1::KeyValues>(options, answer, task, truth, out);
  const v1::KeyValues& pairs = answer.key_value();
  const Levels& levels = static_cast<const KeyValueKind&>(task.kind()).levels();
  size_t longest = 5;
  for (int row = 0; row < pairs.values_size(); ++row) {
    longest = std::max<size_t>(longest, Cells(task.domain().NameOf(pairs.values(row))));
  }
  longest = std::min<size_t>(longest, 24);
  out << absl::StrFormat("\n%s %9s %8s%s  %g to %g\n", Fit("mean", longest), "mean",
                         absl::StrCat("±", PercentText(options.confidence, 4), "%"),
                         truth.empty() ? "" : "     truth", levels.low, levels.high);
  for (int row = 0; row < pairs.values_size(); ++row) {
    out << Fit(task.domain().NameOf(pairs.values(row)), longest);
    const double half = (pairs.mean_high(row) - pairs.mean_low(row)) / 2;
    const bool known = !std::isnan(pairs.means(row));
    out << (known ? absl::StrFormat(" %9.4g %8.3g", pairs.means(row), half)
                  : std::string(" too few holders   "));
    if (!truth.empty()) {
      const double mean = truth.means[static_cast<size_t>(row)];
      out << (std::isnan(mean) ? "         -" : absl::StrFormat(" %9.4g", mean));
    }
    if (known) out << "  " << MeanLine(pairs, row, levels, /*cells=*/24);
    out << "\n";
  }
  out << BesideRows<v1::KeyValues>(options, answer);
}

// The shares as a histogram's chart has them.
template <typename Body>
void WriteChart(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                const Truth& truth, std::ostream& out) {
  v1::Answer drawn = answer;
  *drawn.mutable_histogram() = AsHistogram(BodyOf<Body>(answer));
  out << DrawHistogramChart(drawn, {.title = task.name(),
                                    .postprocess = options.postprocess,
                                    .confidence = options.confidence,
                                    .domain = task.domain().size(),
                                    .truth = truth.frequencies});
}

}  // namespace

QueryFace SetFace() {
  return {.kind = Set::kName,
          .usual_postprocess = "clip",
          .ask = &AskSet,
          .sort = [](BinOrder order, v1::Answer* answer) { Sort(order, *answer->mutable_set()); },
          .truth = &TruthOf<v1::Set>,
          .write_table = &WriteSet,
          .write_chart = &WriteChart<v1::Set>,
          .beside_rows = &BesideRows<v1::Set>};
}

QueryFace KeyValueFace() {
  return {
      .kind = KeyValueKind::kName,
      .usual_postprocess = "clip",
      .ask = &AskPairs,
      .sort = [](BinOrder order, v1::Answer* answer) { Sort(order, *answer->mutable_key_value()); },
      .truth = &TruthOf<v1::KeyValues>,
      .write_table = &WritePairs,
      .write_chart = &WriteChart<v1::KeyValues>,
      .beside_rows = &BesideRows<v1::KeyValues>};
}

}  // namespace tombola::cli
