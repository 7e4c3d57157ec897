#include "common/plan/number.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status_macros.h"
#include "common/kind/levels.h"
#include "common/kind/number.h"
#include "common/mechanism/every.h"
#include "common/plan/level_noise.h"
#include "common/ranges/range_tree.h"
#include "common/ranges/range_variance.h"
#include "common/table/domain_size.h"

namespace tombola::mechanism {
namespace {

// Of so many bins a tree's errors take a while to sum up, and trees of few levels are enough.
constexpr int64_t kManyBins = int64_t{1} << 18;

absl::Status Refuse(absl::string_view field, int64_t value, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat(field, " is ", value, "; it must be ", bound));
}

absl::Status CheckNumbers(const NumberPlanRequest& request) {
  if (request.dithered && request.sent.value_or(1) != 1) {
    return Refuse("sent", *request.sent, "1 where numbers become levels, which are no tree");
  }
  if (request.dithered) {
    if (request.bins == 0 || (request.bins >= 2 && request.bins <= kMostLevels)) {
      return absl::OkStatus();
    }
    return Refuse("levels", request.bins, absl::StrCat("in [2, ", kMostLevels, "]"));
  }
  if (!ValidateDomain(request.bins).ok()) {
    return Refuse("resolution", request.bins, kDomainBound);
  }
  const int64_t branching = request.branching.value_or(0);
  if (branching != 0 && (branching < 2 || branching > kMostBranching)) {
    return Refuse("branching", branching, absl::StrCat("0 or in [2, ", kMostBranching, "]"));
  }
  if (request.sent.has_value() && *request.sent < 1) {
    return Refuse("sent", *request.sent, "at least 1");
  }
  return absl::OkStatus();
}

// Over all ranges, where the counts of all levels have the same error.
double ErrorOf(const RangeTree& tree) {
  return RangeVariance(tree, std::vector<double>(static_cast<size_t>(tree.levels()), 1))
      .OverAllRanges();
}

// The trees that are tried: the bins alone, and of every number of levels, on which noise depends,
// the one with the least errors of ranges.
std::vector<RangeTree> Trees(const NumberPlanRequest& request) {
  std::vector<int64_t> branchings = {0, 2, 3, 4, 5, 8, 16, 32};
  if (request.bins > kManyBins) branchings = {0, 4, 16};
  const auto root = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(request.bins))));
  if (root >= 2 && root <= kMostBranching) branchings.push_back(root);
  if (request.branching.has_value()) branchings = {*request.branching};
  std::vector<RangeTree> trees;
  std::vector<double> errors;
  for (const int64_t branching : branchings) {
    RangeTree tree(request.bins, branching, request.missing);
    const bool tall = branching == 0 || tree.levels() > 1 || request.branching.has_value();
    if (!tall || tree.cells() > kLargestDomain) continue;
    const double error = ErrorOf(tree);
    const auto same = std::find_if(trees.begin(), trees.end(), [&](const RangeTree& other) {
      return other.levels() == tree.levels();
    });
    if (same == trees.end()) {
      trees.push_back(std::move(tree));
      errors.push_back(error);
    } else if (error < errors[static_cast<size_t>(same - trees.begin())]) {
      errors[static_cast<size_t>(same - trees.begin())] = error;
      *same = std::move(tree);
    }
  }
  return trees;
}

// Of a trusted party that adds Laplace noise to the cells that devices fill.
CountModel CentralModel(const PlanRequest& plan) {
  const double scaled = plan.epsilon / static_cast<double>(plan.filling.held);
  return {.support = {.holder = 1, .separation = 1},
          .noise_variance = 8 / (scaled * scaled * static_cast<double>(plan.submissions))};
}

absl::StatusOr<Candidate> CandidateOf(const std::string& name, const PlanRequest& plan) {
  absl::string_view refused;
  // Which cells one report supports together is then not random, and asked are sums of cells.
  if (ChosenBy(name).range) refused = "its reports hash, and say too little of sums over bins";
  if (name == Rappor::kName) refused = "it is for histograms";
  if (refused.empty()) return PlanCandidate(name, plan);
  Candidate candidate{.name = name, .reason = std::string(refused)};
  if (plan.filling.held > 1) candidate.sent = plan.filling.sent;
  return candidate;
}

// Where nobody says how many messages there may be: trees are free to choose, and one whose reports
// most devices would refuse is a poor choice.
void RefuseUnusual(const PlanRequest& plan, Candidate* candidate) {
  if (std::isfinite(plan.max_messages) || candidate->mechanism == nullptr) return;
  std::string reason = RefusedByUsualDevices(*candidate->mechanism);
  if (reason.empty()) return;
  candidate->feasible = false;
  candidate->mechanism = nullptr;
  candidate->reason = std::move(reason);
}

// Of how many levels a device may speak: of all, by shared noise, and of one where a local epsilon
// or few messages are asked for. Randomised responses on all levels share the local epsilon among
// them and take long to plan: by name only.
std::vector<int64_t> SentNumbers(const NumberPlanRequest& request, const std::string& name,
                                 bool named, int64_t levels) {
  if (request.sent.has_value()) {
    const bool divides = levels % *request.sent == 0;
    return divides ? std::vector<int64_t>{*request.sent} : std::vector<int64_t>{};
  }
  const bool local = std::isfinite(request.plan.max_local_epsilon);
  const bool scarce = std::isfinite(request.plan.max_messages);
  if (levels == 1) return {1};
  if (named) return {levels, 1};
  std::vector<int64_t> numbers;
  if (name != Grr::kName) numbers.push_back(levels);
  if (local || scarce) numbers.push_back(1);
  return numbers;
}

// All that can count the cells of a tree, without an error: with the same noise on all levels, and
// where there are several and it can be, also divided among them.
absl::StatusOr<std::vector<Candidate>> PlanCells(const NumberPlanRequest& request,
                                                 const RangeTree& tree,
                                                 const std::vector<LevelNoise>& noise,
                                                 absl::string_view only) {
  const int64_t levels = tree.levels();
  PlanRequest plan = request.plan;
  plan.domain_size = tree.cells();
  plan.dominated = !only.empty();
  std::vector<Candidate> candidates;
  for (const std::string& name : MechanismNames()) {
    if (only.empty() ? OnlyByName(name) : name != only) continue;
    for (const int64_t sent : SentNumbers(request, name, !only.empty(), levels)) {
      plan.filling = {.held = levels, .sent = sent};
      TOMBOLA_ASSIGN_OR_RETURN(candidates.emplace_back(), CandidateOf(name, plan));
      if (only.empty()) RefuseUnusual(plan, &candidates.back());
      if (name != PureDump::kName || noise.size() < 2 || sent != levels) continue;
      if (plan.method != Method::kTight) continue;
      PlanRequest divided = plan;
      divided.levels = noise;
      TOMBOLA_ASSIGN_OR_RETURN(candidates.emplace_back(), CandidateOf(name, divided));
      if (only.empty()) RefuseUnusual(plan, &candidates.back());
    }
  }
  return candidates;
}

// Sets the errors of what is feasible, and adds the central mechanism, by `error` of the models of
// all levels.
template <typename Error>
void AddErrors(const NumberPlanRequest& request, const RangeTree& tree, bool central,
               const Error& error, std::vector<Candidate>* candidates) {
  const Tally tally{.submissions = request.plan.submissions};
  for (Candidate& candidate : *candidates) {
    if (!candidate.feasible) continue;
    const Mechanism& mechanism = *candidate.mechanism;
    candidate.mse = error(LevelModels(tree, mechanism), mechanism.filling(), tally);
  }
  if (!central) return;
  PlanRequest plan = request.plan;
  plan.filling = {.held = tree.levels(), .sent = tree.levels()};
  const std::vector<CountModel> models(static_cast<size_t>(tree.levels()), CentralModel(plan));
  candidates->push_back({.name = "laplace",
                         .feasible = true,
                         .central = true,
                         .reason = "central: needs a trusted party that sees every value",
                         .mse = error(models, plan.filling, tally)});
}

// Everything that can count the cells of a tree, with errors of ranges.
absl::StatusOr<std::vector<Candidate>> PlanTree(const NumberPlanRequest& request,
                                                const RangeTree& tree, absl::string_view only) {
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<Candidate> candidates,
                           PlanCells(request, tree, DivideNoise(tree), only));
  AddErrors(
      request, tree, only.empty() && !request.sent.has_value(),
      [&](absl::Span<const CountModel> models, const Filling& filling, const Tally& tally) {
        return RangeMse(tree, models, filling, tally);
      },
      &candidates);
  for (Candidate& candidate : candidates) candidate.branching = tree.branching();
  return candidates;
}

absl::StatusOr<std::vector<Candidate>> PlanLevels(const NumberPlanRequest& request, int64_t levels,
                                                  absl::string_view only) {
  const RangeTree alone(levels, /*branching=*/0, request.missing);
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<Candidate> candidates,
                           PlanCells(request, alone, /*noise=*/{}, only));
  AddErrors(
      request, alone, only.empty(),
      [&](absl::Span<const CountModel> models, const Filling&, const Tally& tally) {
        return DitheredMse(levels, models.front(), tally);
      },
      &candidates);
  for (Candidate& candidate : candidates) candidate.levels = levels;
  return candidates;
}

// Of trees a taller one may be a little better and take twice the messages.
constexpr double kAlikeTrees = 1.1;

// Of each name the best, or where none is feasible the first.
std::vector<Candidate> BestOfEach(std::vector<Candidate> all) {
  std::vector<Candidate> best;
  while (!all.empty()) {
    const std::string name = all.front().name;
    const auto others = std::stable_partition(
        all.begin(), all.end(), [&](const Candidate& candidate) { return candidate.name == name; });
    std::vector<Candidate> same(std::make_move_iterator(all.begin()),
                                std::make_move_iterator(others));
    all.erase(all.begin(), others);
    const Candidate* chosen = Recommended(same, Left::kAnything, kAlikeTrees);
    if (chosen == nullptr) {
      chosen = &*std::min_element(same.begin(), same.end(),
                                  [](const auto& a, const auto& b) { return a.mse < b.mse; });
    }
    best.push_back(*chosen);
  }
  return best;
}

void Append(std::vector<Candidate> from, std::vector<Candidate>* to) {
  to->insert(to->end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Of how many levels a device speaks divides those of a tree.
absl::Status CheckSent(const NumberPlanRequest& request, const std::vector<RangeTree>& trees) {
  if (!request.sent.has_value()) return absl::OkStatus();
  std::vector<int64_t> levels;
  for (const RangeTree& tree : trees) {
    if (tree.levels() % *request.sent == 0) return absl::OkStatus();
    levels.push_back(tree.levels());
  }
  std::sort(levels.begin(), levels.end());
  return Refuse("sent", *request.sent,
                absl::StrCat("a divisor of the levels of a tree over these bins, which may be ",
                             absl::StrJoin(levels, ", ")));
}

absl::StatusOr<std::vector<Candidate>> PlanTrees(const NumberPlanRequest& request,
                                                 absl::string_view only) {
  std::vector<Candidate> planned, tall;
  const std::vector<RangeTree> trees = Trees(request);
  if (trees.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("resolution is ", request.bins,
                     "; with the nodes above them there are more than ", kLargestDomainText));
  }
  TOMBOLA_RETURN_IF_ERROR(CheckSent(request, trees));
  for (const RangeTree& tree : trees) {
    TOMBOLA_ASSIGN_OR_RETURN(auto candidates, PlanTree(request, tree, only));
    // Those for one cell say so once.
    if (tree.levels() > 1 && trees.size() > 1) {
      std::erase_if(candidates, [](const Candidate& candidate) { return !candidate.feasible; });
    }
    Append(std::move(candidates), tree.levels() == 1 ? &planned : &tall);
  }
  Append(BestOfEach(std::move(tall)), &planned);
  return planned;
}

// The error falls with the number of levels while rounding is most of it, and rises with the noise
// on them: of each mechanism the best is looked for from few to many, until all have risen.
absl::StatusOr<std::vector<Candidate>> PlanBestLevels(const NumberPlanRequest& request,
                                                      absl::string_view only) {
  std::vector<Candidate> all;
  double least = std::numeric_limits<double>::infinity();
  for (const int64_t levels : {2, 3, 4, 5, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256}) {
    TOMBOLA_ASSIGN_OR_RETURN(auto candidates, PlanLevels(request, levels, only));
    double here = std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : candidates) {
      if (!candidate.central) here = std::min(here, candidate.mse);
    }
    Append(std::move(candidates), &all);
    if (here > 1.5 * least) break;
    least = std::min(least, here);
  }
  return BestOfEach(std::move(all));
}

}  // namespace

absl::StatusOr<std::vector<Candidate>> PlanNumber(const NumberPlanRequest& request,
                                                  absl::string_view only) {
  TOMBOLA_RETURN_IF_ERROR(CheckNumbers(request));
  if (!request.dithered) return PlanTrees(request, only);
  if (request.bins == 0) return PlanBestLevels(request, only);
  return PlanLevels(request, request.bins, only);
}

Left LeftByDefault(const NumberPlanRequest& request) {
  const bool bins_alone = request.branching.has_value() && *request.branching == 0;
  return request.dithered || bins_alone ? Left::kSomething : Left::kAnything;
}

}  // namespace tombola::mechanism
