// What every command of `tombola` has in common.
#ifndef TOMBOLA_CLI_COMMAND_COMMAND_H_
#define TOMBOLA_CLI_COMMAND_COMMAND_H_

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/status/status.h"

namespace CLI {
class App;
}

namespace tombola::cli {

using Json = nlohmann::ordered_json;

// Exit codes: scripts rely on them.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;   // at run time
inline constexpr int kExitBadInput = 2;  // bad usage or bad input

// 2 for what the caller can mend by other words, 1 for the rest.
int ExitCode(const absl::Status& status);

// What to tell a person: the message, and how long a busy server asks to wait. Planner and
// collector begin a refusal with the request's field, such as `dishonest_share`; here it is the
// flag that people fill it by, `--dishonest`.
std::string Explain(const absl::Status& status);

// A command: adds its options to `app` and says what to run when it was chosen. The status becomes
// the exit code and, unless it is OK, one line on standard error.
using Run = std::function<absl::Status()>;
using Choose = std::function<void(Run)>;

void AddUp(CLI::App& app, const Choose& choose);
void AddTask(CLI::App& app, const Choose& choose);
void AddReport(CLI::App& app, const Choose& choose);
void AddQuery(CLI::App& app, const Choose& choose);
void AddStatus(CLI::App& app, const Choose& choose);
void AddKeys(CLI::App& app, const Choose& choose);
void AddToken(CLI::App& app, const Choose& choose);
void AddAccount(CLI::App& app, const Choose& choose);
void AddAudit(CLI::App& app, const Choose& choose);
void AddPlan(CLI::App& app, const Choose& choose);
void AddSimulate(CLI::App& app, const Choose& choose);
void AddStream(CLI::App& app, const Choose& choose);
void AddDemo(CLI::App& app, const Choose& choose);
// `app` is the program itself, and outlives what is run.
void AddCompletion(CLI::App& app, const Choose& choose);

// Of flags that take a number or the word none, which is infinite: a CLI11 transform.
std::string NoneIsInfinite(const std::string& text);

// One JSON object as a line of text; bytes that are no UTF-8 become U+FFFD.
std::string ToLine(const Json& json);
// The same on standard output.
void Print(const Json& json);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_COMMAND_COMMAND_H_
