#include "cli/stream/describe.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/stream/question.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"

namespace tombola::cli {
namespace {

constexpr int kBoundDigits = 6;
// Blocks of 1 to 2^9 periods.
constexpr int kPredictedBlocks = 10;

}  // namespace

absl::StatusOr<StreamDescription> DescribeStream(const stream::TotalsOptions& options,
                                                 const stream::RunningTotals& totals) {
  const stream::Design& design = totals.design();
  StreamDescription said = {.options = options,
                            .structure = StructureName(design.method),
                            .epsilon = design.epsilon,
                            // Another block may have noise that takes it.
                            .delta = options.unbounded ? options.question.delta : design.delta,
                            .predicted = design.periods,
                            .variance_mean = design.mean_variance,
                            .variance_max = design.max_variance,
                            .done = totals.periods()};
  if (options.unbounded) {
    said.structure = StructureName(options.question.method);
    TOMBOLA_ASSIGN_OR_RETURN(const stream::UnboundedVariance variance,
                             stream::PredictUnbounded(options, kPredictedBlocks));
    said.predicted = variance.periods;
    said.variance_mean = variance.mean;
    said.variance_max = variance.max;
  }
  return said;
}

std::string ToText(const StreamDescription& said) {
  const stream::Question& question = said.options.question;
  std::string text = absl::StrFormat(
      "%s, structure %s: epsilon %s, delta %s for all totals together, of streams that differ in "
      "one record, which changes %s by at most %d.\n",
      said.options.unbounded ? std::string("no last period")
                             : absl::StrCat(question.periods, " periods"),
      said.structure, RoundedUp(said.epsilon, kBoundDigits), RoundedUp(said.delta, kBoundDigits),
      question.intervals == 1 ? std::string("one increment")
                              : absl::StrCat(question.intervals, " increments"),
      question.sensitivity);
  if (said.options.unbounded) {
    absl::StrAppend(
        &text,
        "Blocks of 1, 2, 4, ... periods with noise of their own: an increment is in one "
        "of them, so epsilon is that of one block; what a block ends with is in all "
        "later totals.\n");
  }
  absl::StrAppendFormat(&text,
                        "Standard error of a total: %.4g over the %s%d periods, %.4g at most.\n",
                        std::sqrt(said.variance_mean), said.options.unbounded ? "first " : "",
                        said.predicted, std::sqrt(said.variance_max));
  if (question.method == stream::Method::kKAry || !question.adaptive) {
    absl::StrAppend(&text, "No increment may depend on a total that was released.\n");
  }
  if (said.done > 0) absl::StrAppendFormat(&text, "Goes on with period %d.\n", said.done + 1);
  return text;
}

Json ToJson(const StreamDescription& said) {
  const stream::Question& question = said.options.question;
  return {{"structure", said.structure},
          {"periods", said.options.unbounded ? Json() : Json(question.periods)},
          {"epsilon", said.epsilon},
          {"delta", said.delta},
          {"most", said.options.largest},
          {"sensitivity", question.sensitivity},
          {"user_periods", question.intervals},
          {"fixed", !question.adaptive},
          {"done", said.done},
          {"predicted", said.predicted},
          {"variance_mean", said.variance_mean},
          {"variance_max", said.variance_max}};
}

}  // namespace tombola::cli
