// The second stage on a device: the cells of a table become the plaintext reports of one
// submission.
#ifndef TOMBOLA_CLIENT_ENCODE_ENCODER_H_
#define TOMBOLA_CLIENT_ENCODE_ENCODER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/types/span.h"
#include "common/random/random_source.h"
#include "common/table/table.h"

namespace tombola::client {

// Randomises cells as their table's mechanism says. Immutable and thread-safe, given a RandomSource
// for each thread.
//
// Guarantees, if `random` is uniform and independent: the mechanism's local epsilon for each call
// where it has one, and what the mechanism guarantees for a batch once the reports are shuffled
// among those of others. The number and the order of the reports, and the random words drawn, tell
// nothing of the cells. Does not guarantee: anything against who sees the reports of one submission
// together where the local epsilon is infinite. Calling it twice for one record spends the privacy
// twice: who calls keeps the budget.
class Encoder {
 public:
  virtual ~Encoder() = default;

  // Appends the reports for `cells`, each of the table's report_bytes(), to *out in a uniformly
  // drawn order and returns how many: at least 1, at most what the mechanism allows a submission.
  // As many cells as filling().held, no more of them alike than it says, each below domain_size().
  virtual int64_t Encode(absl::Span<const uint64_t> cells, RandomSource& random,
                         std::string* out) const = 0;
  // The same where a device fills one cell.
  int64_t Encode(uint64_t cell, RandomSource& random, std::string* out) const {
    return Encode(absl::MakeConstSpan(&cell, 1), random, out);
  }
};

// The encoder of a table, by what it says of itself.
std::unique_ptr<Encoder> MakeEncoder(std::shared_ptr<const mechanism::Table> table);

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_ENCODER_H_
