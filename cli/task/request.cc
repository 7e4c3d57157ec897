#include "cli/task/request.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/command/schema_file.h"
#include "cli/command/text_lines.h"
#include "cli/connect/connection.h"
#include "cli/task/items_request.h"
#include "cli/task/records_request.h"
#include "cli/task/stream_request.h"
#include "cli/task/strings_request.h"
#include "cli/task/totals_request.h"
#include "common/base/status_macros.h"
#include "common/base/time_text.h"
#include "common/disk/whole_file.h"
#include "common/kind/histogram.h"
#include "common/kind/kinds.h"
#include "common/text/utf8.h"

namespace tombola::cli {
namespace {

using Json = nlohmann::ordered_json;

// What a task takes; the texts are as people write the bounds.
struct Bounds {
  absl::Duration least, most;
  const char* least_text;
  const char* most_text;
};
constexpr Bounds kAnyTime{absl::Seconds(1), absl::Hours(24 * 3660), "1s", "3660d"};
constexpr Bounds kHourToYear{absl::Hours(1), absl::Hours(24 * 366), "1h", "366d"};

absl::StatusOr<uint64_t> Seconds(const std::string& flag, const std::string& text,
                                 const Bounds& bounds) {
  if (text.empty()) return 0;
  const std::optional<absl::Duration> duration = ParseDuration(text);
  if (!duration.has_value() || *duration < bounds.least || *duration > bounds.most ||
      *duration % absl::Seconds(1) != absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, " must be a duration of whole seconds from ", bounds.least_text, " to ",
                     bounds.most_text, ", such as 90m, 24h or 7d"));
  }
  return static_cast<uint64_t>(absl::ToInt64Seconds(*duration));
}

absl::StatusOr<uint64_t> OtherIndex(const std::string& other,
                                    const std::vector<std::string>& labels) {
  if (labels.empty()) {
    uint64_t value;
    if (absl::SimpleAtoi(other, &value)) return value;
  }
  const auto it = std::find(labels.begin(), labels.end(), other);
  if (it == labels.end()) {
    return absl::InvalidArgumentError("--other must be one of the task's values");
  }
  return static_cast<uint64_t>(it - labels.begin());
}

// Reads a member of a task file. What it must be instead, or nothing where it was read. Strict,
// because the JSON library turns true, -1 and 1.5 into whole numbers without a word.
std::optional<std::string> Read(const Json& json, std::string* target) {
  if (!json.is_string()) return "a text";
  *target = json.get<std::string>();
  return std::nullopt;
}

std::optional<std::string> Read(const Json& json, std::vector<std::string>* target) {
  const bool texts = json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& item) {
                       return item.is_string();
                     });
  if (!texts) return "a list of texts";
  *target = json.get<std::vector<std::string>>();
  return std::nullopt;
}

std::optional<std::string> Read(const Json& json, std::vector<double>* target) {
  const bool numbers =
      json.is_array() &&
      std::all_of(json.begin(), json.end(), [](const Json& item) { return item.is_number(); });
  if (!numbers) return "a list of numbers";
  *target = json.get<std::vector<double>>();
  return std::nullopt;
}

std::optional<std::string> Read(const Json& json, bool* target) {
  if (!json.is_boolean()) return "true or false";
  *target = json.get<bool>();
  return std::nullopt;
}

std::optional<std::string> Read(const Json& json, double* target) {
  if (!json.is_number()) return "a number";
  *target = json.get<double>();
  return std::nullopt;
}

template <std::unsigned_integral Number>
requires(!std::same_as<Number, bool>) std::optional<std::string> Read(const Json& json,
                                                                      Number* target) {
  constexpr uint64_t kMost =
      std::min<uint64_t>(std::numeric_limits<Number>::max(), uint64_t{1} << 53);
  if (json.is_number_unsigned() && json.get<uint64_t>() <= kMost) {
    *target = static_cast<Number>(json.get<uint64_t>());
    return std::nullopt;
  }
  if (json.is_number_float()) {  // such as 1e6
    const double number = json.get<double>();
    if (number >= 0 && number <= static_cast<double>(kMost) && std::floor(number) == number) {
      *target = static_cast<Number>(number);
      return std::nullopt;
    }
  }
  return absl::StrCat("a whole number between 0 and ", kMost);
}

template <typename T>
std::optional<std::string> Read(const Json& json, std::optional<T>* target) {
  return Read(json, &target->emplace());
}

// Takes the members out of an object one by one and remembers the first that is wrong.
class Members {
 public:
  Members(Json json, std::string file) : json_(std::move(json)), file_(std::move(file)) {}

  template <typename T>
  void Take(const char* member, T* target) {
    const auto it = json_.find(member);
    if (it == json_.end()) return;
    if (const auto wanted = Read(*it, target); wanted.has_value() && status_.ok()) {
      status_ = absl::InvalidArgumentError(absl::StrCat(file_, ": ", member, " must be ", *wanted));
    }
    json_.erase(it);
  }

  // To be called when all are taken.
  absl::Status Finish() const {
    if (!status_.ok() || json_.empty()) return status_;
    return absl::InvalidArgumentError(
        absl::StrCat(file_, " has the unknown member ", json_.begin().key()));
  }

 private:
  Json json_;
  std::string file_;
  absl::Status status_;
};

absl::StatusOr<Kinds::Entry> KindOf(const std::string& name) {
  const auto& kinds = Kinds::BuiltIn().entries();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kinds::Entry& entry) {
    return entry.name == (name.empty() ? Histogram::kName : name);
  });
  if (kind != kinds.end()) return *kind;
  return absl::InvalidArgumentError(absl::StrCat(
      "--kind must be ", absl::StrJoin(kinds, ", ", [](std::string* out, const Kinds::Entry& of) {
        absl::StrAppend(out, of.name);
      })));
}

// What only numbers have: their bins instead of values, and the tree.
absl::Status SetNumbers(const TaskRequestOptions& options, v1::CreateTaskRequest* request) {
  NumberFlags flags = options.numbers;
  flags.value_range = options.value_range;
  flags.levels = options.levels;
  if (!options.values_file.empty() || !options.values.empty() || options.domain != 0 ||
      options.other.has_value()) {
    return absl::InvalidArgumentError(
        "--values, --domain and --other are not for --kind number: its bins are of --value-range "
        "or --edges");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const AskedNumbers asked, ReadNumbers(flags));
  *request->mutable_numbers() = asked.wire;
  request->mutable_numbers()->set_sent(options.sent.value_or(0));
  request->set_domain_size(asked.bins);
  if (flags.branching.has_value()) request->set_branching(*flags.branching);
  return absl::OkStatus();
}

absl::Status CheckNoNumbers(const TaskRequestOptions& options) {
  const NumberFlags& numbers = options.numbers;
  if (numbers.resolution.has_value() || !numbers.edges_file.empty() || !numbers.edges.empty() ||
      numbers.missing || numbers.mean_only || numbers.branching.has_value()) {
    return absl::InvalidArgumentError(
        "--resolution, --edges, --missing, --mean-only and --branching are for --kind number");
  }
  return absl::OkStatus();
}

absl::Status SetValues(const TaskRequestOptions& options, v1::CreateTaskRequest* request) {
  TOMBOLA_RETURN_IF_ERROR(CheckNoNumbers(options));
  std::vector<std::string> labels = options.values;
  if (!options.values_file.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(labels, ReadLines("--values", options.values_file));
  }
  if (!options.values_file.empty() && labels.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--values: ", options.values_file, " must have a line for each value"));
  }
  if (labels.empty() == (options.domain == 0)) {
    return absl::InvalidArgumentError("one of --values and --domain must be given, not both");
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    if (!IsUtf8(labels[i])) {
      return absl::InvalidArgumentError(absl::StrCat("--values: line ", i + 1, " must be UTF-8"));
    }
  }
  request->mutable_labels()->Add(labels.begin(), labels.end());
  request->set_domain_size(options.domain);
  if (options.other.has_value()) {
    TOMBOLA_ASSIGN_OR_RETURN(const uint64_t other, OtherIndex(*options.other, labels));
    request->set_other(other);
  }
  return absl::OkStatus();
}

absl::Status SetLongitudinal(const TaskRequestOptions& options, v1::CreateTaskRequest* request) {
  if (options.longitudinal.empty()) {
    if (!options.distinct_values.has_value()) return absl::OkStatus();
    return absl::InvalidArgumentError("--distinct-values is for --longitudinal memo");
  }
  const bool memo = options.longitudinal == "memo";
  if (!memo && options.longitudinal != "fresh") {
    return absl::InvalidArgumentError("--longitudinal must be fresh or memo");
  }
  if (request->kind() != v1::KIND_HISTOGRAM) {
    return absl::InvalidArgumentError("--longitudinal is for --kind histogram");
  }
  if (options.submissions_per_device < 2 || options.interval.empty() || options.merge_periods) {
    return absl::InvalidArgumentError(
        "--longitudinal needs --submissions-per-device of 2 or more and --interval, and no "
        "--merge-periods");
  }
  if (options.distinct_values.has_value() &&
      (!memo || *options.distinct_values < 1 ||
       *options.distinct_values > options.submissions_per_device)) {
    return absl::InvalidArgumentError(
        memo ? absl::StrCat("--distinct-values must be in [1, ", options.submissions_per_device,
                            "], --submissions-per-device, is ", *options.distinct_values)
             : "--distinct-values is for --longitudinal memo");
  }
  v1::Longitudinal* const longitudinal = request->mutable_longitudinal();
  longitudinal->set_mode(memo ? v1::LONGITUDINAL_MODE_MEMO : v1::LONGITUDINAL_MODE_FRESH);
  longitudinal->set_values(memo ? options.distinct_values.value_or(1) : 0);
  return absl::OkStatus();
}

void SetRappor(const RapporFlags& flags, v1::CreateTaskRequest* request) {
  if (!flags.any()) return;
  v1::RapporRequest* const rappor = request->mutable_rappor();
  if (flags.bits.has_value()) rappor->set_bits(*flags.bits);
  if (flags.hashes.has_value()) rappor->set_hashes(*flags.hashes);
  if (flags.cohorts.has_value()) rappor->set_cohorts(*flags.cohorts);
  if (flags.prr.has_value()) rappor->set_prr(*flags.prr);
  if (flags.irr_p.has_value()) rappor->set_irr_p(*flags.irr_p);
  if (flags.irr_q.has_value()) rappor->set_irr_q(*flags.irr_q);
}

absl::Status SetOfKind(const TaskRequestOptions& options, v1::CreateTaskRequest* request) {
  TOMBOLA_RETURN_IF_ERROR(SetStream(options, request));
  TOMBOLA_RETURN_IF_ERROR(SetStrings(options, request));
  if (request->kind() == v1::KIND_RECORDS) return SetRecords(options, request);
  if (!options.schema_file.empty()) {
    return absl::InvalidArgumentError("--schema is for --kind records");
  }
  if (!options.sizes_file.empty()) {
    return absl::InvalidArgumentError("--sizes is for --kind records");
  }
  if (request->kind() == v1::KIND_STRINGS) return CheckNoNumbers(options);
  return KindOfOneBatch(*request) == v1::KIND_NUMBER ? SetNumbers(options, request)
                                                     : SetValues(options, request);
}

bool Forbidden(const absl::Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsUnauthenticated(status);
}

// What no waiting changes.
bool Final(const absl::Status& status) {
  return Forbidden(status) || absl::IsFailedPrecondition(status);
}

// Asks until the answer is OK, or one that no waiting changes, for at most half a minute. The last
// answer.
absl::Status UntilOk(const std::function<absl::Status()>& ask) {
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  while (true) {
    const absl::Status status = ask();
    if (status.ok() || Final(status) || absl::Now() > deadline) return status;
    absl::SleepFor(absl::Milliseconds(20));
  }
}

}  // namespace

absl::StatusOr<v1::CreateTaskRequest> ToRequest(const TaskRequestOptions& options) {
  v1::CreateTaskRequest request;
  request.set_name(options.name);
  if (!IsUtf8(options.name)) return absl::InvalidArgumentError("--name must be UTF-8");
  TOMBOLA_ASSIGN_OR_RETURN(const Kinds::Entry kind, KindOf(options.kind));
  request.set_kind(kind.number);
  TOMBOLA_RETURN_IF_ERROR(SetOfKind(options, &request));
  request.set_epsilon(options.epsilon);
  request.set_delta(options.delta);
  request.set_users(options.users);
  if (options.min_batch.has_value()) request.set_smallest_batch(*options.min_batch);
  request.set_dishonest_share(options.dishonest);
  TOMBOLA_ASSIGN_OR_RETURN(const uint64_t interval,
                           Seconds("--interval", options.interval, kAnyTime));
  request.set_interval(interval);
  if (options.merge_periods && interval == 0) {
    return absl::InvalidArgumentError("--merge-periods needs --interval");
  }
  request.set_merge_periods(options.merge_periods);
  TOMBOLA_ASSIGN_OR_RETURN(const uint64_t window,
                           Seconds("--retry-window", options.retry_window, kHourToYear));
  request.set_retry_window(window);
  TOMBOLA_ASSIGN_OR_RETURN(const uint64_t lifetime,
                           Seconds("--lifetime", options.lifetime, kAnyTime));
  request.set_lifetime(lifetime);
  TOMBOLA_ASSIGN_OR_RETURN(const uint64_t age,
                           Seconds("--key-list-age", options.key_list_age, kHourToYear));
  request.set_key_list_age(age);
  if (options.submissions_per_device == 0) {
    return absl::InvalidArgumentError("--submissions-per-device must be at least 1");
  }
  request.set_submissions_per_device(
      options.device_periods.value_or(options.submissions_per_device));
  request.set_mechanism(options.mechanism);
  if (options.max_local_epsilon.has_value()) {
    request.set_max_local_epsilon(*options.max_local_epsilon);
  }
  if (options.max_messages.has_value()) request.set_max_messages(*options.max_messages);
  if (options.range.has_value()) request.set_range(*options.range);
  if (options.fakes.has_value()) request.set_fakes(*options.fakes);
  if (options.dummies.has_value()) request.set_dummies(*options.dummies);
  request.set_same_name(options.same_name);
  request.set_dry_run(options.dry_run);
  if (!options.trusted_totals.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(*request.mutable_trusted_totals(),
                             ReadTrustedTotals(options.trusted_totals));
  }
  SetRappor(options.rappor, &request);
  TOMBOLA_RETURN_IF_ERROR(SetLongitudinal(options, &request));
  TOMBOLA_RETURN_IF_ERROR(SetItems(options, &request));
  return request;
}

absl::StatusOr<TaskRequestOptions> ReadTaskFile(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path));
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(path, " must be a JSON object"));
  }
  Members members(std::move(json), path);
  TaskRequestOptions options;
  members.Take("name", &options.name);
  members.Take("values", &options.values);
  members.Take("domain", &options.domain);
  members.Take("other", &options.other);
  members.Take("epsilon", &options.epsilon);
  members.Take("delta", &options.delta);
  members.Take("users", &options.users);
  members.Take("min_batch", &options.min_batch);
  members.Take("dishonest", &options.dishonest);
  members.Take("interval", &options.interval);
  members.Take("merge_periods", &options.merge_periods);
  members.Take("retry_window", &options.retry_window);
  members.Take("submissions_per_device", &options.submissions_per_device);
  members.Take("lifetime", &options.lifetime);
  members.Take("key_list_age", &options.key_list_age);
  members.Take("mechanism", &options.mechanism);
  members.Take("max_local_epsilon", &options.max_local_epsilon);
  members.Take("max_messages", &options.max_messages);
  members.Take("range", &options.range);
  members.Take("fakes", &options.fakes);
  members.Take("dummies", &options.dummies);
  members.Take("same_name", &options.same_name);
  members.Take("bits", &options.rappor.bits);
  members.Take("hashes", &options.rappor.hashes);
  members.Take("cohorts", &options.rappor.cohorts);
  members.Take("prr", &options.rappor.prr);
  members.Take("irr_p", &options.rappor.irr_p);
  members.Take("irr_q", &options.rappor.irr_q);
  members.Take("kind", &options.kind);
  members.Take("max_items", &options.max_items);
  members.Take("sent", &options.sent);
  members.Take("frequency", &options.frequency);
  members.Take("value_range", &options.value_range);
  members.Take("levels", &options.levels);
  members.Take("resolution", &options.numbers.resolution);
  members.Take("edges", &options.numbers.edges);
  members.Take("missing", &options.numbers.missing);
  members.Take("mean_only", &options.numbers.mean_only);
  members.Take("branching", &options.numbers.branching);
  members.Take("schema", &options.schema_file);
  members.Take("longitudinal", &options.longitudinal);
  members.Take("distinct_values", &options.distinct_values);
  members.Take("periods", &options.periods);
  members.Take("structure", &options.structure);
  members.Take("of", &options.of);
  members.Take("device_periods", &options.device_periods);
  members.Take("alphabet", &options.strings.alphabet);
  members.Take("length", &options.strings.length);
  members.Take("step", &options.strings.step);
  members.Take("fold_case", &options.strings.fold_case);
  members.Take("dictionary_only", &options.strings.dictionary_only);
  members.Take("min_holders", &options.strings.min_holders);
  members.Take("trusted_totals", &options.trusted_totals);
  TOMBOLA_RETURN_IF_ERROR(members.Finish());
  return options;
}

namespace {

// The task that the collector made is of no use: it is closed again, so that it is not taken for
// one.
absl::Status Refused(const Config& config, const std::string& id, const absl::Status& why) {
  v1::CloseTaskRequest request;
  request.set_task_id(id);
  const auto admin = Admin(config);
  const absl::Status closed =
      admin.ok() ? Call(**admin, &v1::CollectorAdmin::Stub::CloseTask, request).status()
                 : admin.status();
  return absl::InvalidArgumentError(absl::StrCat(
      why.message(), closed.ok() ? "; it is closed again" : "; it could not be closed again"));
}

}  // namespace

absl::StatusOr<v1::TaskInfo> CreateTask(const Config& config, v1::CreateTaskRequest request) {
  if (config.shuffler_key.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(config.file, " must have the member shuffler_key, which a new task names"));
  }
  request.set_shuffler_key(absl::HexStringToBytes(config.shuffler_key));
  TOMBOLA_ASSIGN_OR_RETURN(const auto admin, Admin(config));
  absl::StatusOr<v1::TaskInfo> info = Call(*admin, &v1::CollectorAdmin::Stub::CreateTask, request);
  if (absl::IsFailedPrecondition(info.status())) {
    // A target that cannot be met is mended by other words: bad input.
    return absl::InvalidArgumentError(info.status().message());
  }
  if (absl::IsAlreadyExists(info.status())) {
    return absl::InvalidArgumentError(
        absl::StrReplaceAll(info.status().message(), {{"same_name", "--same-name"}}));
  }
  TOMBOLA_RETURN_IF_ERROR(info.status());
  if (request.dry_run()) return info;
  TOMBOLA_ASSIGN_OR_RETURN(const auto device, Device(config));
  v1::GetTaskRequest wanted;
  wanted.set_task_id(info->task_id());
  const absl::Status served = UntilOk([&] {
    return Call(*device, &v1::Shuffler::Stub::GetTask, wanted, absl::Seconds(10)).status();
  });
  if (served.ok()) return info;
  if (absl::IsFailedPrecondition(served)) return Refused(config, info->task_id(), served);
  return absl::UnavailableError(
      absl::StrCat("task ", absl::BytesToHexString(info->task_id()),
                   " is made, but the shuffler does not serve it yet: ", served.message()));
}

absl::StatusOr<ClosedTask> CloseTask(const Config& config, const TaskId& id) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto admin, Admin(config));
  v1::CloseTaskRequest request;
  request.set_task_id(std::string(AsView(id)));
  ClosedTask closed;
  TOMBOLA_ASSIGN_OR_RETURN(closed.info,
                           Call(*admin, &v1::CollectorAdmin::Stub::CloseTask, request));
  const auto shuffler = Operator(config);
  if (!shuffler.ok()) {
    closed.shuffler = absl::PermissionDeniedError(shuffler.status().message());
    return closed;
  }
  v1::GetShufflerStatusRequest wanted;
  wanted.set_task_id(request.task_id());
  closed.shuffler = UntilOk([&]() -> absl::Status {
    const auto status =
        Call(**shuffler, &v1::ShufflerOperator::Stub::GetStatus, wanted, absl::Seconds(10));
    if (absl::IsNotFound(status.status())) return absl::OkStatus();  // it never served it
    TOMBOLA_RETURN_IF_ERROR(status.status());
    if (status->tasks_size() == 1 && status->tasks(0).closed()) return absl::OkStatus();
    return absl::UnavailableError("it has not heard of it");
  });
  if (closed.shuffler.ok() || Forbidden(closed.shuffler)) return closed;
  return absl::UnavailableError(
      absl::StrCat("task ", ToHex(id),
                   " is closed, but the shuffler does not know yet: ", closed.shuffler.message()));
}

}  // namespace tombola::cli
