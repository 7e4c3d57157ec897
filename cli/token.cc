// tombola token create | list | revoke
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "cli/command.h"
#include "common/base/status_macros.h"
#include "common/http/token_file.h"
#include "common/random/secure_random.h"

namespace tombola::cli {
namespace {

struct Options {
  std::string tokens;
  std::string role;
  std::string name;
  bool json = false;
};

absl::Status RunCreate(const Options& options) {
  SecureRandom random;
  const absl::StatusOr<std::string> token =
      http::CreateToken(options.tokens, options.role, options.name, random);
  if (absl::IsAlreadyExists(token.status())) {
    return absl::InvalidArgumentError(token.status().message());
  }
  TOMBOLA_RETURN_IF_ERROR(token.status());
  if (options.json) {
    Print(Json{{"name", options.name}, {"role", options.role}, {"token", *token}});
  } else {
    std::cout << *token << "\n";
  }
  return absl::OkStatus();
}

absl::Status RunList(const Options& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<http::TokenEntry> entries,
                           http::ReadTokenFile(options.tokens));
  Json tokens = Json::array();
  for (const http::TokenEntry& entry : entries) {
    tokens.push_back({{"name", entry.name}, {"role", entry.role}});
    if (!options.json) std::cout << absl::StrFormat("%-13s  %s\n", entry.role, entry.name);
  }
  if (options.json) Print(Json{{"tokens", tokens}});
  return absl::OkStatus();
}

absl::Status RunRevoke(const Options& options) {
  TOMBOLA_RETURN_IF_ERROR(http::RevokeToken(options.tokens, options.name));
  if (options.json) Print(Json{{"revoked", options.name}});
  return absl::OkStatus();
}

void AddOne(CLI::App& group, const Choose& choose, const std::string& name, const std::string& help,
            absl::Status (*run)(const Options&)) {
  auto options = std::make_shared<Options>();
  CLI::App* app = group.add_subcommand(name, help);
  app->add_option("--tokens", options->tokens, "The daemon's file of tokens (its --http-tokens)")
      ->required();
  if (run == &RunCreate) {
    app->add_option("--role", options->role, "analyst, administrator, operator or monitor")
        ->required();
  }
  if (run != &RunList) {
    app->add_option("--name", options->name, "Whose it is: one line of text")->required();
  }
  app->add_flag("--json", options->json, "One JSON object on standard output");
  app->callback([options, choose, run] { choose([options, run] { return run(*options); }); });
}

}  // namespace

void AddToken(CLI::App& app, const Choose& choose) {
  CLI::App* group =
      app.add_subcommand("token", "Bearer tokens for the daemons' HTTP ports, in a file of theirs");
  group->require_subcommand(1);
  AddOne(*group, choose, "create",
         "Draws a token and prints it, this once; the file, made if need be, gets its digest only",
         &RunCreate);
  AddOne(*group, choose, "list", "Names and roles of the tokens in the file", &RunList);
  AddOne(*group, choose, "revoke",
         "Takes the token out of the file; a daemon that runs refuses it from then on", &RunRevoke);
}

}  // namespace tombola::cli
