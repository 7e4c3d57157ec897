#include "cli/task/items_request.h"

#include "cli/command/number_flags.h"
#include "cli/task/stream_request.h"
#include "common/base/status_macros.h"
#include "common/kind/levels.h"
#include "common/kind/records.h"

namespace tombola::cli {
namespace {

// How many things a device holds is said, or which task tells, and one of them only.
absl::Status CheckSized(const TaskRequestOptions& options, bool items) {
  const bool learnt = options.auto_items || !options.sizes_of.empty();
  if (!items) {
    const bool records = options.kind == RecordsKind::kName && !options.auto_items;
    if (!options.max_items.has_value() && (!learnt || records)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--max-items and --sizes-of are for --kind set and key_value, --sizes-of for records too");
  }
  if (learnt && options.max_items.has_value()) {
    return absl::InvalidArgumentError("--sizes-of is for --max-items auto");
  }
  if (options.auto_items && options.sizes_of.empty()) {
    return absl::InvalidArgumentError(
        "--max-items auto needs --sizes-of: the id of an earlier task of the kind, such as a "
        "pilot, "
        "whose answer tells how many things devices hold");
  }
  if (learnt || options.max_items.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--max-items must be given: how many things a device holds at most; or auto, with "
      "--sizes-of: an earlier task that tells");
}

}  // namespace

absl::Status SetItems(const TaskRequestOptions& options, v1::CreateTaskRequest* request) {
  const v1::Kind kind = KindOfOneBatch(*request);
  const bool number = kind == v1::KIND_NUMBER;
  const bool pairs = kind == v1::KIND_KEY_VALUE;
  const bool items = pairs || kind == v1::KIND_SET;
  TOMBOLA_RETURN_IF_ERROR(CheckSized(options, items));
  const bool stream = request->kind() == v1::KIND_STREAM;
  if (!items && !stream && options.frequency != 0) {
    return absl::InvalidArgumentError("--frequency is for --kind set, key_value and stream");
  }
  if (stream) request->set_frequency(options.frequency);
  if (!items && !number && options.sent.has_value()) {
    return absl::InvalidArgumentError("--sent is for --kind set, key_value and number");
  }
  if (options.sent.has_value() && *options.sent == 0) {
    return absl::InvalidArgumentError("--sent must be at least 1");
  }
  if (pairs && options.value_range.empty()) {
    return absl::InvalidArgumentError(
        "--value-range LO:HI must be given: the smallest and the largest number of a key");
  }
  if (!pairs && !number && !options.value_range.empty()) {
    return absl::InvalidArgumentError("--value-range is for --kind key_value and number");
  }
  if (!pairs && !number && options.levels.has_value()) {
    return absl::InvalidArgumentError("--levels is for --kind key_value and number");
  }
  if (items) {
    request->mutable_items()->set_max_items(options.max_items.value_or(0));
    request->mutable_items()->set_sent(options.sent.value_or(0));
    request->set_frequency(options.frequency);
  }
  if (pairs) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto range, ReadValueRange(options.value_range));
    request->mutable_levels()->set_low(range.first);
    request->mutable_levels()->set_high(range.second);
    request->mutable_levels()->set_count(options.levels.value_or(kUsualLevels));
  }
  return absl::OkStatus();
}

}  // namespace tombola::cli
