#include "common/kind/key_value.h"

#include <utility>

#include "common/base/status_macros.h"
#include "common/mechanism/registry.h"

namespace tombola {

absl::StatusOr<std::shared_ptr<const Kind>> KeyValueKind::Read(const v1::Task& task) {
  if (task.has_numbers() || task.has_records()) {
    return absl::InvalidArgumentError(
        "task.numbers and records must be absent for key-value pairs");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const Levels levels, Levels::Read(task.levels()));
  TOMBOLA_ASSIGN_OR_RETURN(const ItemCells cells, ItemCells::Read(task, levels.count));
  TOMBOLA_ASSIGN_OR_RETURN(auto mechanism,
                           mechanism::FromProto(task.mechanism(), cells.cells(), cells.filling));
  return std::make_shared<const KeyValueKind>(cells, levels, mechanism, mechanism);
}

KeyValueKind::KeyValueKind(const ItemCells& cells, const Levels& levels,
                           std::shared_ptr<const mechanism::Table> table,
                           std::shared_ptr<const mechanism::Scheme> scheme)
    : cells_(cells), levels_(levels), tables_({std::move(table)}), scheme_(std::move(scheme)) {}

mechanism::CountModel KeyValueKind::key_model() const {
  return mechanism::Joined(tables_[0]->count_model(), levels_.count);
}

double KeyValueKind::PredictedMse(int64_t submissions) const {
  return mechanism::EstimateVariance(key_model(),
                                     {.submissions = submissions, .fakes = scheme_->fakes()},
                                     /*frequency=*/0);
}

// By linearisation: the variance of the sum over levels of (level - mean) times count, over
// (n p f)^2. A report that names a level by chance adds (level - mean)^2 on average over the
// levels, whatever the holders say. A holder says its own with probability p, and is then off by
// `square` in the mean; of that, what it would be off without the rounding is there with certainty.
double MeanVariance(const mechanism::CountModel& model, const Levels& levels,
                    const mechanism::Tally& tally, const HeldNumbers& held) {
  double squares = 0;
  double sum = 0;
  for (int64_t i = 0; i < levels.count; ++i) {
    const double off = levels.At(i) - held.mean;
    squares += off * off;
    sum += off;
  }
  const double n = static_cast<double>(tally.submissions);
  const double chance = model.support.other;
  const double said = model.support.separation;
  const double own = squares * chance - sum * sum * chance * chance;
  const double coin = model.noise == mechanism::CountModel::Noise::kCoins && chance > 0
                          ? static_cast<double>(model.coins) * own
                          : squares * model.noise_variance;
  const double holders = held.square * said - (held.square - held.rounded) * said * said;
  return (own + coin + held.frequency * holders) /
         (n * said * said * held.frequency * held.frequency);
}

}  // namespace tombola
