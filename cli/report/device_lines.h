// What many devices hold, one a line: JSON Lines, or the short form of it.
#ifndef TOMBOLA_CLI_REPORT_DEVICE_LINES_H_
#define TOMBOLA_CLI_REPORT_DEVICE_LINES_H_

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/report/report_many.h"

namespace tombola::cli {

// The value that a line of a histogram's device says. A line that begins with {, [ or ", blanks
// before it or not, is JSON: a text, or an object with the one member "value", a text or a whole
// number. Any other line is the value as it stands. InvalidArgument: it is no such JSON.
absl::StatusOr<std::string> HistogramValue(absl::string_view line);

// Line ends are \n or \r\n. A byte order mark before the first line is no part of it, and lines of
// blanks alone are no device's; they have numbers as the others have. Not thread-safe.
class DeviceLines {
 public:
  // `in` outlives this.
  explicit DeviceLines(std::istream& in) : in_(in) {}

  // The next devices, at most `limit` and with the numbers of their lines; none at the end. Lines
  // that cannot be read are left out and told by `bad`.
  Devices Next(size_t limit);

  // How many lines could not be read, and why the first ones could not: "line 7: …".
  int64_t bad() const { return bad_; }
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  std::istream& in_;
  int64_t line_ = 0;
  int64_t bad_ = 0;
  std::vector<std::string> complaints_;
};

// Which lines were not sent and why, one a line of text: those that could not be read, those that
// the task has no value for, of each the first kMostComplaints, and how many more there are.
std::vector<std::string> NotSent(const DeviceLines& lines, const ManyOutcome& outcome);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_DEVICE_LINES_H_
