// What a shell needs to complete the words of a command line.
#ifndef TOMBOLA_CLI_COMMAND_COMPLETION_H_
#define TOMBOLA_CLI_COMMAND_COMPLETION_H_

#include <string>

namespace CLI {
class App;
}

namespace tombola::cli {

// A script for bash that completes the program's commands, their flags, and of flags with a fixed
// choice the words that may follow; files elsewhere.
std::string BashCompletion(const CLI::App& app);
// The same for zsh, by its emulation of bash's.
std::string ZshCompletion(const CLI::App& app);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_COMMAND_COMPLETION_H_
