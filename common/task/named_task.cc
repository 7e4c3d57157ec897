#include "common/task/named_task.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tombola {
namespace {

constexpr size_t kFewestDigits = 4;
constexpr size_t kMostListed = 5;

absl::Status Ambiguous(absl::string_view what, absl::string_view text,
                       const std::vector<const KnownTask*>& matches) {
  std::vector<std::string> ids;
  for (size_t i = 0; i < matches.size() && i < kMostListed; ++i) {
    ids.push_back(absl::StrCat(ToHex(matches[i]->id).substr(0, 12), " (", matches[i]->name, ")"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      what, " must name one task, and ", text, " is ", matches.size(),
      " of them: ", absl::StrJoin(ids, ", "), matches.size() > kMostListed ? ", ..." : ""));
}

}  // namespace

absl::StatusOr<TaskId> MatchTask(absl::string_view what, absl::string_view text,
                                 const std::vector<KnownTask>& tasks) {
  if (const auto id = IdFromHex<TaskId>(text)) return *id;
  std::vector<const KnownTask*> open, closed, prefixed;
  const bool digits =
      text.size() >= kFewestDigits && std::all_of(text.begin(), text.end(), absl::ascii_isxdigit);
  const std::string prefix = absl::AsciiStrToLower(text);
  for (const KnownTask& task : tasks) {
    if (task.name == text) (task.open ? open : closed).push_back(&task);
    if (digits && absl::StartsWith(ToHex(task.id), prefix)) prefixed.push_back(&task);
  }
  for (const auto* matches : {&open, &closed, &prefixed}) {
    if (matches->size() == 1) return matches->front()->id;
    if (!matches->empty()) return Ambiguous(what, text, *matches);
  }
  return absl::NotFoundError(absl::StrCat(what, ": no task has the name ", text,
                                          digits ? " or an id that begins so" : ""));
}

}  // namespace tombola
