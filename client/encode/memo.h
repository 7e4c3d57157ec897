// What a device draws of a value once, and says ever after.
#ifndef TOMBOLA_CLIENT_ENCODE_MEMO_H_
#define TOMBOLA_CLIENT_ENCODE_MEMO_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "client/encode/encoder.h"
#include "common/random/random_source.h"
#include "common/table/table.h"

namespace tombola::client {

// Memos of the cells of one table, whose devices send one report. Where reports are bits the memo
// is the permanent response, and each report is drawn from it; else it is the report itself, and
// every report is the same. Immutable and thread-safe, given a RandomSource for each thread.
//
// Guarantees, if `random` is uniform and independent and the same memo is used for a cell for good:
// the budget of a memo (mechanism::MemoScheme) for each cell. How long a memo and a report are does
// not depend on the cell, nor do the random words drawn. A memo is secret as the value is.
class MemoEncoder {
 public:
  explicit MemoEncoder(std::shared_ptr<const mechanism::Table> table);

  // The length of a memo.
  size_t bytes() const { return bytes_; }
  // A memo of the cell, < domain_size().
  std::string Draw(uint64_t cell, RandomSource& random) const;
  // The report of a submission by the memo, of which memo.size() == bytes().
  std::string Say(absl::string_view memo, RandomSource& random) const;

 private:
  std::shared_ptr<const mechanism::Table> table_;
  std::unique_ptr<Encoder> encoder_;
  size_t bytes_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_MEMO_H_
