// An answer in the forms that scripts rely on. The command line and the collector's HTTP interface
// write the very same.
#ifndef TOMBOLA_COMMON_JSON_ANSWER_H_
#define TOMBOLA_COMMON_JSON_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/json/rows.h"
#include "common/json/text.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// One object on one line: what every answer says, with the members of its kind's body in between.
// `more`: an object whose members come last.
std::string AnswerJson(const v1::Answer& answer, const Truth& truth = {});
std::string AnswerJson(const v1::Answer& answer, const Truth& truth, const Json& more);

// The body's rows as CSV (RFC 4180), which has no place for the rest.
std::string AnswerCsv(const v1::Answer& answer, const Truth& truth = {});

// The ways of post-processing by the names that people use, as collector.proto lists them: "pop",
// the usual one, first.
const std::vector<std::string>& PostprocessNames();
std::string PostprocessName(v1::Postprocess postprocess);
// When the newest counted batch was finished, of a caption that says it: 2026-11-17T13:26:00Z.
std::string AsOfText(const v1::Caption& caption);
// What an export says of itself where its form has no place of its own for it, a line each:
// "name: colours", the task, as of when, confidence, post-processing, the guarantee.
std::vector<std::string> CaptionLines(const v1::Answer& answer);
// Nothing for any other word.
std::optional<v1::Postprocess> PostprocessFromName(absl::string_view name);

// The number of a period, from 1 on, where a time or a number can be given; nothing where the text
// is something else.
std::optional<uint64_t> PeriodFromText(absl::string_view text);

// What was dropped, by cause, under the names that the wire has; and all causes together.
Json RejectedJson(const v1::Rejected& rejected);
uint64_t Total(const v1::Rejected& rejected);

// The member "periods" of AnswerJson; null where there are none.
Json PeriodsJson(const v1::Answer& answer);

// The member "guarantee" of AnswerJson.
Json GuaranteeJson(const v1::Guarantee& guarantee);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_ANSWER_H_
