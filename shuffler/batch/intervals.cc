#include "shuffler/batch/intervals.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"
#include "shuffler/disk/record.h"

namespace tombola::shuffler {
namespace {

constexpr absl::string_view kKind = "TMBLINTV";

}  // namespace

absl::StatusOr<Intervals> Intervals::Open(std::string path) {
  Intervals intervals(std::move(path));
  const absl::StatusOr<std::string> content = ReadSmallFile(intervals.path_);
  if (absl::IsNotFound(content.status())) return intervals;
  TOMBOLA_RETURN_IF_ERROR(content.status());
  TOMBOLA_ASSIGN_OR_RETURN(const auto body,
                           UnwrapRecord(kKind, AsBytes(*content), intervals.path_));
  Decoder decoder(body);
  while (decoder.ok() && decoder.left() > 0) {
    const TaskId task = decoder.Bytes<32>();
    const int64_t ended = decoder.Number<int64_t>();
    if (!decoder.ok() || ended < 0 || !intervals.ended_.emplace(task, ended).second) {
      return absl::DataLossError(absl::StrCat(intervals.path_, ": the intervals are malformed"));
    }
  }
  return intervals;
}

std::optional<int64_t> Intervals::Ended(const TaskId& task) const {
  const auto it = ended_.find(task);
  if (it == ended_.end()) return std::nullopt;
  return it->second;
}

void Intervals::Note(const TaskId& task, int64_t ended) {
  ended_[task] = ended;
  changed_ = true;
}

void Intervals::Forget(const TaskId& task) { changed_ |= ended_.erase(task) > 0; }

absl::Status Intervals::Save() {
  if (!changed_) return absl::OkStatus();
  std::string body;
  for (const auto& [task, ended] : ended_) {
    PutBytes(task, body);
    PutNumber(ended, body);
  }
  TOMBOLA_RETURN_IF_ERROR(ReplaceFile(path_, WrapRecord(kKind, body)));
  changed_ = false;
  return absl::OkStatus();
}

}  // namespace tombola::shuffler
