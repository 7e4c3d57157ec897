#include "cli/query/number.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/query/number_chart.h"
#include "cli/query/number_table.h"
#include "cli/query/rows.h"
#include "common/base/status_macros.h"
#include "common/kind/number.h"
#include "common/kind/number_text.h"

namespace tombola::cli {
namespace {

constexpr double kUsualFractions[] = {0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
// Bins that a table or a chart has at most unless --bins says otherwise.
constexpr uint64_t kTableBins = 20, kChartBins = 64;
constexpr uint64_t kMostDrawnBins = 1000;

const NumberCells& CellsOf(const Task& task) {
  return static_cast<const NumberKind&>(task.kind().OfOneBatch()).cells();
}

absl::Status NamedFlag(absl::string_view flag, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat(flag, " ", status.message()));
}

// So many that all have the same width, if there are not much fewer of them than `most`.
uint64_t UsualBins(const NumberCells& cells, uint64_t most) {
  const auto bins = static_cast<uint64_t>(cells.bins.size());
  for (uint64_t rows = most; 2 * rows >= most; --rows) {
    if (bins % rows == 0) return rows;
  }
  return most;
}

absl::Status AskWhere(const std::vector<std::string>& where, const Bins& bins,
                      v1::NumberQuestion* question) {
  absl::string_view range = where.front();
  if (where.size() > 1 || !absl::ConsumePrefix(&range, "value=")) {
    return absl::InvalidArgumentError(
        absl::StrCat("--where must be value=A..B, once, and not \"", where.back(),
                     "\": a task about numbers has nothing but its value, in [", bins.low(), ", ",
                     bins.high(), "]"));
  }
  absl::StatusOr<v1::NumberRange> read = ParseNumberRange(range, bins);
  if (!read.ok()) return NamedFlag("--where value=A..B", read.status());
  *question->mutable_where() = *std::move(read);
  return absl::OkStatus();
}

absl::Status AskNumbers(const QueryOptions& options, const Task& task,
                        v1::GetAnswerRequest* request) {
  if (options.top.has_value() || !options.values.empty() || options.sort == "frequency") {
    return absl::InvalidArgumentError(
        "--top, --values and --sort frequency are not for numbers: --where value=A..B asks for a "
        "range, --bins for fewer bins, and they are in order");
  }
  v1::NumberQuestion* const question = request->mutable_number();
  const NumberCells& cells = CellsOf(task);
  const bool dithered = cells.levels.has_value();
  if (!options.quantile.empty()) {
    const absl::StatusOr<std::vector<double>> fractions = ParseFractions(options.quantile);
    if (!fractions.ok()) return NamedFlag("--quantile", fractions.status());
    question->mutable_fractions()->Add(fractions->begin(), fractions->end());
  } else if (options.drawn() && options.where.empty() && !dithered) {
    question->mutable_fractions()->Add(std::begin(kUsualFractions), std::end(kUsualFractions));
  }
  if (!options.where.empty()) {
    TOMBOLA_RETURN_IF_ERROR(AskWhere(options.where, cells.bins, question));
  }
  question->set_bins(options.bins.value_or(0));
  if (!options.bins.has_value() && options.drawn() && !dithered) {
    question->set_bins(UsualBins(cells, options.format == "svg" ? kChartBins : kTableBins));
  }
  if (options.format == "svg" && question->bins() > kMostDrawnBins) {
    return absl::InvalidArgumentError(absl::StrCat("--format svg draws at most ", kMostDrawnBins,
                                                   " bins: ask for fewer with --bins, or take "
                                                   "--format csv"));
  }
  return absl::OkStatus();
}

// The numbers of the file's devices that have one, ascending.
absl::StatusOr<std::vector<double>> NumbersOf(const Task& task, const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const Devices devices, DevicesOf(task, path));
  const NumberCells& cells = CellsOf(task);
  std::vector<double> numbers;
  for (size_t i = 0; i < devices.values.size(); ++i) {
    const auto& number = std::get<std::optional<double>>(devices.values[i]);
    if (!number.has_value()) {
      if (cells.missing()) continue;
      return BadLine(path, devices.lines[i], "the task asks every device for a number");
    }
    if (!(*number >= cells.bins.low() && *number <= cells.bins.high())) {
      return BadLine(
          path, devices.lines[i],
          absl::StrCat("a number must be in [", cells.bins.low(), ", ", cells.bins.high(), "]"));
    }
    numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

absl::StatusOr<Truth> TruthOfFile(const QueryOptions& options, const v1::Answer& answer,
                                  const Task& task) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> numbers, NumbersOf(task, options.truth));
  return TruthOfNumbers(answer.number(), task, numbers);
}

std::string BesideNumbers(const QueryOptions& options, const v1::Answer& answer,
                          const Task& /*task*/) {
  return absl::StrCat(DrawNumbers(answer.number(), {.confidence = options.confidence}, {}),
                      DescribeNumbers(answer.number()));
}

void WriteNumbers(const QueryOptions& options, const v1::Answer& answer, const Task&,
                  const Truth& truth, std::ostream& out) {
  const bool terminal = options.out.empty();
  const DrawOptions draw{.columns = terminal ? TerminalColumns() : 80,
                         .colour = terminal && isatty(STDOUT_FILENO) != 0,
                         .confidence = options.confidence,
                         .truth = truth.frequencies};
  out << DrawNumbers(answer.number(), draw, truth);
  if (answer.number().low_edges_size() > 0) {
    out << "\n" << DrawHistogram(BinsOf(answer.number()), draw);
  }
  out << DescribeNumbers(answer.number());
}

void WriteNumbersChart(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                       const Truth& truth, std::ostream& out) {
  out << DrawNumberChart(
      answer,
      {.title = task.name(), .postprocess = options.postprocess, .confidence = options.confidence},
      truth);
}

}  // namespace

double QuantileOf(absl::Span<const double> numbers, double fraction) {
  if (numbers.empty()) return std::nan("");
  const auto rank = static_cast<int64_t>(std::ceil(fraction * static_cast<double>(numbers.size())));
  return numbers[static_cast<size_t>(std::max<int64_t>(rank, 1) - 1)];
}

Truth TruthOfNumbers(const v1::Distribution& body, const Task& task,
                     absl::Span<const double> numbers) {
  const Bins& bins = CellsOf(task).bins;
  // Where numbers from `end` on begin; all are below or at the last edge.
  const auto from = [&](double end) {
    return end == bins.high() ? numbers.end()
                              : std::lower_bound(numbers.begin(), numbers.end(), end);
  };
  const auto all = static_cast<double>(numbers.size());
  Truth truth;
  for (int row = 0; row < body.low_edges_size(); ++row) {
    const auto held = from(body.high_edges(row)) - from(body.low_edges(row));
    truth.frequencies.push_back(numbers.empty() ? 0 : static_cast<double>(held) / all);
  }
  NumbersTruth known;
  const auto begin = body.has_where() ? from(body.where().low()) : numbers.begin();
  const auto end = body.has_where() ? from(body.where().high()) : numbers.end();
  known.count = static_cast<double>(end - begin);
  for (auto number = begin; number != end; ++number) known.sum += *number;
  known.mean = known.sum / known.count;
  for (const double fraction : body.fractions()) {
    known.quantiles.push_back(QuantileOf(numbers, fraction));
  }
  truth.numbers = std::move(known);
  return truth;
}

QueryFace NumberFace() {
  return {.kind = NumberKind::kName,
          .usual_postprocess = "pop",
          .ask = &AskNumbers,
          // Bins are in order.
          .sort = [](BinOrder, v1::Answer*) {},
          .truth = &TruthOfFile,
          .write_table = &WriteNumbers,
          .write_chart = &WriteNumbersChart,
          .beside_rows = &BesideNumbers};
}

}  // namespace tombola::cli
