#include "shuffler/embedded/counters_file.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"
#include "shuffler/disk/record.h"

namespace tombola::shuffler {
namespace {

constexpr absl::string_view kCountersKind = "TMBLCNTR";
// So many that nothing which is added to them later overflows.
constexpr int64_t kMaxCount = int64_t{1} << 60;

bool IsValid(const TaskCounters& counters) {
  for (const int64_t count : {counters.accepted, counters.duplicates, counters.forwarded,
                              counters.expired, counters.released_batches}) {
    if (count < 0 || count > kMaxCount) return false;
  }
  return true;
}

std::string Encode(const TaskId& task, const CountersRecord& record) {
  std::string body;
  PutBytes(task, body);
  PutNumber(record.counters.accepted, body);
  PutNumber(record.counters.duplicates, body);
  PutNumber(record.counters.forwarded, body);
  PutNumber(record.counters.expired, body);
  PutNumber(record.counters.released_batches, body);
  PutNumber(record.next_sequence, body);
  PutNumber(record.oldest_window, body);
  PutNumber(static_cast<uint32_t>(record.ended.size()), body);
  for (const uint64_t sequence : record.ended) PutNumber(sequence, body);
  return WrapRecord(kCountersKind, body);
}

absl::StatusOr<CountersRecord> Decode(const TaskId& task, absl::string_view bytes,
                                      absl::string_view path) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto body, UnwrapRecord(kCountersKind, AsBytes(bytes), path));
  Decoder decoder(body);
  CountersRecord record;
  const bool same = decoder.Bytes<32>() == task;
  record.counters.accepted = decoder.Number<int64_t>();
  record.counters.duplicates = decoder.Number<int64_t>();
  record.counters.forwarded = decoder.Number<int64_t>();
  record.counters.expired = decoder.Number<int64_t>();
  record.counters.released_batches = decoder.Number<int64_t>();
  record.next_sequence = decoder.Number<uint64_t>();
  record.oldest_window = decoder.Number<uint32_t>();
  const uint32_t ended = decoder.Number<uint32_t>();
  for (uint32_t i = 0; i < ended && decoder.ok(); ++i) {
    record.ended.insert(decoder.Number<uint64_t>());
  }
  if (!same || !decoder.ok() || decoder.left() != 0 || !IsValid(record.counters)) {
    return absl::DataLossError(absl::StrCat(path, ": the counters are malformed"));
  }
  return record;
}

}  // namespace

absl::StatusOr<std::map<TaskId, CountersRecord>> CountersFiles::Load() const {
  std::map<TaskId, CountersRecord> tasks;
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListWithoutDrafts(directory_));
  for (const std::string& name : names) {
    const std::string path = absl::StrCat(directory_, "/", name);
    const std::optional<TaskId> task = IdFromHex<TaskId>(name);
    if (!task.has_value()) {
      return absl::FailedPreconditionError(absl::StrCat(path, " does not belong here"));
    }
    TOMBOLA_ASSIGN_OR_RETURN(const std::string bytes, ReadSmallFile(path));
    TOMBOLA_ASSIGN_OR_RETURN(tasks[*task], Decode(*task, bytes, path));
  }
  // What was read is acted upon: it must not be undone by a power failure.
  TOMBOLA_RETURN_IF_ERROR(SyncDirectory(directory_));
  return tasks;
}

absl::Status CountersFiles::Prepare(const TaskId& task, const CountersRecord& record) const {
  return WriteDraft(absl::StrCat(directory_, "/", ToHex(task)), Encode(task, record));
}

absl::Status CountersFiles::Adopt(const TaskId& task) const {
  return AdoptDraft(absl::StrCat(directory_, "/", ToHex(task)));
}

}  // namespace tombola::shuffler
