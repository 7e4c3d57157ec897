#include "collector/quality/shift.h"

namespace tombola::collector {

double ShiftPerDishonest(const mechanism::Mechanism& mechanism, const mechanism::Tally& tally) {
  const mechanism::CountModel model = mechanism.count_model();
  const double signs = model.difference_shape > 0 ? 2 : 1;
  return signs * static_cast<double>(mechanism.max_reports_per_submission()) /
         (static_cast<double>(tally.submissions) * mechanism::Signal(model));
}

}  // namespace tombola::collector
