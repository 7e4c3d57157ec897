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

// The value that a line of a histogram's device says. A line that begins with { or " is JSON: a
// text, or an object with the one member "value", a text or a whole number. Any other line is the
// value as it stands. InvalidArgument: it is no such JSON.
absl::StatusOr<std::string> HistogramValue(absl::string_view line);

// Line ends are \n or \r\n. Not thread-safe.
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

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_DEVICE_LINES_H_
