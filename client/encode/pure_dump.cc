#include "client/encode/pure_dump.h"

#include <utility>

#include "client/encode/among_dummies.h"
#include "common/base/check.h"

namespace tombola::client {

PureDumpEncoder::PureDumpEncoder(std::shared_ptr<const mechanism::PureDump> pure_dump)
    : pure_dump_(std::move(pure_dump)) {}

int64_t PureDumpEncoder::Encode(uint64_t value, RandomSource& random, std::string* out) const {
  TOMBOLA_CHECK(value < static_cast<uint64_t>(pure_dump_->domain_size()));
  return AppendAmongDummies({static_cast<uint32_t>(value)}, pure_dump_->dummies(),
                            pure_dump_->domain_size(), random, out);
}

}  // namespace tombola::client
