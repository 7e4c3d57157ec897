// What `task create`, `task close` and a task file ask for.
#ifndef TOMBOLA_CLI_TASK_REQUEST_H_
#define TOMBOLA_CLI_TASK_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/command/number_flags.h"
#include "cli/command/rappor_flags.h"
#include "cli/connect/config.h"
#include "common/base/ids.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// Of strings.
struct TaskStrings {
  std::string alphabet;  // its characters, or "bytes"
  std::optional<uint32_t> length;
  std::optional<uint32_t> step;
  bool fold_case = false;
  bool dictionary_only = false;
  std::optional<uint64_t> min_holders;

  bool any() const {
    return !alphabet.empty() || length.has_value() || step.has_value() || fold_case ||
           dictionary_only || min_holders.has_value();
  }
};

// The flags of `task create`, and the members of a task file.
struct TaskRequestOptions {
  std::string kind;  // empty: a histogram
  std::string name;
  std::string values_file;
  std::vector<std::string> values;  // a task file may list them instead
  uint64_t domain = 0;
  std::optional<std::string> other;  // a value's name
  double epsilon = 0;
  double delta = 0;
  uint64_t users = 0;
  std::optional<uint64_t> min_batch;
  double dishonest = 0;
  std::string interval;  // as ParseDuration reads them
  bool merge_periods = false;
  std::string retry_window;
  uint32_t submissions_per_device = 1;
  std::string lifetime;
  std::string key_list_age;
  std::string mechanism;
  std::optional<double> max_local_epsilon;
  std::optional<double> max_messages;
  std::optional<uint64_t> range;
  std::optional<uint64_t> fakes;
  std::optional<double> dummies;
  bool same_name = false;  // although an open task has the name
  bool dry_run = false;    // no member of a task file
  std::string supersedes;  // no member of a task file: the id, prefix or name of another task
  RapporFlags rappor;
  // Of sets and key-value pairs.
  std::optional<uint32_t> max_items;
  // Instead: the id of a task by which max_items, or a schema's max_records, is chosen; and whether
  // the former is asked for in so many words. No members of a task file.
  std::string sizes_of;
  bool auto_items = false;
  std::optional<uint32_t> sent;
  double frequency = 0;
  // Of key-value pairs and numbers.
  std::string value_range;  // LO:HI
  std::optional<uint32_t> levels;
  // Of numbers; its value_range and levels are those above.
  NumberFlags numbers;
  // Of records: command/schema_file.h, and where it leaves max_records open sizes_file.h, or
  // sizes_of. The latter two are no members of a task file.
  std::string schema_file;
  std::string sizes_file;
  // Of streams, which must have periods; device_periods is their submissions_per_device, and `of`
  // the name of the kind of what a device has in each, empty: one value, as of a histogram.
  std::string of;
  std::optional<uint64_t> periods;
  std::string structure;
  std::optional<uint32_t> device_periods;
  // Of histograms: "fresh" or "memo", with submissions_per_device; of the latter for so many
  // values.
  std::string longitudinal;
  std::optional<uint32_t> distinct_values;
  // Of strings, which must have an alphabet and a length.
  TaskStrings strings;
  std::string trusted_totals;  // totals_request.h; empty: none
};

// InvalidArgument: a file, a duration or a combination of flags is wrong. Bounds of numbers are the
// collector's to check. With sizes_of, items.max_items is left 0: see earlier_sizes.h. With either
// sizes_of or sizes_file records.max_records is, and smallest_batch is set: see limit_choice.h.
absl::StatusOr<v1::CreateTaskRequest> ToRequest(const TaskRequestOptions& options);

// A JSON object with the same members, `-` written as `_`. An unknown member is refused.
absl::StatusOr<TaskRequestOptions> ReadTaskFile(const std::string& path);

// Makes the task and waits until the shuffler serves it. Of a request for a dry run it makes
// nothing, and describes what it would. InvalidArgument: an open task has the name, or the target
// cannot be met.
absl::StatusOr<v1::TaskInfo> CreateTask(const Config& config, v1::CreateTaskRequest request);

struct ClosedTask {
  v1::TaskInfo info;
  // OK: the shuffler takes no more for it. PermissionDenied: the caller has no operator's
  // certificate with which to ask.
  absl::Status shuffler;
};

// Closes the task and waits until the shuffler knows, where the caller may ask it.
absl::StatusOr<ClosedTask> CloseTask(const Config& config, const TaskId& id);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TASK_REQUEST_H_
