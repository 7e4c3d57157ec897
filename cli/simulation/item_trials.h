// How far off the answers about sets and key-value pairs are, predicted and measured.
#ifndef TOMBOLA_CLI_SIMULATION_ITEM_TRIALS_H_
#define TOMBOLA_CLI_SIMULATION_ITEM_TRIALS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/simulation/generator.h"
#include "cli/simulation/item_data.h"
#include "cli/simulation/trials.h"
#include "common/mechanism/mechanism.h"

namespace tombola::simulation {

// Who counts: a mechanism, or where it is null a trusted party that adds Laplace noise of scale
// 2 held / (epsilon users) to the share of every cell.
struct ItemCounting {
  std::shared_ptr<const mechanism::Mechanism> mechanism;
  double epsilon = 0;  // of the trusted party
};

// The mean of a key is measured if its true share is at least so many of its predicted standard
// deviations. An answer has a mean from 3 on; the variance of a ratio is well predicted from here.
inline constexpr double kMeanDeviations = 10;

struct ItemPrediction {
  // Of each item's share: variances, and of devices that hold more than they can say the bias
  // squared, which is what they leave out.
  std::vector<double> squared_errors;
  double squared_error = 0;  // on average over items
  // Keys whose means are measured, and the variance of those on average; NaN where there are none.
  std::vector<uint64_t> mean_keys;
  double mean_squared_error = 0;
};
ItemPrediction Predict(const ItemCounting& counting, const ItemData& data);

// What one batch says of every item: the unbiased share, and the mean number of its holders, within
// the range of numbers; NaN where the share is not positive, and for sets.
struct ItemAnswer {
  std::vector<double> shares;
  std::vector<double> means;
};
// One trial. With `devices` by the real path, every device and every report; else from the law of
// the counts as DrawCounts says, given the cells that devices fill. The first is O(users), the
// second O(cells) and what DrawFilled takes.
ItemAnswer RunItemTrial(const ItemCounting& counting, const ItemData& data, bool devices,
                        Generator& random);

struct ItemErrors {
  Errors shares;  // `pop` after clipping to [0, 1], which is how sets and pairs are post-processed
  Mean means;     // over the prediction's mean_keys; NaN where there are none
};
// As RunTrials, in its statuses too.
absl::StatusOr<ItemErrors> RunItemTrials(const ItemCounting& counting, const ItemData& data,
                                         const ItemPrediction& prediction,
                                         const TrialOptions& options);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_ITEM_TRIALS_H_
