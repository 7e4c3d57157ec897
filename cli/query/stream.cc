#include "cli/query/stream.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/query/histogram.h"
#include "cli/query/histogram_table.h"
#include "cli/query/items.h"
#include "cli/query/number.h"
#include "cli/query/rows.h"
#include "cli/query/stream_chart.h"
#include "cli/query/stream_numbers.h"
#include "cli/query/stream_table.h"
#include "common/base/status_macros.h"
#include "common/json/stream.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/set.h"
#include "common/kind/stream.h"

namespace tombola::cli {
namespace {

bool OfNumbers(const Task& task) { return task.kind().OfOneBatch().name() == NumberKind::kName; }

bool OfItems(const Task& task) {
  const absl::string_view of = task.kind().OfOneBatch().name();
  return of == Set::kName || of == KeyValueKind::kName;
}

// As of numbers alone; over time fewer quantiles.
absl::Status AskNumbersOverTime(const QueryOptions& options, const Task& task,
                                v1::GetAnswerRequest* request) {
  if (!options.truth.empty()) {
    return absl::InvalidArgumentError("--truth is not for a stream of numbers");
  }
  v1::GetAnswerRequest one;
  TOMBOLA_RETURN_IF_ERROR(NumberFace().ask(options, task, &one));
  v1::StreamQuestion* const question = request->mutable_stream();
  *question->mutable_fractions() = one.number().fractions();
  if (options.series && options.quantile.empty() && !one.number().fractions().empty()) {
    question->clear_fractions();
    question->add_fractions(0.5);
  }
  if (options.series && options.format == "svg" && question->fractions_size() >= kMostStreamLines) {
    return absl::InvalidArgumentError(absl::StrCat("--format svg draws the mean and at most ",
                                                   kMostStreamLines - 1,
                                                   " quantiles over time: ask for fewer"));
  }
  question->set_bins(options.series ? options.bins.value_or(1) : one.number().bins());
  question->set_series(options.series);
  question->set_single(options.single);
  return absl::OkStatus();
}

absl::Status AskStream(const QueryOptions& options, const Task& task,
                       v1::GetAnswerRequest* request) {
  if (OfNumbers(task)) return AskNumbersOverTime(options, task, request);
  TOMBOLA_ASSIGN_OR_RETURN(AskedRows asked, RowsAsked(options, task));
  if (options.series && !options.truth.empty()) {
    return absl::InvalidArgumentError("--truth is of one total: leave --series out");
  }
  if (options.series && options.format == "svg") {
    if (!options.top.has_value() && options.values.empty()) asked.top = kMostStreamLines;
    const uint64_t lines = asked.top != 0         ? asked.top
                           : asked.values.empty() ? static_cast<uint64_t>(task.domain().size())
                                                  : asked.values.size();
    if (lines > kMostStreamLines) {
      return absl::InvalidArgumentError(
          absl::StrCat("--format svg draws at most ", kMostStreamLines,
                       " values over time: ask for fewer with --top or --values"));
    }
  }
  v1::StreamQuestion* const question = request->mutable_stream();
  question->set_top(asked.top);
  question->mutable_values()->Add(asked.values.begin(), asked.values.end());
  question->set_series(options.series);
  question->set_single(options.single);
  return absl::OkStatus();
}

void SortTotals(BinOrder order, v1::Answer* answer) { Sort(order, *answer->mutable_stream()); }

// Of one total, as the question has said.
absl::StatusOr<Truth> TruthOfTotal(const QueryOptions& options, const v1::Answer& answer,
                                   const Task& task) {
  if (OfItems(task)) {
    return ItemsTruth(answer.stream().totals(0).shares().values(), task, options.truth);
  }
  return TruthOfValues(answer.stream().totals(0).shares().values(), task, options.truth);
}

std::string Beside(const QueryOptions& options, const v1::Answer& answer, const Task& task) {
  const v1::StreamTotals& totals = answer.stream();
  std::string text = DescribeStream(totals, task.nodes()->structure());
  if (totals.totals_size() == 1 && totals.totals(0).has_shares()) {
    absl::StrAppend(&text, DescribeBand(totals.totals(0).shares(), options.confidence));
  }
  if (!totals.totals().empty() && totals.totals().rbegin()->has_sizes()) {
    absl::StrAppend(&text, DescribeSizes(totals.totals().rbegin()->sizes()));
  }
  return text;
}

// The answer about one total as that of its kind alone: a histogram's, or one about numbers.
v1::Answer OfOneTotal(const v1::Answer& answer) {
  v1::Answer one = answer;
  const v1::StreamTotal total = answer.stream().totals(0);
  if (total.has_number()) {
    *one.mutable_number() = total.number();
  } else {
    *one.mutable_histogram() = total.shares();
  }
  return one;
}

bool AnyShares(const v1::StreamTotals& totals) {
  return std::any_of(totals.totals().begin(), totals.totals().end(),
                     [](const v1::StreamTotal& total) { return total.has_shares(); });
}

void WriteTotals(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                 const Truth& truth, std::ostream& out) {
  const v1::StreamTotals& totals = answer.stream();
  if (OfNumbers(task)) {
    if (totals.totals_size() == 1) {
      NumberFace().write_table(options, OfOneTotal(answer), task, truth, out);
    } else {
      out << DrawStreamNumbers(totals, {.confidence = options.confidence});
    }
    out << Beside(options, answer, task);
    return;
  }
  out << DrawStream(totals, {.columns = options.out.empty() ? TerminalColumns() : 80,
                             .confidence = options.confidence,
                             .truth = truth.frequencies});
  if (!totals.totals().empty()) {
    out << LeftOut(options, task, totals.totals().rbegin()->shares().values_size());
  }
  if (options.postprocess != "none" && AnyShares(totals)) {
    out << "shares are post-processed (" << options.postprocess << "), counts are not\n";
  }
  out << Beside(options, answer, task);
}

void WriteLines(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                const Truth& truth, std::ostream& out) {
  if (answer.stream().totals_size() > 1) {
    out << DrawStreamChart(answer, task.nodes()->structure(),
                           {.title = task.name(),
                            .postprocess = options.postprocess,
                            .confidence = options.confidence});
    return;
  }
  const v1::Answer one = OfOneTotal(answer);
  if (OfNumbers(task)) {
    NumberFace().write_chart(options, one, task, truth, out);
    return;
  }
  WriteHistogramChart(options, one, task, truth, out);
}

}  // namespace

QueryFace StreamFace() {
  return {.kind = StreamKind::kName,
          .usual_postprocess = "pop",
          .ask = &AskStream,
          .sort = &SortTotals,
          .truth = &TruthOfTotal,
          .write_table = &WriteTotals,
          .write_chart = &WriteLines,
          .beside_rows = &Beside};
}

}  // namespace tombola::cli
