#include <utility>

#include "collector/aggregate/affine.h"
#include "collector/aggregate/aggregator.h"
#include "collector/aggregate/bits.h"
#include "collector/aggregate/plane.h"
#include "collector/aggregate/signed.h"
#include "collector/aggregate/string.h"
#include "collector/aggregate/value.h"
#include "common/base/check.h"
#include "common/mechanism/strings.h"

namespace tombola::collector {

std::unique_ptr<Aggregator> MakeAggregator(const std::shared_ptr<const mechanism::Table>& table) {
  const std::shared_ptr<const mechanism::Hashing> hashing(table, table->hashing());
  switch (table->layout()) {
    case mechanism::Layout::kValue:
      return std::make_unique<ValueAggregator>(table->domain_size());
    case mechanism::Layout::kSigned:
      return std::make_unique<SignedAggregator>(table->domain_size());
    case mechanism::Layout::kPlane:
      return std::make_unique<PlaneAggregator>(hashing);
    case mechanism::Layout::kAffine:
      if (hashing->options().lane_bits == 32) {
        return std::make_unique<AffineAggregator<uint32_t>>(hashing);
      }
      return std::make_unique<AffineAggregator<uint64_t>>(hashing);
    case mechanism::Layout::kString:
      return std::make_unique<StringAggregator>(
          static_cast<const mechanism::Strings&>(*table).shape());
    case mechanism::Layout::kBits:
      return std::make_unique<BitsAggregator>(
          std::shared_ptr<const mechanism::Bloom>(table, table->bloom()));
  }
  TOMBOLA_CHECK(false && "a layout without an aggregator");
  return nullptr;
}

}  // namespace tombola::collector
