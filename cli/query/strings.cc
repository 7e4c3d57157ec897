#include "cli/query/strings.h"

#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/command/text_lines.h"
#include "cli/query/histogram_chart.h"
#include "cli/query/histogram_table.h"
#include "cli/query/rows.h"
#include "cli/report/strings_line.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/json/strings.h"
#include "common/kind/strings.h"
#include "common/strings/spelling.h"
#include "common/text/utf8.h"

namespace tombola::cli {
namespace {

constexpr uint64_t kUsualStrings = 50;
constexpr uint64_t kMostDrawnStrings = 1000;

const StringsKind& StringsKindOf(const Task& task) {
  return static_cast<const StringsKind&>(task.kind());
}

absl::Status AddDictionary(const std::string& path, v1::StringsQuestion* question) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> lines, ReadLines("--dictionary", path));
  size_t bytes = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    absl::StatusOr<Record> record = StringsRecord(lines[i]);
    if (!record.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--dictionary: ", path, ": line ", i + 1, ": ", record.status().message()));
    }
    std::string& text = std::get<std::string>(*record);
    bytes += text.size();
    question->add_dictionary(std::move(text));
  }
  if (question->dictionary_size() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--dictionary: ", path, " must have a line for each string"));
  }
  if (question->dictionary_size() > kMostDictionary || bytes > kMostDictionaryBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--dictionary: ", path, " must have at most ", kMostDictionary, " strings of ",
        kMostDictionaryBytes, " bytes together, has ", question->dictionary_size(), " of ", bytes));
  }
  return absl::OkStatus();
}

absl::Status AskStrings(const QueryOptions& options, const Task& task,
                        v1::GetAnswerRequest* request) {
  if (!options.values.empty()) {
    return absl::InvalidArgumentError(
        "--values is not for strings: --dictionary FILE looks up some");
  }
  if (options.dictionary.empty() && StringsKindOf(task).shape().whole()) {
    return absl::InvalidArgumentError(
        "--dictionary must be given: devices of this task hash whole strings alone, of which only "
        "those of a list can be looked up");
  }
  v1::StringsQuestion* const question = request->mutable_strings();
  question->set_top(options.top.value_or(options.drawn() ? kUsualStrings : 0));
  if (options.format == "svg" && (question->top() == 0 || question->top() > kMostDrawnStrings)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--format svg draws at most ", kMostDrawnStrings,
                     " strings: ask for fewer with --top, or take --format csv"));
  }
  if (options.false_strings.has_value()) question->set_false_strings(*options.false_strings);
  if (options.dictionary.empty()) return absl::OkStatus();
  return AddDictionary(options.dictionary, question);
}

// As devices spell and cut theirs.
absl::StatusOr<Truth> StringsTruth(const QueryOptions& options, const v1::Answer& answer,
                                   const Task& task) {
  const StringsKind& kind = StringsKindOf(task);
  TOMBOLA_ASSIGN_OR_RETURN(const Devices devices, DevicesOf(task, options.truth));
  absl::flat_hash_map<std::string, int64_t> counts;
  for (size_t i = 0; i < devices.values.size(); ++i) {
    const auto spelled = strings::Spell(std::get<std::string>(devices.values[i]), kind.spelling());
    if (!spelled.ok()) {
      return BadLine(options.truth, devices.lines[i], spelled.status().message());
    }
    const strings::Symbols symbols = kind.alphabet().Encode(*spelled, kind.shape().length());
    ++counts[kind.alphabet().Decode(symbols)];
  }
  Truth truth;
  for (const std::string& value : answer.strings().values()) {
    truth.frequencies.push_back(static_cast<double>(counts[value]) /
                                static_cast<double>(devices.values.size()));
  }
  return truth;
}

v1::Histogram StringsAsHistogram(const v1::FrequentStrings& body) {
  v1::Histogram histogram;
  for (int row = 0; row < body.values_size(); ++row) {
    histogram.add_values(static_cast<uint64_t>(row));
    histogram.add_labels(Printable(body.values(row)));
  }
  *histogram.mutable_frequencies() = body.frequencies();
  *histogram.mutable_raw() = body.raw();
  *histogram.mutable_standard_errors() = body.standard_errors();
  *histogram.mutable_low() = body.low();
  *histogram.mutable_high() = body.high();
  return histogram;
}

std::string DescribeSearch(const v1::FrequentStrings& body) {
  const auto count = [](std::string* out, double number) {
    absl::StrAppend(out, absl::StrFormat("%.4g", number));
  };
  if (body.dictionary() > 0) {
    return absl::StrFormat("%d different strings were looked up", body.dictionary());
  }
  std::vector<double> candidates, found;
  for (const v1::StringLevel& level : body.levels()) {
    candidates.push_back(level.candidates());
    found.push_back(static_cast<double>(level.found()));
  }
  return absl::StrCat("in ", body.levels_size(), " levels ", absl::StrJoin(candidates, ", ", count),
                      " prefixes were tried, of which ", absl::StrJoin(found, ", ", count),
                      " stood out");
}

std::string BesideStrings(const QueryOptions& options, const v1::Answer& answer,
                          const Task& /*task*/) {
  const v1::FrequentStrings& body = answer.strings();
  std::string text = absl::StrFormat(
      "%d string%s; one that %.0f devices hold is found with a probability of 90 %%, and none is "
      "shown\nthat fewer than %d are estimated to hold\n%s; with a probability\nof %.3g %% there "
      "is one that nobody holds; a lying report moves an estimate by up to %s devices\n",
      body.values_size(), body.values_size() == 1 ? "" : "s", std::ceil(body.threshold()),
      body.least_holders(), DescribeSearch(body), 100 * body.false_strings(),
      RoundedUp(body.moved_by_report(), 3));
  const bool cut = options.top.value_or(options.drawn() ? kUsualStrings : 0) ==
                   static_cast<uint64_t>(body.values_size());
  if (cut && !options.top.has_value() && body.values_size() > 0) {
    absl::StrAppend(&text, "there may be more: --top K shows K of them, --top 0 all\n");
  }
  if (!body.complete()) {
    absl::StrAppend(&text,
                    "! the search left candidates out, or there are more strings than an "
                    "answer has: some that few devices hold are missing\n");
  }
  return text;
}

void WriteStrings(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                  const Truth& truth, std::ostream& out) {
  const bool terminal = options.out.empty();
  out << DrawHistogram(StringsAsHistogram(answer.strings()),
                       {.columns = terminal ? TerminalColumns() : 80,
                        .colour = terminal && isatty(STDOUT_FILENO) != 0,
                        .confidence = options.confidence,
                        .truth = truth.frequencies})
      << BesideStrings(options, answer, task);
}

void WriteStringsChart(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                       const Truth& truth, std::ostream& out) {
  v1::Answer drawn = answer;
  const v1::Histogram columns = StringsAsHistogram(answer.strings());
  *drawn.mutable_histogram() = columns;  // in place of the strings
  out << DrawHistogramChart(drawn, {.title = task.name(),
                                    .postprocess = options.postprocess,
                                    .confidence = options.confidence,
                                    .domain = columns.values_size(),
                                    .truth = truth.frequencies});
}

}  // namespace

std::string Printable(absl::string_view text) {
  std::string printable;
  absl::string_view rest = text;
  while (!rest.empty()) {
    const Utf8Character character = TakeCharacter(rest);
    if (character.valid() && !character.control() && character.bytes != "\\") {
      absl::StrAppend(&printable, character.bytes);
      continue;
    }
    for (const char byte : character.bytes) {
      absl::StrAppend(&printable, absl::StrFormat("\\x%02x", static_cast<uint8_t>(byte)));
    }
  }
  const bool blank = text.empty() || text.front() == ' ' || text.back() == ' ';
  return blank ? absl::StrCat("\"", printable, "\"") : printable;
}

QueryFace StringsFace() {
  return {
      .kind = StringsKind::kName,
      .usual_postprocess = "clip",
      .ask = &AskStrings,
      .sort = [](BinOrder order, v1::Answer* answer) { Sort(order, *answer->mutable_strings()); },
      .truth = &StringsTruth,
      .write_table = &WriteStrings,
      .write_chart = &WriteStringsChart,
      .beside_rows = &BesideStrings};
}

}  // namespace tombola::cli
