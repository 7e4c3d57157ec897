// Reading a program's flags with the exit codes that scripts rely on.
#ifndef TOMBOLA_COMMON_CONFIG_PARSE_FLAGS_H_
#define TOMBOLA_COMMON_CONFIG_PARSE_FLAGS_H_

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>

namespace tombola::config {

// Nothing: go on. Else the exit code: 0 after --help or --version, 2 for bad usage, which is said
// in one line on standard error.
inline std::optional<int> ParseFlags(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    std::cerr << app.get_name() << ": " << error.what() << " (see --help)\n";
    return 2;
  }
}

}  // namespace tombola::config

#endif  // TOMBOLA_COMMON_CONFIG_PARSE_FLAGS_H_
