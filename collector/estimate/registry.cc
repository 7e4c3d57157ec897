#include <utility>

#include "collector/estimate/estimator.h"
#include "collector/estimate/local_hash.h"
#include "common/base/check.h"

namespace tombola::collector {

std::unique_ptr<Estimator> MakeEstimator(std::shared_ptr<const mechanism::Mechanism> mechanism) {
  auto local_hash = std::dynamic_pointer_cast<const mechanism::LocalHash>(std::move(mechanism));
  TOMBOLA_CHECK(local_hash != nullptr);
  return std::make_unique<LocalHashEstimator>(std::move(local_hash));
}

}  // namespace tombola::collector
