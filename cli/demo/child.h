// A daemon as a child process.
#ifndef TOMBOLA_CLI_DEMO_CHILD_H_
#define TOMBOLA_CLI_DEMO_CHILD_H_

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tombola::cli {

// Started and ready to take calls. Ends with its parent, whatever becomes of that.
class Child {
 public:
  // Runs a program that lies beside this one, with --ready-fd added, its standard error going to
  // `log_file`, which only its owner may read, and waits until it says that it is ready.
  // Unavailable, with the last line that it logged, if it ends before.
  static absl::StatusOr<Child> Start(const std::string& program, std::vector<std::string> arguments,
                                     const std::string& log_file);
  // Stops it if it still runs.
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) = delete;

  pid_t pid() const { return pid_; }
  // A port that it named when it was ready, e.g. "query_port"; 0: it named none.
  int Port(absl::string_view name) const;

  // SIGTERM, then waits. OK: it ended with exit code 0.
  absl::Status Stop();

 private:
  explicit Child(pid_t pid) : pid_(pid) {}

  pid_t pid_;  // -1 once it has been waited for
  std::map<std::string, int, std::less<>> ports_;
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_DEMO_CHILD_H_
