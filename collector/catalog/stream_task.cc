#include "collector/catalog/stream_task.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/status_macros.h"
#include "common/mechanism/grr.h"
#include "common/mechanism/registry.h"
#include "common/plan/stream.h"
#include "common/stream/structure.h"
#include "common/table/filling.h"
#include "common/task/periods.h"

namespace tombola::collector {
namespace {

constexpr uint64_t kAnHour = 3600, kADay = 24 * kAnHour;
constexpr uint64_t kMostDays = 3660;  // of any task's life

// 4000 seconds (1h6m40s)
std::string InSeconds(uint64_t seconds) {
  return absl::StrCat(seconds, " seconds (",
                      absl::FormatDuration(absl::Seconds(static_cast<int64_t>(seconds))), ")");
}

absl::Status RefuseStream(absl::string_view field, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat(field, " must be ", bound));
}

uint64_t GraceOf(uint64_t interval) {
  const absl::Time begins = absl::UnixEpoch();
  const absl::Duration length = absl::Seconds(interval);
  const absl::Duration grace = Periods(begins, begins + length, length).grace();
  // Rounded up.
  return static_cast<uint64_t>((grace + absl::Seconds(1) - absl::Nanoseconds(1)) /
                               absl::Seconds(1));
}

absl::StatusOr<std::optional<mechanism::StreamStructure>> StructureOf(const std::string& name) {
  if (name.empty() || name == "auto") return std::nullopt;
  const std::optional<mechanism::StreamStructure> structure = mechanism::StructureNamed(name);
  if (structure.has_value()) return structure;
  return RefuseStream("stream.structure", "auto, plain, fenwick or best");
}

// What has no noise of its own is read as if all of a node's submissions were honest.
std::vector<mechanism::StreamCandidate> WithoutForeign(
    const v1::CreateTaskRequest& request, std::vector<mechanism::StreamCandidate> candidates) {
  for (mechanism::StreamCandidate& candidate : candidates) {
    if (candidate.mechanism != mechanism::Grr::kName || request.dishonest_share() == 0) continue;
    candidate.feasible = false;
    candidate.reason = "counts no stream of which a share may be dishonest";
  }
  return candidates;
}

// Those of the structure that is asked for; else of plain periods and the best structure, which is
// never worse than a Fenwick tree, and takes less planning.
absl::StatusOr<std::vector<mechanism::StreamCandidate>> CandidatesFor(
    mechanism::StreamPlanRequest asked, const v1::CreateTaskRequest& request) {
  const std::string& mechanism = request.mechanism();
  std::vector<mechanism::StreamCandidate> candidates;
  if (asked.structure.has_value() || mechanism == mechanism::Grr::kName) {
    TOMBOLA_ASSIGN_OR_RETURN(candidates, mechanism::PlanStream(asked, mechanism));
    return WithoutForeign(request, std::move(candidates));
  }
  for (const auto structure :
       {mechanism::StreamStructure::kPlain, mechanism::StreamStructure::kBest}) {
    asked.structure = structure;
    TOMBOLA_ASSIGN_OR_RETURN(std::vector<mechanism::StreamCandidate> planned,
                             mechanism::PlanStream(asked, mechanism));
    for (mechanism::StreamCandidate& candidate : planned) {
      candidates.push_back(std::move(candidate));
    }
  }
  return WithoutForeign(request, std::move(candidates));
}

}  // namespace

absl::Status CheckStream(const v1::CreateTaskRequest& request) {
  if (request.kind() != v1::KIND_STREAM) {
    return request.has_stream() ? RefuseStream("stream", "absent but for streams")
                                : absl::OkStatus();
  }
  const uint64_t periods = request.stream().periods();
  if (periods < 1 || periods > static_cast<uint64_t>(stream::kMostSearchedPeriods)) {
    return RefuseStream("stream.periods",
                        absl::StrCat("between 1 and ", stream::kMostSearchedPeriods));
  }
  TOMBOLA_RETURN_IF_ERROR(StructureOf(request.stream().structure()).status());
  if (request.has_items() || request.has_levels() || request.has_numbers() ||
      request.has_records()) {
    return RefuseStream("items, levels, numbers and records", "absent for a stream");
  }
  if (request.merge_periods()) return RefuseStream("merge_periods", "absent for a stream");
  // Also so that the product below does not overflow.
  if (request.interval() < 1 || request.interval() > kMostDays * kADay / periods) {
    const uint64_t most = kMostDays * kADay / periods;
    return RefuseStream(
        "interval", absl::StrCat("between 1 and ", InSeconds(most), " for a stream of ", periods,
                                 " periods: a task lasts at most 3,660 days"));
  }
  const uint64_t lifetime = periods * request.interval();
  if (request.lifetime() != 0 && request.lifetime() != lifetime) {
    return RefuseStream(
        "lifetime", absl::StrCat("absent for a stream: it is all periods, ", lifetime, " seconds"));
  }
  if (request.submissions_per_device() > periods) {
    return RefuseStream("submissions_per_device",
                        absl::StrCat("at most the stream's periods, ", periods));
  }
  return absl::OkStatus();
}

uint64_t UsualRetryWindow(uint64_t interval) {
  const uint64_t grace = GraceOf(interval);
  const uint64_t rest = interval > grace ? interval - grace : 0;
  return std::clamp(rest, kAnHour, kADay);
}

uint64_t UsualStreamBatch(uint64_t users) { return users - users / 5; }

absl::Status CheckRetries(const v1::BatchPolicy& policy) {
  const uint64_t window = policy.retry_window();
  if (policy.interval() >= window + GraceOf(policy.interval())) return absl::OkStatus();
  // A longer interval has more grace: the least that has room for its own.
  uint64_t least = window;
  while (least < window + GraceOf(least)) least = window + GraceOf(least);
  return RefuseStream(
      "interval", absl::StrCat("at least ", InSeconds(least), " for a stream: its retry window of ",
                               InSeconds(window),
                               ", and a grace of a tenth of the interval, at most ten minutes"));
}

void SetAnyNodes(const v1::CreateTaskRequest& request, v1::Task* task) {
  v1::Stream* const stream = task->mutable_stream();
  for (uint32_t i = 0; i < request.stream().periods(); ++i) {
    stream->add_start(i);
    v1::StreamNode* const node = stream->add_nodes();
    node->set_smallest_batch(task->batch_policy().smallest_batch());
    // Of which next to none need be honest.
    v1::Dummies* const dummies = node->mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
    dummies->set_rate(uint64_t{1} << 40);
    dummies->set_honest(1);
    dummies->set_max(1);
  }
}

absl::Status SetNodes(const v1::CreateTaskRequest& request, const mechanism::PlanRequest& plan,
                      v1::Task* task) {
  mechanism::StreamPlanRequest asked{
      .plan = plan,
      .periods = static_cast<int64_t>(request.stream().periods()),
      .device_periods = std::max<int64_t>(1, request.submissions_per_device())};
  TOMBOLA_ASSIGN_OR_RETURN(asked.structure, StructureOf(request.stream().structure()));
  // Who asks for a mechanism or for a number of messages gets it.
  if (!request.mechanism().empty() || request.has_max_messages()) {
    asked.most_messages = mechanism::kMostReports;
  }
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<mechanism::StreamCandidate> candidates,
                           CandidatesFor(asked, request));
  const mechanism::StreamChoice choice = mechanism::ChooseStream(candidates, asked);
  if (choice.candidate == nullptr) {
    std::string reasons;
    for (const mechanism::StreamCandidate& candidate : candidates) {
      absl::StrAppend(&reasons, "; ", candidate.mechanism, ", ",
                      mechanism::NameOf(candidate.structure), ": ", candidate.reason);
    }
    return absl::FailedPreconditionError(
        absl::StrCat("no mechanism and structure meet the target", reasons));
  }
  const mechanism::StreamCandidate& chosen = *choice.candidate;
  v1::Stream* const stream = task->mutable_stream();
  stream->Clear();
  for (int64_t t = 1; t <= asked.periods; ++t) {
    const int64_t begin = chosen.layout->start(t);
    stream->add_start(static_cast<uint32_t>(begin));
    v1::StreamNode* const node = stream->add_nodes();
    node->set_smallest_batch(static_cast<uint64_t>(t - begin) *
                             task->batch_policy().smallest_batch());
    mechanism::ToProto(*chosen.nodes[static_cast<size_t>(t - 1)], node->mutable_mechanism());
  }
  return absl::OkStatus();
}

}  // namespace tombola::collector
