// The flags of `plan` for all kinds that have one table.
#ifndef TOMBOLA_CLI_PLAN_PLAN_OPTIONS_H_
#define TOMBOLA_CLI_PLAN_PLAN_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command/number_flags.h"
#include "cli/command/rappor_flags.h"
#include "cli/command/string_flags.h"
#include "cli/plan/longitudinal_plan.h"
#include "cli/plan/needed_users.h"
#include "cli/plan/stream_plan.h"
#include "common/kind/histogram.h"
#include "common/kind/number.h"
#include "common/plan/number.h"
#include "common/plan/plan.h"

namespace tombola::cli {

// As the flags say; `request` is filled by them and by what the kind makes of them.
struct PlanOptions {
  mechanism::PlanRequest request;
  double dishonest = 0;
  std::optional<int64_t> min_batch;  // none: --users
  UsersWish wish;
  std::string method = "tight";
  int64_t submissions = 1;            // of a device, each in another batch
  std::optional<double> total_delta;  // for all of them; none: the target's
  bool json = false;
  std::string kind{Histogram::kName};
  std::optional<int64_t> max_items;
  std::optional<int64_t> levels;
  std::string schema_file;
  std::string sizes_file;
  int64_t values = 0;  // given as --domain; the request has all cells
  bool local_epsilon_given = false;
  NumberFlags numbers;
  std::optional<int64_t> sent;
  StreamPlanFlags stream;
  StringFlags strings;
  std::string mechanism;  // only this one
  RapporFlags rappor;
  LongitudinalPlanFlags longitudinal;

  bool number() const { return kind == NumberKind::kName; }
  mechanism::NumberPlanRequest NumberRequest() const {
    mechanism::NumberPlanRequest asked{.plan = request,
                                       .bins = values,
                                       .missing = numbers.missing,
                                       .dithered = numbers.mean_only,
                                       .sent = sent};
    if (numbers.branching.has_value()) asked.branching = *numbers.branching;
    return asked;
  }
  mechanism::Left Left() const {
    if (local_epsilon_given) return mechanism::Left::kAnything;
    return number() ? mechanism::LeftByDefault(NumberRequest())
                    : mechanism::LeftByDefault(request.filling);
  }

  double total() const { return total_delta.value_or(request.delta); }
  // Whether a device fills several cells.
  bool several() const { return request.filling.held > 1; }
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_PLAN_PLAN_OPTIONS_H_
