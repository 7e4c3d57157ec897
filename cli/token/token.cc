// tombola token create | list | revoke
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/command/command.h"
#include "common/base/status_macros.h"
#include "common/base/time_text.h"
#include "common/http/token_file.h"
#include "common/random/secure_random.h"

namespace tombola::cli {
namespace {

struct TokenOptions {
  std::string tokens;
  std::string role;
  std::string name;
  std::string expires;
  std::vector<std::string> tasks;
  bool json = false;
};

// A duration from now, a time, or the beginning of a day in UTC; empty: never.
absl::StatusOr<absl::Time> ExpiryTime(const std::string& text, absl::Time now) {
  if (text.empty()) return absl::InfiniteFuture();
  absl::Time time;
  std::string error;
  if (const std::optional<absl::Duration> in = ParseDuration(text)) {
    time = absl::FromUnixSeconds(absl::ToUnixSeconds(now + *in));  // as the file has it
  } else if (!absl::ParseTime(absl::RFC3339_full, text, &time, &error) &&
             !absl::ParseTime("%Y-%m-%d", text, &time, &error)) {
    return absl::InvalidArgumentError(
        "--expires must be a duration such as 30d, a day such as 2027-01-31, or a time such as "
        "2027-01-31T08:00:00Z");
  }
  if (time <= now) return absl::InvalidArgumentError("--expires must be in the future");
  return time;
}

Json Described(const http::TokenGrant& grant) {
  const bool ends = grant.expires != absl::InfiniteFuture();
  return {{"name", grant.name},
          {"role", grant.role},
          {"expires", ends ? Json(TimeText(grant.expires)) : Json()},
          {"tasks", grant.tasks.empty() ? Json() : Json(grant.tasks)}};
}

absl::Status RunTokenCreate(const TokenOptions& options) {
  SecureRandom random;
  http::TokenGrant grant{.role = options.role, .name = options.name, .tasks = options.tasks};
  TOMBOLA_ASSIGN_OR_RETURN(grant.expires, ExpiryTime(options.expires, absl::Now()));
  const absl::StatusOr<std::string> token = http::CreateToken(options.tokens, grant, random);
  if (absl::IsAlreadyExists(token.status())) {
    return absl::InvalidArgumentError(token.status().message());
  }
  TOMBOLA_RETURN_IF_ERROR(token.status());
  if (options.json) {
    Json json = Described(grant);
    json["token"] = *token;
    Print(json);
  } else {
    std::cout << *token << "\n";
  }
  return absl::OkStatus();
}

absl::Status RunTokenList(const TokenOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<http::TokenEntry> entries,
                           http::ReadTokenFile(options.tokens));
  Json tokens = Json::array();
  for (const http::TokenEntry& entry : entries) {
    tokens.push_back(Described(entry));
    if (options.json) continue;
    std::cout << absl::StrFormat("%-13s  %s", entry.role, entry.name);
    if (entry.expires != absl::InfiniteFuture()) {
      std::cout << (entry.expires <= absl::Now() ? ", expired " : ", expires ")
                << TimeText(entry.expires);
    }
    for (const std::string& task : entry.tasks) std::cout << "\n               task " << task;
    std::cout << "\n";
  }
  if (options.json) Print(Json{{"tokens", tokens}});
  return absl::OkStatus();
}

absl::Status RunRevoke(const TokenOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(http::RevokeToken(options.tokens, options.name));
  if (options.json) Print(Json{{"revoked", options.name}});
  return absl::OkStatus();
}

void AddOne(CLI::App& group, const Choose& choose, const std::string& name, const std::string& help,
            absl::Status (*run)(const TokenOptions&)) {
  auto options = std::make_shared<TokenOptions>();
  CLI::App* app = group.add_subcommand(name, help);
  app->add_option("--tokens", options->tokens, "The daemon's file of tokens (its --http-tokens)")
      ->required();
  if (run == &RunTokenCreate) {
    app->add_option("--role", options->role, "analyst, administrator, operator or monitor")
        ->required();
    app->add_option("--expires", options->expires,
                    "When it ends: 30d, 2027-01-31 (UTC) or 2027-01-31T08:00:00Z [never]");
    app->add_option("--tasks", options->tasks,
                    "Ids of the tasks that an analyst may read, with commas between them [all]")
        ->delimiter(',');
  }
  if (run != &RunTokenList) {
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
         &RunTokenCreate);
  AddOne(*group, choose, "list",
         "Names and roles of the tokens in the file, when they expire, what they are for",
         &RunTokenList);
  AddOne(*group, choose, "revoke",
         "Takes the token out of the file; a daemon that runs refuses it from then on", &RunRevoke);
}

}  // namespace tombola::cli
