// tombola-shuffler: gathers sealed reports, permutes them and forwards them in batches.
#include "common/daemon/run.h"
#include "shuffler/daemon.h"
#include "shuffler/flags.h"

int main(int argc, char** argv) {
  using tombola::shuffler::CheckOptions, tombola::shuffler::Daemon, tombola::shuffler::Flags;
  return tombola::daemon::Run<Flags, Daemon>(argc, argv, CheckOptions);
}
