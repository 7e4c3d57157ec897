// The second stage on a device: a cell becomes the plaintext reports of one submission.
#ifndef TOMBOLA_CLIENT_ENCODE_ENCODER_H_
#define TOMBOLA_CLIENT_ENCODE_ENCODER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "common/random/random_source.h"
#include "common/table/table.h"

namespace tombola::client {

// Randomises a cell as its table's mechanism says. Immutable and thread-safe, given a RandomSource
// for each thread.
//
// Guarantees, if `random` is uniform and independent: the mechanism's local epsilon for each call
// where it has one, and what the mechanism guarantees for a batch once the reports are shuffled
// among those of others. The number and the order of the reports, and the random words drawn, tell
// nothing of the cell. Does not guarantee: anything against who sees the reports of one submission
// together where the local epsilon is infinite. Calling it twice for one cell spends the privacy
// twice: who calls keeps the budget.
class Encoder {
 public:
  virtual ~Encoder() = default;

  // Appends the reports for `cell`, each of the table's report_bytes(), to *out in a uniformly
  // drawn order and returns how many: at least 1, at most what the mechanism allows a submission.
  // cell < domain_size().
  virtual int64_t Encode(uint64_t cell, RandomSource& random, std::string* out) const = 0;
};

// The encoder of a table, by what it says of itself.
std::unique_ptr<Encoder> MakeEncoder(std::shared_ptr<const mechanism::Table> table);

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_ENCODER_H_
