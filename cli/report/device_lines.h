// What many devices hold, one a line: JSON Lines, or the short form of it.
#ifndef TOMBOLA_CLI_REPORT_DEVICE_LINES_H_
#define TOMBOLA_CLI_REPORT_DEVICE_LINES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <utility>
#include <vector>

#include "cli/report/line_reader.h"
#include "cli/report/report_many.h"

namespace tombola::cli {

// "line 7: why".
std::string ToText(const Complaint& complaint);

// Line ends are \n or \r\n. A byte order mark before the first line is no part of it, and lines of
// blanks alone are no device's; they have numbers as the others have. Not thread-safe.
class DeviceLines {
 public:
  using Read = std::function<absl::StatusOr<Record>(absl::string_view line)>;

  // `in` outlives this. `read` is that of the task's kind.
  DeviceLines(std::istream& in, Read read) : in_(in), read_(std::move(read)) {}

  // The next devices, at most `limit` and with the numbers of their lines; none at the end. Lines
  // that cannot be read are left out and told by `bad`.
  Devices Next(size_t limit);

  // How many lines could not be read, and why the first kMostComplaints could not.
  int64_t bad() const { return bad_; }
  const std::vector<Complaint>& complaints() const { return complaints_; }

 private:
  std::istream& in_;
  const Read read_;
  int64_t line_ = 0;
  int64_t bad_ = 0;
  std::vector<Complaint> complaints_;
};

// Which lines were not sent and why, one a line of text: the first kMostComplaints, in the order of
// the file, of those that could not be read and those that the task has no value for; then how many
// more there are.
std::vector<std::string> NotSent(const DeviceLines& lines, const ManyOutcome& outcome);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_DEVICE_LINES_H_
