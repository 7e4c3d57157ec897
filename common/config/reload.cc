#include "common/config/reload.h"

#include <string>

#include "absl/strings/str_join.h"
#include "common/log/log.h"

namespace tombola::config {

void SayWhatNeedsRestart(const std::vector<Setting>& running, DaemonConfig& fresh, int argc,
                         char** argv) {
  const absl::Status status = fresh.Parse(argc, argv);
  if (!status.ok()) {
    log::Warning("config_refused", {{"cause", status.message()}});
    return;
  }
  const std::vector<std::string> keys = Differences(running, fresh.Effective());
  if (!keys.empty()) log::Warning("needs_restart", {{"keys", absl::StrJoin(keys, " ")}});
}

}  // namespace tombola::config
