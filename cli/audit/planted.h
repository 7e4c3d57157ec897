// Encoders that break their mechanism's promise: they show that an audit can fail.
#ifndef TOMBOLA_CLI_AUDIT_PLANTED_H_
#define TOMBOLA_CLI_AUDIT_PLANTED_H_

#include <cstdint>
#include <memory>
#include <string>

#include "client/encode/encoder.h"
#include "common/random/random_source.h"
#include "common/table/table.h"

namespace tombola::cli {

// Algorithm 2's step 3 as published: the value's own bucket with probability p = 1 - gamma (g-1)/g
// and else a uniform one of ALL g buckets, the own one included. The local epsilon becomes
// ln(1 + e^(e_l) g/(g-1)), above the e_l that is stated; see docs/errata.md. Never used by a
// device.
class Step3Encoder final : public client::Encoder {
 public:
  // table->hashing() must not be null.
  explicit Step3Encoder(std::shared_ptr<const mechanism::Table> table);

  int64_t Encode(absl::Span<const uint64_t> cells, RandomSource& random,
                 std::string* out) const override;

 private:
  template <typename Report>
  void EncodeInto(Report report, uint64_t value, RandomSource& random, std::string* out) const;

  std::shared_ptr<const mechanism::Table> table_;
  const mechanism::Hashing& hashing_;
  uint64_t truthful_threshold_;
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_AUDIT_PLANTED_H_
