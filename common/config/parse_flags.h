// Reading a program's flags with the exit codes that scripts rely on.
#ifndef TOMBOLA_COMMON_CONFIG_PARSE_FLAGS_H_
#define TOMBOLA_COMMON_CONFIG_PARSE_FLAGS_H_

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/config/man_page.h"
#include "common/config/nearest.h"

namespace tombola::config {

// "; did you mean --epsilon?" where an argument is but for a few letters a flag or a command that
// the chosen command has; else empty.
inline std::string Suggestion(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  std::vector<std::string> flags;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  std::vector<std::string> commands;
  for (const CLI::App* known : command->get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(known->get_name());
  }
  for (int i = 1; i < argc; ++i) {
    const std::string argument = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    const bool flag = absl::StartsWith(argument, "--");
    if (flag && command->get_option_no_throw(argument) != nullptr) continue;
    const std::string meant = Nearest(argument, flag ? flags : commands);
    if (!meant.empty()) return absl::StrCat("; did you mean ", meant, " by ", argument, "?");
  }
  return "";
}

// Nothing: go on. Else the exit code: 0 after --help or --version, 2 for bad usage, which is said
// in one line on standard error.
// `--man-page` alone is not among the flags that it tells of: packages are made with it.
inline std::optional<int> ParseFlags(CLI::App& app, int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--man-page") {
    std::cout << ManPage(app);
    return 0;
  }
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    std::cerr << app.get_name() << ": " << error.what() << Suggestion(app, argc, argv)
              << " (see --help)\n";
    return 2;
  }
}

}  // namespace tombola::config

#endif  // TOMBOLA_COMMON_CONFIG_PARSE_FLAGS_H_
