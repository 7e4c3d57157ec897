// A device's call: refused, or such that the store can take it as it is.
//
// The first byte is how many hours after the task's start the call arrives; then a SubmitRequest.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "shuffler/accept/submit_door.h"
#include "shuffler/embedded/entry.h"
#include "tests/fuzz/fixtures.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/scratch.h"

namespace tombola::fuzz {
namespace {

using shuffler::Catalog;
using shuffler::SubmitBatch;

const Catalog& TheCatalog() {
  static const Catalog* const catalog = [] {
    auto opened = Catalog::Open({.path = TheScratch().In("catalog"),
                                 .shuffler_key = TestShufflerKey().public_key(),
                                 .collector_key = TestCollectorKey().public_key()});
    TOMBOLA_CHECK(opened.ok());
    TOMBOLA_CHECK((*opened)->Update(CatalogOf(1, TasksOfEveryMechanism())).ok());
    return opened->release();
  }();
  return *catalog;
}

bool Within(absl::Span<const uint8_t> part, const std::string& whole) {
  return reinterpret_cast<const char*>(part.data()) == whole.data() && part.size() == whole.size();
}

// What the store does with a call before it touches the disk.
void CheckEntry(const SubmitBatch& call, const Task& task) {
  shuffler::Entry entry;
  entry.call = call;
  entry.shape = {.sealed_bytes = static_cast<int64_t>(task.sealed_bytes()),
                 .max_reports_per_submission = task.scheme()->max_reports_per_submission()};
  TOMBOLA_CHECK(shuffler::CheckLengths(call, entry.shape).ok());
  TOMBOLA_CHECK(shuffler::QueuedBytes(call, entry.shape) > 0);
  shuffler::DigestEntry(entry);
  const size_t submissions = call.submission_ids.size() / sizeof(SubmissionId);
  TOMBOLA_CHECK(entry.outcomes.size() == submissions);
  TOMBOLA_CHECK(entry.submissions.size() <= submissions);
  for (const shuffler::EntrySubmission& submission : entry.submissions) {
    TOMBOLA_CHECK(submission.index < submissions);
    TOMBOLA_CHECK(submission.reports >= 1);
    TOMBOLA_CHECK(submission.reports <= task.scheme()->max_reports_per_submission());
    size_t sealed = submission.sealed.size();
    for (const shuffler::EntryGroup& group : entry.GroupsOf(submission)) {
      TOMBOLA_CHECK(group.reports >= 1);
      sealed += group.sealed.size();
    }
    TOMBOLA_CHECK(sealed == submission.reports * task.sealed_bytes());
    TOMBOLA_CHECK(entry.DigestsOf(submission).size() == submission.reports + size_t{1});
    TOMBOLA_CHECK(submission.first_digest + submission.reports < entry.digests.size());
  }
}

void Run(Input input) {
  const absl::Time now = TestTaskStart() + absl::Hours(input.Byte());
  v1::SubmitRequest request;
  const absl::string_view bytes = input.Rest();
  if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  const auto call = shuffler::CheckSubmit(request, TheCatalog(), now);
  if (!call.ok()) {
    TOMBOLA_CHECK(absl::IsInvalidArgument(call.status()) || absl::IsNotFound(call.status()) ||
                  absl::IsFailedPrecondition(call.status()));
    return;
  }
  const auto entry = TheCatalog().Find(call->of.task);
  TOMBOLA_CHECK(entry.has_value() && TheCatalog().FindKey(call->of.key).has_value());
  TOMBOLA_CHECK(call->window == request.window());
  TOMBOLA_CHECK(Within(call->submission_ids, request.submission_ids()));
  TOMBOLA_CHECK(call->groups.size() == static_cast<size_t>(request.groups_size()));
  TOMBOLA_CHECK(!call->groups.empty() || Within(call->sealed_reports, request.sealed_reports()));
  for (size_t i = 0; i < call->groups.size(); ++i) {
    const std::string& sealed = request.groups(static_cast<int>(i)).sealed_reports();
    TOMBOLA_CHECK(Within(call->groups[i].sealed_reports, sealed));
  }
  CheckEntry(*call, *entry->task);
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Run({data, size});
  return 0;
}
