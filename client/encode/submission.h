// The cells that a device fills become the plaintext reports of one submission, a table at a time.
#ifndef TOMBOLA_CLIENT_ENCODE_SUBMISSION_H_
#define TOMBOLA_CLIENT_ENCODE_SUBMISSION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/encode/encoder.h"
#include "common/random/random_source.h"
#include "common/table/tables.h"

namespace tombola::client {

// What the encoders of the tables guarantee, for all cells together: the order of the reports is
// uniform over all of them. Immutable and thread-safe, given a RandomSource for each thread.
class SubmissionEncoder {
 public:
  explicit SubmissionEncoder(const mechanism::Tables& tables);

  // Appends the reports for the cells, at least one and as mechanism::Cells says, each of the
  // tables' report_bytes(), and returns how many.
  int64_t Encode(const mechanism::Cells& cells, RandomSource& random, std::string* out) const;

 private:
  // With the table's number before and the zeros behind each report.
  int64_t EncodeNumbered(size_t table, absl::Span<const uint64_t> cells, RandomSource& random,
                         std::string* out) const;

  mechanism::Tables tables_;
  std::vector<std::unique_ptr<Encoder>> encoders_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_SUBMISSION_H_
