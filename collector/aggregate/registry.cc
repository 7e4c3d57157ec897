#include <utility>

#include "collector/aggregate/affine.h"
#include "collector/aggregate/aggregator.h"
#include "collector/aggregate/plane.h"
#include "common/base/check.h"
#include "common/mechanism/hash_family.h"
#include "common/mechanism/local_hash.h"

namespace tombola::collector {

std::unique_ptr<Aggregator> MakeAggregator(std::shared_ptr<const mechanism::Mechanism> mechanism) {
  auto local_hash = std::dynamic_pointer_cast<const mechanism::LocalHash>(std::move(mechanism));
  TOMBOLA_CHECK(local_hash != nullptr);
  if (local_hash->options().family == mechanism::HashFamily::kPlane) {
    return std::make_unique<PlaneAggregator>(std::move(local_hash));
  }
  if (local_hash->options().lane_bits == 32) {
    return std::make_unique<AffineAggregator<uint32_t>>(std::move(local_hash));
  }
  return std::make_unique<AffineAggregator<uint64_t>>(std::move(local_hash));
}

}  // namespace tombola::collector
