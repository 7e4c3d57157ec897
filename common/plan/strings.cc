#include "common/plan/strings.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/accounting/noise_search.h"
#include "common/base/status_macros.h"
#include "common/mechanism/pure_dump.h"
#include "common/plan/blanket.h"
#include "common/plan/string_threshold.h"
#include "common/table/threshold.h"

namespace tombola::mechanism {
namespace {

using strings::ShapeOptions;
using strings::StringMessages;

constexpr int kLeastBits = 6;
constexpr int kMostBits = 24;
// How far behind the best number of buckets so far the search goes on.
constexpr int kPatience = 3;

template <typename Number>
absl::Status OutOf(absl::string_view field, Number value, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat(field, " is ", value, "; it must be ", bound));
}

absl::Status Validate(const StringPlanRequest& request) {
  const PlanRequest& plan = request.plan;
  if (plan.honest < 1 || plan.honest > accounting::kLargestBatch) {
    return OutOf("honest", plan.honest, "in [1, 2^40]");
  }
  if (plan.submissions < plan.honest) {
    return OutOf("submissions", plan.submissions,
                 absl::StrCat("at least honest, which is ", plan.honest));
  }
  TOMBOLA_RETURN_IF_ERROR(accounting::ValidateEpsilon(plan.epsilon));
  TOMBOLA_RETURN_IF_ERROR(accounting::ValidateDelta(plan.delta));
  if (!(plan.max_local_epsilon > 0)) {
    return OutOf("max_local_epsilon", plan.max_local_epsilon, "greater than 0");
  }
  if (!(plan.max_messages >= 1)) return OutOf("max_messages", plan.max_messages, "at least 1");
  if (!(request.alpha > 0 && request.alpha < 1)) return OutOf("alpha", request.alpha, "in (0, 1)");
  if (!(request.power > 0 && request.power < 1)) return OutOf("power", request.power, "in (0, 1)");
  if (!(request.survivors >= 1)) return OutOf("survivors", request.survivors, "at least 1");
  if (!(request.dictionary >= 1)) return OutOf("dictionary", request.dictionary, "at least 1");
  return absl::OkStatus();
}

// Tests for so many survivors on every level.
double TestsOf(const ShapeOptions& shape, double survivors) {
  const double children =
      std::pow(static_cast<double>(shape.symbols), static_cast<double>(shape.step));
  return static_cast<double>(strings::kFunctions) * survivors * children *
         static_cast<double>(shape.length / shape.step);
}

// With so many symbols a level; the length is rounded up to whole levels.
absl::StatusOr<ShapeOptions> WithStep(const StringPlanRequest& request, int64_t step) {
  const int64_t levels = (request.length + step - 1) / step;
  const ShapeOptions options{.symbols = request.symbols,
                             .length = levels * step,
                             .step = step,
                             .range = request.plan.range.has_value()
                                          ? static_cast<int64_t>(*request.plan.range)
                                          : strings::kLeastRange,
                             .whole = request.whole};
  TOMBOLA_RETURN_IF_ERROR(strings::Shape::Create(options).status());
  return options;
}

class StringPlanner {
 public:
  StringPlanner(const StringPlanRequest& request, const ShapeOptions& shape)
      : request_(request),
        shape_(shape),
        levels_(shape.whole ? 1 : shape.length / shape.step),
        submissions_(static_cast<double>(request.plan.submissions)) {
    const absl::StatusOr<strings::Shape> valid = strings::Shape::Create(shape);
    candidates_ = shape.whole ? request.dictionary
                              : request.survivors * static_cast<double>(valid->valid_children());
  }

  // Fewer buckets have more chance hits, and of more a smaller share is true: the number of holders
  // falls and rises again.
  StringPlan OneMessage() const {
    StringPlan best = Empty(StringMessages::kOne);
    int since = 0;
    for (const int bits : Bits(kLeastBits, kMostBits)) {
      const absl::StatusOr<StringPlan> plan = OneMessage(bits);
      if (!plan.ok()) {
        if (!best.feasible) best.reason = std::string(plan.status().message());
        continue;
      }
      if (plan->holders < best.holders) {
        best = *plan;
        since = 0;
      } else if (++since == kPatience) {
        break;
      }
    }
    return best;
  }

  // More buckets have fewer chance hits and need more dummies: as many as messages allow.
  StringPlan WithDummies(StringMessages messages) const {
    StringPlan failed = Empty(messages);
    const double sent = messages == StringMessages::kEveryLevel ? Levels() : 1;
    const double usual = messages == StringMessages::kEveryLevel ? kUsualMessagesOfEachLevel * sent
                                                                 : kUsualStringMessages;
    std::vector<int> all = Bits(kLeastBits, kMostBits);
    std::reverse(all.begin(), all.end());
    for (const int bits : all) {
      const bool last = bits == all.back();
      const absl::StatusOr<StringPlan> plan = WithDummies(
          messages, bits,
          last ? request_.plan.max_messages : std::min(request_.plan.max_messages, usual));
      if (plan.ok()) return *plan;
      failed.reason = std::string(plan.status().message());
    }
    return failed;
  }

 private:
  double Levels() const { return static_cast<double>(levels_); }

  StringPlan Empty(StringMessages messages) const {
    return {.messages = messages, .shape = shape_, .levels = levels_, .candidates = candidates_};
  }

  // The request's number of buckets, or all that there may be.
  std::vector<int> Bits(int least, int most) const {
    std::vector<int> all;
    for (int bits = least; bits <= most; ++bits) {
      if (!request_.plan.range.has_value() || *request_.plan.range == uint64_t{1} << bits) {
        all.push_back(bits);
      }
    }
    return all;
  }

  void SetThreshold(double by_chance, double of_holder, StringPlan* plan) const {
    const bool surely = plan->messages == StringMessages::kEveryLevel;
    const StringThreshold threshold = ThresholdOf({.by_chance = by_chance,
                                                   .of_holder = of_holder,
                                                   .surely = surely,
                                                   .levels = levels_,
                                                   .candidates = candidates_,
                                                   .alpha = request_.alpha,
                                                   .power = request_.power});
    plan->statistic = threshold.statistic;
    plan->holders = threshold.holders;
    plan->of_liar = 1 / of_holder;
    plan->feasible = true;
  }

  absl::StatusOr<StringPlan> OneMessage(int bits) const {
    const double range = std::ldexp(1.0, bits);
    const Meanings meanings{.range = range, .fakes = 0, .collision = 0};
    TOMBOLA_ASSIGN_OR_RETURN(const double kappa, AllowedKappa(request_.plan, meanings));
    TOMBOLA_ASSIGN_OR_RETURN(const uint64_t threshold,
                             MeetingThreshold(request_.plan, meanings, kappa));
    StringPlan plan = Empty(StringMessages::kOne);
    plan.shape.range = int64_t{1} << bits;
    plan.blanket_threshold = threshold;
    plan.gamma = FractionRoundedDown(threshold);
    plan.local_epsilon = accounting::LocalEpsilon(range, plan.gamma);
    TOMBOLA_ASSIGN_OR_RETURN(
        plan.delta,
        accounting::Delta({.honest = request_.plan.honest, .range = range, .gamma = plan.gamma},
                          request_.plan.epsilon));
    // p - s of a report: 1 - gamma, less what would be there by chance.
    const double apart = ComplementOf(threshold) * (1 - 1 / range);
    SetThreshold(submissions_ / (Levels() * range), apart / Levels(), &plan);
    return plan;
  }

  // The accountant of pure_dump, over cells that are buckets: a dummy is in the cell of any prefix
  // with probability 1/range, whatever its function is.
  absl::StatusOr<StringPlan> WithDummies(StringMessages messages, int bits,
                                         double most_messages) const {
    const bool every = messages == StringMessages::kEveryLevel;
    const int64_t sent = every ? levels_ : 1;
    const double range = std::ldexp(1.0, bits);
    PlanRequest noise = request_.plan;
    noise.range.reset();
    noise.domain_size = sent << bits;
    noise.filling = {.held = sent, .sent = sent};
    noise.max_messages = most_messages;
    TOMBOLA_ASSIGN_OR_RETURN(const auto planned, PlanOne(PureDump::kName, noise));
    const auto& dump = static_cast<const PureDump&>(*planned);
    StringPlan plan = Empty(messages);
    plan.shape.range = int64_t{1} << bits;
    plan.dummies = dump.dummies().options();
    plan.expected_messages = dump.expected_reports_per_submission();
    TOMBOLA_ASSIGN_OR_RETURN(plan.delta, dump.Delta(request_.plan.honest, request_.plan.epsilon));
    const double of_level = submissions_ * plan.expected_messages / Levels();
    SetThreshold(of_level / range, (1 - 1 / range) * (every ? 1 : 1 / Levels()), &plan);
    return plan;
  }

  const StringPlanRequest& request_;
  ShapeOptions shape_;
  int64_t levels_;
  double submissions_;
  double candidates_ = 0;
};

}  // namespace

absl::StatusOr<ShapeOptions> LevelsFor(const StringPlanRequest& request) {
  if (request.length < 1 || request.length > strings::kMostLength) {
    return OutOf("length", request.length, absl::StrCat("in [1, ", strings::kMostLength, "]"));
  }
  if (request.step.has_value()) {
    if (*request.step < 1 || *request.step > request.length) {
      return OutOf("step", *request.step, "in [1, length]");
    }
    return WithStep(request, *request.step);
  }
  if (request.whole) return WithStep(request, 1);
  TOMBOLA_RETURN_IF_ERROR(WithStep(request, 1).status());
  for (int64_t step = request.length; step >= 1; --step) {
    const absl::StatusOr<ShapeOptions> shape = WithStep(request, step);
    if (shape.ok() && TestsOf(*shape, request.survivors) <= request.most_tests) return shape;
  }
  return OutOf("most_tests", request.most_tests,
               absl::StrCat("at least ", TestsOf(*WithStep(request, 1), request.survivors),
                            " for strings of ", request.length, " symbols"));
}

absl::StatusOr<std::vector<StringPlan>> PlanStrings(const StringPlanRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(Validate(request));
  TOMBOLA_ASSIGN_OR_RETURN(const ShapeOptions shape, LevelsFor(request));
  const StringPlanner planner(request, shape);
  return std::vector<StringPlan>{planner.OneMessage(),
                                 planner.WithDummies(StringMessages::kDummies),
                                 planner.WithDummies(StringMessages::kEveryLevel)};
}

const StringPlan* RecommendedStrings(const std::vector<StringPlan>& plans, Left left) {
  const StringPlan* best = nullptr;
  for (const StringPlan& plan : plans) {
    if (!plan.feasible) continue;
    if (left == Left::kSomething && !std::isfinite(plan.local_epsilon)) continue;
    if (best == nullptr || plan.holders < best->holders) best = &plan;
  }
  return best;
}

}  // namespace tombola::mechanism
