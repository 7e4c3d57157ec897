// tombola: the tool for people.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command/command.h"
#include "common/config/flag_values.h"
#include "common/config/nearest.h"
#include "common/config/parse_flags.h"
#include "common/rpc/grpc_log.h"
#include "common/rpc/server.h"

int main(int argc, char** argv) {
  using namespace tombola;
  rpc::PrepareProcess();
  rpc::SilenceGrpcLog();
  CLI::App app{"Histograms of categorical facts under shuffle-model differential privacy.",
               "tombola"};
  app.require_subcommand(1);
  app.set_version_flag("--version", TOMBOLA_VERSION);
  app.footer(
      "tombola help COMMAND says more of one.\n"
      "Exit codes: 0 success, 1 failure at run time, 2 bad usage or bad input.");
  cli::Run run;
  const cli::Choose choose = [&](cli::Run chosen) { run = std::move(chosen); };
  cli::AddUp(app, choose);
  cli::AddTask(app, choose);
  cli::AddReport(app, choose);
  cli::AddQuery(app, choose);
  cli::AddStatus(app, choose);
  cli::AddKeys(app, choose);
  cli::AddToken(app, choose);
  cli::AddAccount(app, choose);
  cli::AddAudit(app, choose);
  cli::AddPlan(app, choose);
  cli::AddSimulate(app, choose);
  cli::AddStream(app, choose);
  cli::AddDemo(app, choose);
  cli::AddCompletion(app, choose);
  config::TakeWholeNumbersOnly(app);
  config::TakeNoEmptyText(app);
  // `tombola help task create` is `tombola task create --help`.
  char help[] = "--help";
  if (argc > 1 && std::string(argv[1]) == "help") {
    std::rotate(argv + 1, argv + 2, argv + argc);
    argv[argc - 1] = help;
  }
  const std::string command = argc > 1 ? argv[1] : "-";
  std::vector<std::string> commands;
  for (const CLI::App* known : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(known->get_name());
  }
  if (command[0] != '-' && std::find(commands.begin(), commands.end(), command) == commands.end()) {
    const std::string meant = config::Nearest(command, commands);
    std::cerr << "tombola: " << command << " is no command"
              << (meant.empty() ? "" : "; did you mean " + meant + "?") << " (see --help)\n";
    return cli::kExitBadInput;
  }
  if (const auto code = config::ParseFlags(app, argc, argv)) return *code;
  absl::Status status = run();
  std::cout.flush();
  if (status.ok() && !std::cout) status = absl::DataLossError("cannot write to standard output");
  if (!status.ok()) std::cerr << "tombola: " << cli::Explain(status) << "\n";
  return cli::ExitCode(status);
}
