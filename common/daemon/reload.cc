#include "common/daemon/reload.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_join.h"
#include "common/log/log.h"

namespace tombola::daemon {

bool SayWhatNeedsRestart(const std::vector<Setting>& running, Config& fresh, int argc,
                         char** argv) {
  const absl::Status status = fresh.Parse(argc, argv);
  if (!status.ok()) {
    log::Warning("config_refused", {{"cause", status.message()}});
    return false;
  }
  std::vector<std::string> keys = Differences(running, fresh.Effective());
  keys.erase(std::remove(keys.begin(), keys.end(), "log-level"), keys.end());
  if (!keys.empty()) log::Warning("needs_restart", {{"keys", absl::StrJoin(keys, " ")}});
  return true;
}

}  // namespace tombola::daemon
