// tombola keys list | rotate | generate
#include <iostream>
#include <memory>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/key_file.h"
#include "common/random/secure_random.h"

namespace tombola::cli {
namespace {

struct Options {
  std::string config;
  std::string out;
  bool json = false;
};

std::string Time(int64_t seconds) {
  return absl::FormatTime(absl::RFC3339_sec, absl::FromUnixSeconds(seconds), absl::UTCTimeZone());
}

void Show(const v1::KeyList& list, bool json) {
  const int64_t now = absl::ToUnixSeconds(absl::Now());
  Json keys = Json::array();
  for (const v1::HpkeKey& key : list.keys()) {
    const bool active = key.not_before() <= now && now < key.not_after();
    keys.push_back({{"key", absl::BytesToHexString(key.key_id())},
                    {"public_key", absl::BytesToHexString(key.public_key())},
                    {"state", active ? "active" : "retired"},
                    {"not_before", Time(key.not_before())},
                    {"not_after", Time(key.not_after())}});
  }
  if (json) {
    Print(Json{{"serial", list.serial()}, {"keys", keys}});
    return;
  }
  for (const Json& key : keys) {
    std::cout << absl::StrFormat(
        "%s  %-7s  %s to %s\n", key["key"].get<std::string>(), key["state"].get<std::string>(),
        key["not_before"].get<std::string>(), key["not_after"].get<std::string>());
  }
}

absl::Status RunList(const Options& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::KeyInfo info,
                           Call(*stub, &v1::CollectorQuery::Stub::ListKeys, v1::ListKeysRequest()));
  Show(info.keys(), options.json);
  return absl::OkStatus();
}

absl::Status RunRotate(const Options& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Admin(config));
  TOMBOLA_ASSIGN_OR_RETURN(
      const v1::KeyInfo info,
      Call(*stub, &v1::CollectorAdmin::Stub::RotateKeys, v1::RotateKeysRequest()));
  Show(info.keys(), options.json);
  return absl::OkStatus();
}

absl::Status RunGenerate(const Options& options) {
  SecureRandom random;
  TOMBOLA_ASSIGN_OR_RETURN(const crypto::SigningKey key, crypto::SigningKey::Generate(random));
  TOMBOLA_RETURN_IF_ERROR(
      crypto::WriteSecretFile(options.out, key.seed(), crypto::ExistingFile::kRefuse));
  const std::string public_key = ToHex(key.public_key());
  if (options.json) {
    Print(Json{{"file", options.out}, {"public_key", public_key}});
  } else {
    std::cout << public_key << "\n";
  }
  return absl::OkStatus();
}

void AddOne(CLI::App& group, const Choose& choose, const std::string& name, const std::string& help,
            absl::Status (*run)(const Options&)) {
  auto options = std::make_shared<Options>();
  CLI::App* app = group.add_subcommand(name, help);
  if (run == &RunGenerate) {
    app->add_option("--out", options->out, "File for the seed; must not exist")->required();
  } else {
    app->add_option("--config", options->config, "tombola.json of the deployment")->required();
  }
  app->add_flag("--json", options->json, "One JSON object on standard output");
  app->callback([options, choose, run] { choose([options, run] { return run(*options); }); });
}

}  // namespace

void AddKeys(CLI::App& app, const Choose& choose) {
  CLI::App* group = app.add_subcommand("keys", "The collector's HPKE keys, and long-term keys");
  group->require_subcommand(1);
  AddOne(*group, choose, "list", "The keys that reports are or were sealed to", &RunList);
  AddOne(*group, choose, "rotate",
         "A new key takes over; what is sealed to the old one still opens", &RunRotate);
  AddOne(*group, choose, "generate",
         "A long-term Ed25519 key for a daemon: writes the seed, prints the public key",
         &RunGenerate);
}

}  // namespace tombola::cli
