#include "collector/quality/warnings.h"
#include "common/table/bloom_weights.h"

namespace tombola::collector {

double ShiftPerDishonest(const mechanism::Scheme& scheme, const mechanism::Table& table,
                         const mechanism::Tally& tally) {
  const mechanism::CountModel model = table.count_model();
  const mechanism::Bloom* const bloom = table.bloom();
  if (bloom != nullptr) {
    return mechanism::BloomWeights(*bloom).MostReach() /
           (static_cast<double>(tally.submissions) * mechanism::Signal(model));
  }
  const double signs = table.layout() == mechanism::Layout::kSigned ? 2 : 1;
  return signs * static_cast<double>(scheme.max_reports_per_submission()) /
         (static_cast<double>(tally.submissions) * mechanism::Signal(model));
}

}  // namespace tombola::collector
