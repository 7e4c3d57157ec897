// The encoder of a value among dummies.
#ifndef TOMBOLA_CLIENT_ENCODE_PURE_DUMP_H_
#define TOMBOLA_CLIENT_ENCODE_PURE_DUMP_H_

#include <cstdint>
#include <memory>
#include <string>

#include "client/encode/encoder.h"
#include "common/mechanism/pure_dump.h"
#include "common/random/random_source.h"

namespace tombola::client {

// The value unchanged among uniform dummies. The random words drawn and the number of reports do
// not depend on the value.
class PureDumpEncoder final : public Encoder {
 public:
  explicit PureDumpEncoder(std::shared_ptr<const mechanism::PureDump> pure_dump);

  int64_t Encode(uint64_t value, RandomSource& random, std::string* out) const override;

 private:
  std::shared_ptr<const mechanism::PureDump> pure_dump_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_PURE_DUMP_H_
