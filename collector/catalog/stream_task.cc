#include "collector/catalog/stream_task.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/status_macros.h"
#include "common/kind/number.h"
#include "common/mechanism/every.h"
#include "common/mechanism/registry.h"
#include "common/plan/number.h"
#include "common/plan/stream.h"
#include "common/ranges/range_tree.h"
#include "common/stream/structure.h"
#include "common/table/domain_size.h"
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

// A device says its node on every level of the tree.
void SetLevelsSent(v1::Task* task) {
  v1::Numbers* const numbers = task->mutable_numbers();
  const auto bins = static_cast<int64_t>(task->domain().size());
  // Who reads the task says what is wrong with these.
  if (bins < mechanism::kSmallestDomain || bins > mechanism::kLargestDomain ||
      numbers->branching() == 1 || numbers->branching() > kMostBranching) {
    numbers->set_sent(1);
    return;
  }
  const RangeTree tree(bins, numbers->branching(), numbers->missing());
  numbers->set_sent(static_cast<uint32_t>(tree.levels()));
}

// Those of the structure that is asked for; else of plain periods and the best structure, which is
// never worse than a Fenwick tree, and takes less planning.
absl::StatusOr<std::vector<mechanism::StreamCandidate>> CandidatesFor(
    mechanism::StreamPlanRequest asked, const v1::CreateTaskRequest& request) {
  const std::string& mechanism = request.mechanism();
  std::vector<mechanism::StreamCandidate> candidates;
  if (asked.structure.has_value() || mechanism == mechanism::Grr::kName) {
    return mechanism::PlanStream(asked, mechanism);
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
  return candidates;
}

// What its kind needs is said by who reads the task.
absl::Status CheckOf(const v1::CreateTaskRequest& request) {
  const v1::Kind of = request.stream().of();
  if (request.has_records()) return RefuseStream("records", "absent for a stream");
  if (of == v1::KIND_UNSPECIFIED || of == v1::KIND_HISTOGRAM) {
    if (!request.has_items() && !request.has_levels() && !request.has_numbers()) {
      return absl::OkStatus();
    }
    return RefuseStream("items, levels and numbers", "absent for a stream of values");
  }
  if (of != v1::KIND_SET && of != v1::KIND_KEY_VALUE && of != v1::KIND_NUMBER) {
    return RefuseStream("stream.of", "KIND_HISTOGRAM, KIND_SET, KIND_KEY_VALUE or KIND_NUMBER");
  }
  if (request.mechanism() == mechanism::Grr::kName) {
    return RefuseStream("mechanism", "correlated, pure_dump or aue for a stream of this kind");
  }
  const uint32_t sent = request.items().sent();
  if (request.numbers().sent() != 0 || (sent != 0 && sent != request.items().max_items())) {
    return RefuseStream("sent", "absent for a stream, of which a device sends all that it fills");
  }
  return absl::OkStatus();
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
  TOMBOLA_RETURN_IF_ERROR(CheckOf(request));
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
  if (request.stream().of() != v1::KIND_HISTOGRAM) stream->set_of(request.stream().of());
  if (task->has_items()) task->mutable_items()->set_sent(task->items().max_items());
  if (task->has_numbers()) SetLevelsSent(task);
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

namespace {

// The candidates of one way to count what a device has.
struct Way {
  std::vector<mechanism::StreamCandidate> candidates;
  std::shared_ptr<const mechanism::Mechanism> tree;  // of numbers: of one period
  int64_t branching = 0;
};

// Of numbers every mechanism has a tree of its own: the one with which it would count one period
// best, if devices say all of it. Variances become those of counts of ranges, so that mechanisms
// compare.
absl::StatusOr<std::vector<Way>> WaysForNumbers(const mechanism::StreamPlanRequest& asked,
                                                v1::CreateTaskRequest request) {
  std::vector<std::string> names = {std::string(mechanism::PureDump::kName),
                                    std::string(mechanism::Aue::kName),
                                    std::string(mechanism::Correlated::kName)};
  if (!request.mechanism().empty()) names = {request.mechanism()};
  mechanism::NumberPlanRequest numbers{.plan = asked.plan,
                                       .bins = static_cast<int64_t>(request.domain_size()),
                                       .missing = request.numbers().missing(),
                                       .dithered = request.numbers().dithered()};
  if (request.has_branching()) numbers.branching = request.branching();
  std::vector<Way> ways;
  for (const std::string& name : names) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto planned, mechanism::PlanNumber(numbers, name));
    const mechanism::Candidate* best = nullptr;
    std::string reason = "has no tree of which a device says every level";
    for (const mechanism::Candidate& candidate : planned) {
      if (!candidate.feasible) {
        reason = candidate.reason;
        continue;
      }
      const mechanism::Filling filling = candidate.mechanism->filling();
      if (filling.sent != filling.held) continue;
      if (best == nullptr || candidate.mse < best->mse) best = &candidate;
    }
    Way& way = ways.emplace_back();
    if (best == nullptr) {
      way.candidates.push_back({.mechanism = name, .reason = reason});
      continue;
    }
    way.tree = best->mechanism;
    way.branching = best->branching.value_or(0);
    mechanism::StreamPlanRequest of_tree = asked;
    of_tree.plan.domain_size = way.tree->domain_size();
    of_tree.plan.filling = way.tree->filling();
    request.set_mechanism(name);
    TOMBOLA_ASSIGN_OR_RETURN(way.candidates, CandidatesFor(of_tree, request));
    const double times = best->mse / way.tree->PredictedMse(asked.plan.submissions);
    for (mechanism::StreamCandidate& candidate : way.candidates) {
      candidate.variance_mean *= times;
      candidate.variance_max *= times;
      candidate.variance_single *= times;
    }
  }
  return ways;
}

}  // namespace

absl::Status SetNodes(const v1::CreateTaskRequest& request, const mechanism::PlanRequest& plan,
                      v1::Task* task) {
  mechanism::StreamPlanRequest asked{
      .plan = plan,
      .periods = static_cast<int64_t>(request.stream().periods()),
      .certain = task->stream().of() != v1::KIND_UNSPECIFIED,
      .device_periods = std::max<int64_t>(1, request.submissions_per_device())};
  TOMBOLA_ASSIGN_OR_RETURN(asked.structure, StructureOf(request.stream().structure()));
  // Who asks for a mechanism or for a number of messages gets it.
  if (!request.mechanism().empty() || request.has_max_messages()) {
    asked.most_messages = mechanism::kMostReports;
  }
  std::vector<Way> ways;
  if (request.has_numbers()) {
    TOMBOLA_ASSIGN_OR_RETURN(ways, WaysForNumbers(asked, request));
  } else {
    TOMBOLA_ASSIGN_OR_RETURN(ways.emplace_back().candidates, CandidatesFor(asked, request));
  }
  std::vector<mechanism::StreamCandidate> candidates;
  std::vector<const Way*> way_of;
  for (Way& way : ways) {
    for (mechanism::StreamCandidate& candidate : way.candidates) {
      candidates.push_back(std::move(candidate));
      way_of.push_back(&way);
    }
  }
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
  stream->clear_start();
  stream->clear_nodes();
  const Way& way = *way_of[static_cast<size_t>(choice.candidate - candidates.data())];
  if (way.tree != nullptr) {
    task->mutable_numbers()->set_branching(static_cast<uint32_t>(way.branching));
    task->mutable_numbers()->set_sent(static_cast<uint32_t>(way.tree->filling().sent));
    if (task->numbers().dithered()) {
      const int64_t apart = task->numbers().missing() ? 1 : 0;
      task->mutable_domain()->set_size(static_cast<uint64_t>(way.tree->domain_size() - apart));
    }
  }
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
