#include "client/encode/grr.h"

#include <utility>

#include "absl/types/span.h"
#include "client/encode/random_order.h"
#include "common/base/check.h"
#include "common/mechanism/value_report.h"

namespace tombola::client {

GrrEncoder::GrrEncoder(std::shared_ptr<const mechanism::Grr> grr) : grr_(std::move(grr)) {}

int64_t GrrEncoder::Encode(uint64_t value, RandomSource& random, std::string* out) const {
  TOMBOLA_CHECK(value < static_cast<uint64_t>(grr_->domain_size()));
  mechanism::ValueReport report = {grr_->Randomise(value, random)};
  AppendInRandomOrder(absl::MakeSpan(&report, 1), random, out);
  return 1;
}

}  // namespace tombola::client
