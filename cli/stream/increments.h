// Increments as lines of text, as they come in.
#ifndef TOMBOLA_CLI_STREAM_INCREMENTS_H_
#define TOMBOLA_CLI_STREAM_INCREMENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tombola::cli {

// What a line says: an increment, or the period that it is for and then the increment, with blanks,
// a tab or a comma between them.
struct IncrementLine {
  bool names_period = false;
  int64_t period = 0;
  int64_t increment = 0;
};

// Line ends are \n or \r\n; a byte order mark before the first line is no part of it, and lines of
// blanks alone say nothing. Not thread-safe.
class IncrementReader {
 public:
  // Reads from `descriptor`, which stays open. Increments are from 0 to `most`.
  IncrementReader(int descriptor, int64_t most) : descriptor_(descriptor), most_(most) {}

  // Waits for a line and appends the increments of all that are there by then, up to some ten
  // thousand; none at the end. The first is that of period `next`, and there may be `left` of them.
  // Those appended count whatever is returned. InvalidArgument and OutOfRange name the line and the
  // bound, and not what the line says. Unavailable: it cannot be read.
  absl::Status Next(int64_t next, int64_t left, std::vector<int64_t>& increments);

 private:
  // More of the input behind what is there; all that can be had without waiting.
  absl::Status Fill();
  // Takes a line off; false if there is none that is whole.
  bool TakeLine(absl::string_view* line);
  absl::Status Take(absl::string_view line, int64_t next, int64_t left,
                    std::vector<int64_t>& increments);
  absl::Status Refuse(absl::string_view why) const;

  const int descriptor_;
  const int64_t most_;
  std::string buffer_;
  size_t taken_ = 0, filled_ = 0;  // of the buffer
  bool at_end_ = false;
  int64_t line_ = 0;
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_STREAM_INCREMENTS_H_
