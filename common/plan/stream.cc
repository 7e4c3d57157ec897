#include "common/plan/stream.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/accounting/work.h"
#include "common/base/status_macros.h"
#include "common/mechanism/every.h"
#include "common/plan/stream_nodes.h"
#include "common/stream/shares.h"
#include "common/table/filling.h"

namespace tombola::mechanism {
namespace {

constexpr StreamStructure kStructures[] = {StreamStructure::kPlain, StreamStructure::kFenwick,
                                           StreamStructure::kBest};
// Of the sampling error of the devices themselves: noise below it is not worth a tree.
constexpr double kSmallNoise = 0.1;
// A device of k periods costs about 0.65 k^2 in a tree what one of k costs in plain periods.
constexpr double kPlacedInTree = 0.65;
// Cells of a device, above which the variance of correlated noise, which grows with their square,
// is several times that of Poisson noise.
constexpr int64_t kMostCorrelated = 4;

bool CountsTrees(absl::string_view mechanism) {
  return mechanism == Correlated::kName || mechanism == PureDump::kName || mechanism == Aue::kName;
}

absl::StatusOr<stream::Structure> LayoutOf(StreamStructure structure, int64_t periods,
                                           stream::Norm norm) {
  switch (structure) {
    case StreamStructure::kPlain:
      return stream::Structure::Plain(periods);
    case StreamStructure::kFenwick:
      return stream::Structure::Fenwick(periods);
    case StreamStructure::kBest:
      break;
  }
  return stream::Structure::Best(periods, norm);
}

// Of the count of one cell in every node, from the first on.
std::vector<double> NodeVariances(const StreamCandidate& candidate, int64_t submissions) {
  std::vector<double> variances;
  for (int64_t t = 1; t <= candidate.layout->periods(); ++t) {
    const int64_t all = (t - candidate.layout->start(t)) * submissions;
    const auto counted = static_cast<double>(all);
    variances.push_back(candidate.nodes[static_cast<size_t>(t - 1)]->PredictedMse(all) * counted *
                        counted);
  }
  return variances;
}

void SetVariances(const StreamPlanRequest& request, StreamCandidate* candidate) {
  const stream::Structure& layout = *candidate->layout;
  const auto periods = static_cast<double>(layout.periods());
  const std::vector<double> totals = TotalVariances(*candidate, request.plan.submissions);
  candidate->variance_mean = std::accumulate(totals.begin(), totals.end(), 0.0) / periods;
  candidate->variance_max = *std::max_element(totals.begin(), totals.end());
  const std::vector<double> nodes = NodeVariances(*candidate, request.plan.submissions);
  double singles = 0;
  for (int64_t t = 1; t <= layout.periods(); ++t) {
    for (const stream::SignedNode& part : layout.Range(t, t)) {
      singles += nodes[static_cast<size_t>(part.node - 1)];
    }
  }
  candidate->variance_single = singles / periods;
}

void SetMessages(StreamCandidate* candidate) {
  const stream::Structure& layout = *candidate->layout;
  const auto periods = static_cast<size_t>(layout.periods());
  std::vector<int64_t> most(periods), depth(periods);
  double sum = 0;
  for (size_t t = 1; t <= periods; ++t) {
    const Mechanism& node = *candidate->nodes[t - 1];
    const auto begin = static_cast<size_t>(layout.start(static_cast<int64_t>(t)));
    sum += static_cast<double>(t - begin) * node.expected_reports_per_submission();
    for (size_t period = begin; period < t; ++period) {
      most[period] += node.max_reports_per_submission();
      ++depth[period];
    }
  }
  candidate->messages = sum / static_cast<double>(periods);
  candidate->most_messages = *std::max_element(most.begin(), most.end());
  candidate->depth = static_cast<size_t>(*std::max_element(depth.begin(), depth.end()));
}

StreamCandidate CandidateOf(absl::string_view mechanism, StreamStructure structure, bool named,
                            const StreamPlanRequest& request) {
  StreamCandidate candidate{.mechanism = std::string(mechanism), .structure = structure};
  if (mechanism == Correlated::kName && !named && request.plan.filling.held > kMostCorrelated) {
    candidate.reason =
        absl::StrCat("has far more noise than pure_dump for ", request.plan.filling.held,
                     " cells of a device; is planned only where it is named");
    return candidate;
  }
  accounting::Work work(kStreamWork, request.plan.all_work);
  PlanRequest plan = request.plan;
  plan.work = &work;
  const auto made = [&]() -> absl::Status {
    TOMBOLA_ASSIGN_OR_RETURN(candidate.layout,
                             LayoutOf(structure, request.periods, NormOf(mechanism)));
    TOMBOLA_ASSIGN_OR_RETURN(candidate.nodes, PlanNodes(mechanism, *candidate.layout, plan));
    return absl::OkStatus();
  }();
  if (!made.ok()) {
    candidate.reason = std::string(made.message());
    return candidate;
  }
  candidate.feasible = true;
  SetVariances(request, &candidate);
  SetMessages(&candidate);
  return candidate;
}

absl::Status Validate(const StreamPlanRequest& request, absl::string_view only) {
  if (request.periods < 1 || request.periods > stream::kMostSearchedPeriods) {
    return absl::InvalidArgumentError(absl::StrCat(
        "periods must be in [1, ", stream::kMostSearchedPeriods, "], is ", request.periods));
  }
  if (request.device_periods < 1 || request.device_periods > request.periods) {
    return absl::InvalidArgumentError(absl::StrCat("device_periods must be in [1, ",
                                                   request.periods, "], as many as periods, is ",
                                                   request.device_periods));
  }
  const Filling& filling = request.plan.filling;
  TOMBOLA_RETURN_IF_ERROR(ValidateFilling(filling, request.plan.domain_size));
  if (filling.sent != filling.held || filling.units != 1) {
    return absl::InvalidArgumentError(
        "a device says all distinct cells that it fills of a stream in a period");
  }
  if (!only.empty() && !CountsTrees(only) && only != Grr::kName) {
    return absl::InvalidArgumentError(
        "a stream's mechanism must be correlated, pure_dump or aue, or with plain periods grr");
  }
  if (only == Grr::kName && (request.certain || filling.held > 1)) {
    return absl::InvalidArgumentError("grr counts streams of one value of a device only");
  }
  if (only == Grr::kName &&
      request.structure.value_or(StreamStructure::kPlain) != StreamStructure::kPlain) {
    return absl::InvalidArgumentError("grr counts streams of the plain structure only");
  }
  // What is out of bounds for a batch is for a period.
  const absl::Status period = PlanOne(PureDump::kName, request.plan).status();
  if (absl::IsInvalidArgument(period)) return period;
  const double honest = static_cast<double>(request.plan.honest);
  if (request.plan.delta * honest >= 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("delta must be below 1 / honest submissions of a period, which is ",
                     1 / honest, ", for a stream"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view NameOf(StreamStructure structure) {
  switch (structure) {
    case StreamStructure::kPlain:
      return "plain";
    case StreamStructure::kFenwick:
      return "fenwick";
    case StreamStructure::kBest:
      break;
  }
  return "best";
}

std::optional<StreamStructure> StructureNamed(absl::string_view name) {
  for (const StreamStructure structure : kStructures) {
    if (name == NameOf(structure)) return structure;
  }
  return std::nullopt;
}

absl::StatusOr<std::vector<StreamCandidate>> PlanStream(const StreamPlanRequest& request,
                                                        absl::string_view only) {
  TOMBOLA_RETURN_IF_ERROR(Validate(request, only));
  std::vector<StreamCandidate> candidates;
  for (const absl::string_view mechanism :
       {Correlated::kName, PureDump::kName, Aue::kName, Grr::kName}) {
    if (!only.empty() && mechanism != only) continue;
    for (const StreamStructure structure : kStructures) {
      if (request.structure.has_value() && structure != *request.structure) continue;
      if (!CountsTrees(mechanism) && structure != StreamStructure::kPlain) continue;
      if (mechanism == Grr::kName && (request.certain || request.plan.filling.held > 1)) continue;
      candidates.push_back(CandidateOf(mechanism, structure, !only.empty(), request));
    }
  }
  return candidates;
}

std::vector<double> TotalVariances(const StreamCandidate& candidate, int64_t submissions) {
  std::vector<double> totals = {0};
  for (const double node : NodeVariances(candidate, submissions)) {
    const auto t = static_cast<int64_t>(totals.size());
    totals.push_back(node + totals[static_cast<size_t>(candidate.layout->start(t))]);
  }
  totals.erase(totals.begin());
  return totals;
}

namespace {

enum class Among { kAll, kPlain, kTrees };

// The least mean variance; at about the same the one with fewer nodes, which comes first.
const StreamCandidate* BestOf(const std::vector<StreamCandidate>& candidates, int64_t most_messages,
                              Among among) {
  const StreamCandidate* best = nullptr;
  for (const StreamCandidate& candidate : candidates) {
    if (!candidate.feasible || candidate.most_messages > most_messages) continue;
    if (among == Among::kPlain && candidate.structure != StreamStructure::kPlain) continue;
    if (among == Among::kTrees && candidate.depth == 1) continue;
    if (best == nullptr || candidate.variance_mean < best->variance_mean * (1 - 1e-3)) {
      best = &candidate;
    }
  }
  return best;
}

// Why plain periods are chosen, by the trees that were planned beside them, if any were.
std::string WhyNoTree(const std::vector<StreamCandidate>& candidates, const StreamCandidate& plain,
                      int64_t most_messages) {
  const bool planned =
      std::any_of(candidates.begin(), candidates.end(), [](const StreamCandidate& candidate) {
        return candidate.structure != StreamStructure::kPlain;
      });
  if (!planned) return "";
  const StreamCandidate* const tree = BestOf(candidates, most_messages, Among::kTrees);
  if (tree != nullptr) {
    return absl::StrFormat(
        "summing plain periods is better: the best tree (%s, %s) has totals with %.3g times the "
        "variance",
        tree->mechanism, NameOf(tree->structure), tree->variance_mean / plain.variance_mean);
  }
  const bool trees =
      std::any_of(candidates.begin(), candidates.end(), [](const StreamCandidate& candidate) {
        return candidate.structure != StreamStructure::kPlain &&
               (!candidate.feasible || candidate.depth > 1);
      });
  return trees ? "summing plain periods is what meets these demands: no tree does"
               : "summing plain periods is as good as any tree";
}

// Why plain periods are better than the best tree, if they are.
std::string WhyPlain(const StreamCandidate& plain, const StreamCandidate& best,
                     const StreamPlanRequest& request) {
  const auto periods = static_cast<double>(request.periods);
  const auto device_periods = static_cast<double>(request.device_periods);
  const double times = plain.variance_mean / best.variance_mean;
  const double f = request.plan.frequency;
  const double sampling = static_cast<double>(request.plan.submissions) * f * (1 - f);
  const double batch = plain.variance_max / periods;
  if (batch <= kSmallNoise * sampling) {
    return absl::StrFormat(
        "summing plain periods is better: the devices' own sampling varies a count of a share of "
        "%g "
        "%.3g times as much as their noise, and a tree would make single periods %.3g times as "
        "noisy",
        f, sampling / batch, best.variance_single / plain.variance_single);
  }
  const auto variances =
      stream::VariancesOf(*best.layout, stream::SharesOf(*best.layout, NormOf(best.mechanism)));
  if (device_periods <= kPlacedInTree * periods / variances.mean) return "";
  return absl::StrFormat(
      "summing plain periods is better: a device of %d periods costs about %.3g times as much in a "
      "tree, whose totals have %.3g times less variance",
      request.device_periods, kPlacedInTree * device_periods, times);
}

}  // namespace

StreamChoice ChooseStream(const std::vector<StreamCandidate>& candidates,
                          const StreamPlanRequest& request) {
  int64_t most_messages = std::min(request.most_messages, kMostReports);
  if (BestOf(candidates, most_messages, Among::kAll) == nullptr) most_messages = kMostReports;
  const StreamCandidate* const best = BestOf(candidates, most_messages, Among::kAll);
  if (best == nullptr) return {};
  const StreamCandidate* const plain = BestOf(candidates, most_messages, Among::kPlain);
  const StreamCandidate* const any = BestOf(candidates, kMostReports, Among::kAll);
  StreamChoice choice{.candidate = best};
  if (best == plain) {
    choice.why = WhyNoTree(candidates, *best, most_messages);
  } else if (plain != nullptr) {
    choice.why = WhyPlain(*plain, *best, request);
    if (!choice.why.empty()) return {plain, choice.why};
    choice.why = absl::StrFormat("totals have %.3g times less variance than sums of plain periods",
                                 plain->variance_mean / best->variance_mean);
  }
  if (request.structure.has_value()) {
    choice.why = any == best ? absl::StrCat("the least mean variance of the structure ",
                                            NameOf(*request.structure), "; ")
                             : "";
    absl::StrAppend(&choice.why, "other structures were not planned");
  }
  if (any != best) {
    absl::StrAppend(
        &choice.why, choice.why.empty() ? "" : "; ",
        absl::StrFormat("%s, %s would have %.3g times less, but a submission of it may have %d "
                        "messages, and a usual device's policy allows %d",
                        any->mechanism, NameOf(any->structure),
                        best->variance_mean / any->variance_mean, any->most_messages,
                        kUsualMostReports));
  }
  return choice;
}

}  // namespace tombola::mechanism
