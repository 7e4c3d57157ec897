// What a task's request for trusted totals says, and what noise it takes.
#ifndef TOMBOLA_COLLECTOR_TOTALS_TOTALS_QUESTION_H_
#define TOMBOLA_COLLECTOR_TOTALS_TOTALS_QUESTION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "collector/totals/known_totals.h"
#include "common/stream/running_totals.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// The most periods of a task with trusted totals.
inline constexpr uint64_t kMostTotalsPeriods = uint64_t{1} << 16;

// InvalidArgument: there is no such quantity.
absl::StatusOr<Quantity> QuantityOf(v1::TotalsQuantity wire);
v1::TotalsQuantity WireOf(Quantity quantity);

struct TotalsQuestion {
  // Each once, in the order of kQuantities.
  std::vector<Quantity> quantities;
  // Of each: its part of epsilon and delta, for neighbours that differ in all submissions that a
  // device may make.
  std::map<Quantity, stream::TotalsOptions> options;

  const stream::TotalsOptions& OptionsOf(Quantity quantity) const { return options.at(quantity); }
};

// InvalidArgument names the field and its bound; bounds of numbers are for MakeDesign.
absl::StatusOr<TotalsQuestion> ReadTotalsQuestion(const v1::TrustedTotalsRequest& request,
                                                  const Task& task);

// Whether there would be such totals. InvalidArgument names what is out of its bounds.
absl::Status CheckTotals(const v1::TrustedTotalsRequest& request, const Task& task);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_TOTALS_TOTALS_QUESTION_H_
