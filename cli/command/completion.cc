#include "cli/command/completion.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/command/command.h"

namespace tombola::cli {
namespace {

std::vector<const CLI::App*> CommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// The words of "{plain,fenwick}" in the name of a flag's type; none where it may be anything.
std::vector<std::string> ChoicesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return absl::StrSplit(type.substr(begin + 1, end - begin - 1), ',');
}

// A line for each command that says what may follow it, and one for each flag with choices.
void AppendCases(const CLI::App& app, const std::string& path, std::string* follow,
                 std::string* choices) {
  std::vector<std::string> words;
  for (const CLI::App* command : CommandsOf(app)) words.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      words.push_back("--" + name);
      const std::vector<std::string> known = ChoicesOf(*option);
      if (known.empty()) continue;
      absl::StrAppend(choices, "    '", path, " --", name, "') words='", absl::StrJoin(known, " "),
                      "' ;;\n");
    }
  }
  absl::StrAppend(follow, "    '", path, "') words='", absl::StrJoin(words, " "), "' ;;\n");
  for (const CLI::App* command : CommandsOf(app)) {
    AppendCases(*command, absl::StrCat(path, path.empty() ? "" : " ", command->get_name()), follow,
                choices);
  }
}

void AppendPaths(const CLI::App& app, const std::string& path, std::vector<std::string>* paths) {
  for (const CLI::App* command : CommandsOf(app)) {
    const std::string own = absl::StrCat(path, path.empty() ? "" : " ", command->get_name());
    paths->push_back(absl::StrCat("'", own, "'"));
    AppendPaths(*command, own, paths);
  }
}

constexpr char kBash[] = R"(# Completes the words of NAME; made by `NAME completion bash`.
_NAME() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local path='' words='' i longer
  for ((i = 1; i < COMP_CWORD; i++)); do
    longer="${path:+$path }${COMP_WORDS[i]}"
    case $longer in
      PATHS) path=$longer ;;
    esac
  done
  case "$path $previous" in
CHOICES    *) ;;
  esac
  if [[ -z $words && ( $previous != --* || $current == --* ) ]]; then
    case $path in
FOLLOW    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _NAME NAME
)";

}  // namespace

std::string BashCompletion(const CLI::App& app) {
  std::string follow, choices;
  AppendCases(app, "", &follow, &choices);
  std::vector<std::string> paths;
  AppendPaths(app, "", &paths);
  return absl::StrReplaceAll(kBash, {{"NAME", app.get_name()},
                                     {"PATHS", absl::StrJoin(paths, "|")},
                                     {"CHOICES", choices},
                                     {"FOLLOW", follow}});
}

std::string ZshCompletion(const CLI::App& app) {
  return absl::StrCat("#compdef ", app.get_name(),
                      "\nautoload -U +X bashcompinit && bashcompinit\n", BashCompletion(app));
}

void AddCompletion(CLI::App& app, const Choose& choose) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completion =
      app.add_subcommand("completion",
                         "A script that completes commands and flags in a shell: source <(tombola "
                         "completion bash)");
  completion->add_option("shell", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  completion->callback([&app, shell, choose] {
    choose([&app, shell] {
      std::cout << (*shell == "bash" ? BashCompletion(app) : ZshCompletion(app));
      return absl::OkStatus();
    });
  });
}

}  // namespace tombola::cli
