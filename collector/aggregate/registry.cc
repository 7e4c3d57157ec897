#include <utility>

#include "absl/strings/string_view.h"
#include "collector/aggregate/affine.h"
#include "collector/aggregate/aggregator.h"
#include "collector/aggregate/plane.h"
#include "collector/aggregate/signed.h"
#include "collector/aggregate/value.h"
#include "common/base/check.h"
#include "common/mechanism/aue.h"
#include "common/mechanism/correlated.h"
#include "common/mechanism/grr.h"
#include "common/mechanism/hash_family.h"
#include "common/mechanism/local_hash.h"
#include "common/mechanism/mix_dump.h"
#include "common/mechanism/murs.h"
#include "common/mechanism/pure_dump.h"

namespace tombola::collector {
namespace {

std::unique_ptr<Aggregator> MakeLocalHash(std::shared_ptr<const mechanism::LocalHash> local_hash) {
  if (local_hash->options().family == mechanism::HashFamily::kPlane) {
    return std::make_unique<PlaneAggregator>(std::move(local_hash));
  }
  if (local_hash->options().lane_bits == 32) {
    return std::make_unique<AffineAggregator<uint32_t>>(std::move(local_hash));
  }
  return std::make_unique<AffineAggregator<uint64_t>>(std::move(local_hash));
}

}  // namespace

std::unique_ptr<Aggregator> MakeAggregator(std::shared_ptr<const mechanism::Mechanism> mechanism) {
  if (auto own = std::dynamic_pointer_cast<const mechanism::LocalHash>(mechanism)) {
    return MakeLocalHash(std::move(own));
  }
  // The shuffler's fakes are reports like any other.
  if (const auto murs = std::dynamic_pointer_cast<const mechanism::Murs>(mechanism)) {
    return MakeLocalHash({murs, &murs->local_hash()});
  }
  const absl::string_view name = mechanism->name();
  if (name == mechanism::Correlated::kName) {
    return std::make_unique<SignedAggregator>(mechanism->domain_size());
  }
  TOMBOLA_CHECK(name == mechanism::Grr::kName || name == mechanism::Aue::kName ||
                name == mechanism::PureDump::kName || name == mechanism::MixDump::kName);
  return std::make_unique<ValueAggregator>(mechanism->domain_size());
}

}  // namespace tombola::collector
