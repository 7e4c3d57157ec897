#include "common/daemon/ready.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tombola::daemon {

void SayReady(int fd, const std::vector<std::pair<std::string, int>>& ports) {
  if (fd < 0) return;
  const std::string line =
      absl::StrCat("{",
                   absl::StrJoin(ports, ",",
                                 [](std::string* out, const auto& port) {
                                   absl::StrAppend(out, "\"", port.first, "\":", port.second);
                                 }),
                   "}\n");
  // Whoever asked may be gone; that is no reason to stop serving.
  [[maybe_unused]] const ssize_t written = ::write(fd, line.data(), line.size());
  ::close(fd);
}

}  // namespace tombola::daemon
