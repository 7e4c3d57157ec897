// The ways in which a device says a cell: by a hash of it, by its name, by bits of it, or among
// cells of prefixes.
#ifndef TOMBOLA_CLIENT_ENCODE_ENCODERS_H_
#define TOMBOLA_CLIENT_ENCODE_ENCODERS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "client/encode/encoder.h"
#include "common/mechanism/strings.h"
#include "common/random/random_source.h"
#include "common/table/bloom.h"
#include "common/table/hashing.h"
#include "common/table/table.h"

namespace tombola::client {

// Shuffled randomised response as Eq. (7) says: a uniform report whose bucket is, with probability
// 1 - gamma, replaced by the cell's own. The random words drawn and the work done do not depend on
// the cell or on which of the two was sent, up to the timing of a division.
class HashedEncoder final : public Encoder {
 public:
  explicit HashedEncoder(std::shared_ptr<const mechanism::Hashing> hashing);

  int64_t Encode(absl::Span<const uint64_t> cells, RandomSource& random,
                 std::string* out) const override;

 private:
  // The report's bucket or the cell's own, by one Bernoulli draw.
  template <typename Report>
  void EncodeInto(Report report, uint64_t cell, RandomSource& random, std::string* out) const;

  std::shared_ptr<const mechanism::Hashing> hashing_;
};

// The cells that are said, a uniform choice of those filled, each randomised if the table says so,
// among the noise that the table draws. The random words drawn and the number of reports do not
// depend on the cells.
class NamingEncoder final : public Encoder {
 public:
  // table->hashing() must be null.
  explicit NamingEncoder(std::shared_ptr<const mechanism::Table> table);

  int64_t Encode(absl::Span<const uint64_t> cells, RandomSource& random,
                 std::string* out) const override;

 private:
  std::shared_ptr<const mechanism::Table> table_;
};

// The cells of a string, each randomised if the task says so, among as many uniform ones as the
// device adds. The random words drawn and the number of reports do not depend on the cells.
class StringEncoder final : public Encoder {
 public:
  explicit StringEncoder(std::shared_ptr<const mechanism::Strings> cells);

  int64_t Encode(absl::Span<const uint64_t> cells, RandomSource& random,
                 std::string* out) const override;

 private:
  std::shared_ptr<const mechanism::Strings> cells_;
};

// A memo drawn for the cell, and one report by it: the memo is not kept. The random words drawn and
// the work done do not depend on the cell.
class BitsEncoder final : public Encoder {
 public:
  explicit BitsEncoder(std::shared_ptr<const mechanism::Bloom> bloom) : bloom_(std::move(bloom)) {}

  int64_t Encode(absl::Span<const uint64_t> cells, RandomSource& random,
                 std::string* out) const override;

 private:
  std::shared_ptr<const mechanism::Bloom> bloom_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_ENCODERS_H_
