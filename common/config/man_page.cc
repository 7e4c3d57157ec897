#include "common/config/man_page.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace tombola::config {
namespace {

// Text that roff prints as it is: no escapes, no requests, and hyphens that can be copied.
std::string Plain(const std::string& text) {
  std::string out = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}});
  if (!out.empty() && (out[0] == '.' || out[0] == '\'')) out.insert(0, "\\&");
  return absl::StrReplaceAll(out, {{"\n.", "\n\\&."}, {"\n'", "\n\\&'"}});
}

std::vector<const CLI::App*> CommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// Without what CLI11 says of its own checks: "INT", or "{plain,fenwick}" of a choice.
std::string TypeOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t choice = type.find('{');
  if (choice != std::string::npos) return type.substr(choice);
  return type.substr(0, type.find(':'));
}

void AppendOptions(const CLI::App& app, std::string* page) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty() || option->get_group().empty()) continue;
    absl::StrAppend(page, ".TP\n.B ", Plain("--" + option->get_lnames().front()));
    if (option->get_items_expected_max() > 0) {
      absl::StrAppend(page, " ", Plain(TypeOf(*option)));
    }
    absl::StrAppend(page, "\n", Plain(option->get_description()));
    if (!option->get_default_str().empty()) {
      absl::StrAppend(page, " [", Plain(option->get_default_str()), "]");
    }
    if (option->get_required()) absl::StrAppend(page, " (required)");
    absl::StrAppend(page, "\n");
  }
}

// A command with its flags, and below it the commands that it has.
void AppendCommand(const CLI::App& app, const std::string& before, std::string* page) {
  const std::string name = absl::StrCat(before, " ", app.get_name());
  absl::StrAppend(page, ".SS ", Plain(name), "\n", Plain(app.get_description()), "\n");
  if (CommandsOf(app).empty()) AppendOptions(app, page);
  for (const CLI::App* command : CommandsOf(app)) AppendCommand(*command, name, page);
}

}  // namespace

std::string ManPage(const CLI::App& app) {
  const std::string& name = app.get_name();
  const bool commands = !CommandsOf(app).empty();
  std::string page = absl::StrCat(".TH ", absl::AsciiStrToUpper(name), " ", commands ? "1" : "8",
                                  " \"\" \"Tombola\"\n", ".SH NAME\n", Plain(name), " \\- ",
                                  Plain(app.get_description()), "\n.SH SYNOPSIS\n.B ", Plain(name),
                                  "\n", commands ? ".I COMMAND\n" : "", "[\n.I FLAGS\n]\n");
  absl::StrAppend(&page, commands ? ".SH COMMANDS\n" : ".SH FLAGS\n");
  if (!commands) AppendOptions(app, &page);
  for (const CLI::App* command : CommandsOf(app)) AppendCommand(*command, name, &page);
  if (!app.get_footer().empty()) {
    absl::StrAppend(&page, ".SH NOTES\n", Plain(app.get_footer()), "\n");
  }
  return page;
}

}  // namespace tombola::config
