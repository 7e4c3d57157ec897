#include "cli/plan/plan_text.h"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/accounting/composition.h"
#include "common/accounting/submission_loss.h"
#include "common/base/decimal.h"
#include "common/base/half_width.h"
#include "common/json/mechanism.h"
#include "common/json/plan.h"

namespace tombola::cli {
namespace {

using mechanism::Candidate;
using mechanism::PlanRequest;

void PrintRow(const mechanism::Candidate& candidate, bool recommended, const PlanOptions& options) {
  std::cout << absl::StrFormat("%s %-11s", recommended ? "*" : " ", candidate.name);
  if (options.number()) {
    const auto tree = options.numbers.mean_only ? candidate.levels : candidate.branching;
    std::cout << absl::StrFormat(" %6d", tree.value_or(0));
    if (!options.numbers.mean_only)
      std::cout << absl::StrFormat(" %4d", candidate.sent.value_or(1));
  } else if (candidate.sent.has_value()) {
    std::cout << absl::StrFormat(" %4d", *candidate.sent);
  }
  if (!candidate.feasible) {
    std::cout << "  not feasible: " << candidate.reason << "\n";
    return;
  }
  std::cout << absl::StrFormat("  %7.3g %%", 100 * HalfWidth95(candidate.mse));
  if (candidate.mechanism == nullptr) {
    std::cout << "  " << candidate.reason << "\n";
    return;
  }
  std::cout << absl::StrFormat(
      "  %8.4g  %7d  %7.0f  %s\n", candidate.mechanism->expected_reports_per_submission(),
      candidate.mechanism->max_reports_per_submission(), BytesPerUser(*candidate.mechanism),
      DescribeParameters(*candidate.mechanism));
  if (options.submissions > 1) {
    const double total = TotalEpsilon(*candidate.mechanism, options);
    std::cout << absl::StrFormat(
        "  %-11s  %d submissions in as many batches: %s\n", "", options.submissions,
        std::isfinite(total) ? absl::StrCat("epsilon ", RoundedUp(total, 4), ", delta ",
                                            RoundedUp(options.total(), 4))
                             : std::string("nothing"));
  }
  if (!candidate.reason.empty()) {
    std::cout << absl::StrFormat("  %-11s  %s\n", "", candidate.reason);
  }
}

// What is counted, as the heading of the table says it.
std::string CountedText(const PlanOptions& options) {
  if (!options.number()) {
    return absl::StrCat(options.request.domain_size,
                        options.several() ? absl::StrCat(" cells, of which a device fills ",
                                                         options.request.filling.held)
                                          : " values");
  }
  if (!options.numbers.mean_only) return absl::StrCat(options.values, " bins");
  return options.values == 0 ? "levels" : absl::StrCat(options.values, " levels");
}

// Its columns of what differs between candidates of one mechanism.
std::string ColumnsText(const PlanOptions& options) {
  if (!options.number()) return options.several() ? " sent" : "";
  return options.numbers.mean_only ? " levels" : " branch sent";
}

// Of the best candidate, in words.
std::string ErrorText(const Candidate& best, const PlanOptions& options) {
  const double half = 100 * HalfWidth95(best.mse);
  if (options.number() && options.numbers.mean_only) {
    return absl::StrFormat("the mean is off by\n  up to %.3g %% of the range", half);
  }
  if (options.number()) {
    return absl::StrFormat(
        "the share of devices in\n  a range is off by up to %.3g %% over all ranges", half);
  }
  return absl::StrFormat("a share is off by\n  up to %.3g %%%s", half,
                         options.several() ? absl::StrFormat(" for a cell that %g %% hold",
                                                             100 * options.request.frequency)
                                           : "");
}

}  // namespace

double TotalEpsilon(const mechanism::Mechanism& mechanism, const PlanOptions& options) {
  constexpr double kNegligibleShare = 1e-3;  // of delta, for losses that are not looked at
  const double local = accounting::Times(options.submissions, mechanism.local_epsilon());
  const auto loss =
      mechanism.Loss(options.request.honest,
                     kNegligibleShare * options.total() / static_cast<double>(options.submissions));
  if (!loss.ok()) return local;
  const auto epsilon = accounting::EpsilonOver(*loss, options.submissions, options.total());
  return epsilon.ok() ? std::min(*epsilon, local) : local;
}

std::vector<std::string> AllWarnings(const Candidate* best, const PlanOptions& options) {
  return options.number() ? NumberPlanWarnings(best, options.NumberRequest())
                          : PlanWarnings(best, options.request);
}

void PrintTable(const std::vector<Candidate>& candidates, const Candidate* best,
                const PlanOptions& options) {
  const PlanRequest& request = options.request;
  std::cout << absl::StrFormat(
      "%d users, %d honest; %s; epsilon %s, delta %s; %s accounting\n\n"
      "  %-11s%s  %9s  %8s  %7s  %7s  %s\n",
      request.submissions, request.honest, CountedText(options), RoundedUp(request.epsilon, 6),
      RoundedUp(request.delta, 6), options.method, "mechanism", ColumnsText(options), "error",
      "messages", "at most", "bytes", "parameters");
  for (const Candidate& candidate : candidates) PrintRow(candidate, &candidate == best, options);
  if (best == nullptr) {
    std::cout << "\nno mechanism meets these demands\n";
  } else {
    std::cout << absl::StrFormat(
        "\n* the least error of those that need nobody who sees every value; %s, in 95 of 100 "
        "(error: the 95 %% half-width), before\n  post-processing. The local epsilon is what is "
        "left "
        "if shuffler and collector collude: cap it with --max-local-epsilon.\n",
        ErrorText(*best, options));
  }
  for (const std::string& warning : AllWarnings(best, options))
    std::cout << "! " << warning << "\n";
}

}  // namespace tombola::cli
