#include "client/encode/mix_dump.h"

#include <utility>

#include "client/encode/among_dummies.h"
#include "common/base/check.h"

namespace tombola::client {

MixDumpEncoder::MixDumpEncoder(std::shared_ptr<const mechanism::MixDump> mix_dump)
    : mix_dump_(std::move(mix_dump)) {}

int64_t MixDumpEncoder::Encode(uint64_t value, RandomSource& random, std::string* out) const {
  TOMBOLA_CHECK(value < static_cast<uint64_t>(mix_dump_->domain_size()));
  const uint32_t randomised = mix_dump_->response().Randomise(value, random);
  return AppendAmongDummies({randomised}, mix_dump_->dummies(), mix_dump_->domain_size(), random,
                            out);
}

}  // namespace tombola::client
