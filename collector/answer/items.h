// What the answers about sets and key-value pairs share.
#ifndef TOMBOLA_COLLECTOR_ANSWER_ITEMS_H_
#define TOMBOLA_COLLECTOR_ANSWER_ITEMS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "collector/estimate/estimator.h"
#include "collector/postprocess/postprocess.h"
#include "common/table/count_model.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// Shares that need not sum to one: none, clip, or base_cut, which drops what could be noise alone
// and clips the rest. InvalidArgument for the ways that make a histogram.
absl::StatusOr<std::vector<double>> ProcessShares(Postprocess how, const Estimates& estimates,
                                                  const Estimator& estimator,
                                                  const mechanism::Tally& tally);

// How many things devices hold, from the counts of the pads, of which there is one at least: pad j
// is filled by the devices that hold fewer than pads.size() - j things. confidence in (0, 1).
absl::Status FillSizes(const mechanism::CountModel& model, absl::Span<const int64_t> pads,
                       const mechanism::Tally& tally, double confidence, v1::Sizes* sizes);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_ITEMS_H_
