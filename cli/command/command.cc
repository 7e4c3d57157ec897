#include "cli/command/command.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/base/retry_after.h"

namespace tombola::cli {
namespace {

struct Field {
  absl::string_view name;  // as a refusal begins
  absl::string_view flag;
};

// The fields of requests that people fill by flags.
constexpr Field kFields[] = {
    {"bits", "--bits"},
    {"branching", "--branching"},
    {"cohorts", "--cohorts"},
    {"confidence", "--confidence"},
    {"delta", "--delta"},
    {"device_periods", "--device-periods"},
    {"dishonest_share", "--dishonest"},
    {"distinct_values", "--distinct-values"},
    {"domain.labels", "--values"},
    {"domain.other", "--other"},
    {"domain.size", "--domain"},
    {"domain_size", "--domain"},
    {"dummies", "--dummies"},
    {"epsilon", "--epsilon"},
    {"fakes", "--fakes"},
    {"frequency", "--frequency"},
    {"hashes", "--hashes"},
    {"interval", "--interval"},
    {"intervals", "--user-periods"},
    {"irr_p", "--irr-p"},
    {"irr_q", "--irr-q"},
    {"key_id", "--key"},
    {"key_list_age", "--key-list-age"},
    {"largest", "--most"},
    {"levels", "--levels"},
    {"lifetime", "--lifetime"},
    {"max_items", "--max-items"},
    {"max_local_epsilon", "--max-local-epsilon"},
    {"max_messages", "--max-messages"},
    {"mechanism", "--mechanism"},
    {"name", "--name"},
    {"periods", "--periods"},
    {"planned_submissions", "--users"},
    {"postprocess", "--postprocess"},
    {"prr", "--prr"},
    {"range", "--range"},
    {"resolution", "--resolution"},
    {"retry_window", "--retry-window"},
    {"samples", "--samples"},
    {"schema:", "--schema:"},  // and its member
    {"sensitivity", "--sensitivity"},
    {"sent", "--sent"},
    {"smallest_batch", "--min-batch"},
    {"stream.periods", "--periods"},
    {"stream.structure", "--structure"},
    {"submissions_per_device", "--submissions-per-device"},
    {"task_id", "--task"},
    {"the number of labels", "the number of --values"},
    {"trials", "--trials"},
    {"users", "--users"},
    {"value_range", "--value-range"},
    {"values", "--values"},
    {"where", "--where"},
    {"where:", "--where:"},  // and the attribute that a condition is about
};

// What stands before a field's own name in a task.
constexpr absl::string_view kWithin[] = {"task.", "batch_policy.", "target."};

// Members of a device's policy, which the SDK names, and where a person sets them.
constexpr std::pair<absl::string_view, absl::string_view> kPolicy[] = {
    {"policy.max_epsilon", "--max-epsilon"},
    {"policy.max_delta", "--max-delta"},
    {"policy.max_total_epsilon", "--max-total-epsilon"},
    {"policy.max_total_delta", "--max-total-delta"},
    {"policy.max_local_epsilon", "--max-local-epsilon"},
    {"policy.min_batch", "--min-batch"},
    {"policy.collector_key", "the collector_key of tombola.json"},
    {"policy.shuffler_key", "the shuffler_key of tombola.json"},
};

// The message, with flags in place of what the SDK calls a policy's member, and of the field that
// it begins with.
std::string NameFlag(const absl::Status& status) {
  const std::string message = absl::StrReplaceAll(status.message(), absl::MakeConstSpan(kPolicy));
  if (!absl::IsInvalidArgument(status) && !absl::IsNotFound(status)) return message;
  absl::string_view rest = message;
  for (const absl::string_view before : kWithin) absl::ConsumePrefix(&rest, before);
  for (const Field& field : kFields) {
    absl::string_view says = rest;
    if (!absl::ConsumePrefix(&says, field.name)) continue;
    const bool whole = absl::EndsWith(field.name, ":");
    for (const absl::string_view verb : {" must be ", " is ", " has ", " names "}) {
      if (!whole && !absl::StartsWith(says, verb)) continue;
      // The one bound that is a field itself: that of the smallest batch.
      for (const absl::string_view most : {" and users", " and planned_submissions"}) {
        if (absl::ConsumeSuffix(&says, most)) return absl::StrCat(field.flag, says, " and --users");
      }
      return absl::StrCat(field.flag, says);
    }
  }
  return message;
}

}  // namespace

int ExitCode(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kOutOfRange:
      return kExitBadInput;
    default:
      return kExitFailure;
  }
}

std::string Explain(const absl::Status& status) {
  const std::optional<absl::Duration> wait = RetryAfter(status);
  if (!wait.has_value()) return NameFlag(status);
  return absl::StrCat(NameFlag(status), " (the server is overloaded and asks to wait ",
                      absl::FormatDuration(*wait), " before the next attempt)");
}

std::string NoneIsInfinite(const std::string& text) { return text == "none" ? "inf" : text; }

std::string ToLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void Print(const Json& json) { std::cout << ToLine(json) << std::flush; }

}  // namespace tombola::cli
