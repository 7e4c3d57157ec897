// How far off the answers about records are, predicted and measured.
#ifndef TOMBOLA_CLI_SIMULATION_RECORD_TRIALS_H_
#define TOMBOLA_CLI_SIMULATION_RECORD_TRIALS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "cli/simulation/record_data.h"
#include "cli/simulation/trials.h"
#include "common/mechanism/mechanism.h"

namespace tombola::simulation {

// Who counts: a mechanism, or where it is null a trusted party that adds Laplace noise of scale 2
// held / epsilon, rounded to a whole number, to every cell's count.
struct RecordCounting {
  std::shared_ptr<const mechanism::Mechanism> mechanism;
  double epsilon = 0;  // of the trusted party
};

// The squared errors of some answers from one view: of the count and the sum for each device, of
// averages as they are.
struct RecordError {
  enum class Of {
    kCells,   // each cell by itself, and the mean over them
    kRanges,  // all ranges of a number, and the mean over them
    kAll,     // all records together
  };
  enum class What { kCount, kSum, kAverage };

  size_t view = 0;  // its place among those of the cells
  Of of = Of::kCells;
  What what = What::kCount;
  // Over so many answers. Averages are measured where the count is at least kMeanDeviations
  // (item_trials.h) of its predicted standard deviations.
  int64_t answers = 0;
  double predicted = 0;
  Mean measured = {};  // by RunRecordTrials
};

struct RecordPrediction {
  // Of each view, in their order: what there is of cells, ranges and all; of count, sum and
  // average. A view without attributes has nothing but all; where max_alike caps what counts there
  // are cells alone.
  std::vector<RecordError> errors;
  // The cells of each view whose averages are measured.
  std::vector<std::vector<size_t>> averaged;
  double cell_count = 0;  // of the counts of all cells of all views
};
// Exact but for averages, which are ratios: noise, the coins of measures, and where devices have
// more records than they can say, that choice and what is left out by it.
RecordPrediction PredictRecords(const RecordCounting& counting, const RecordData& data);

// Sets what is measured of prediction->errors, by the collector's own estimates; and returns that
// of cell_count. As RunTrials, in its statuses too.
absl::StatusOr<Mean> RunRecordTrials(const RecordCounting& counting, const RecordData& data,
                                     const TrialOptions& options, RecordPrediction* prediction);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_RECORD_TRIALS_H_
