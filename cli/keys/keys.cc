// tombola keys list | rotate | destroy | generate
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "cli/command/command.h"
#include "cli/connect/connection.h"
#include "common/base/ids.h"
#include "common/base/time_text.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/key_file.h"
#include "common/random/secure_random.h"

namespace tombola::cli {
namespace {

struct KeysOptions {
  std::string config;
  std::string out;
  std::string at;
  std::string in;
  std::string key;
  bool json = false;
};

std::string Time(int64_t seconds) { return TimeText(absl::FromUnixSeconds(seconds)); }

const char* StateName(v1::KeyState state) {
  switch (state) {
    case v1::KEY_STATE_PENDING:
      return "pending";
    case v1::KEY_STATE_ACTIVE:
      return "active";
    case v1::KEY_STATE_RETIRED:
      return "retired";
    case v1::KEY_STATE_DESTROYED:
      return "destroyed";
    default:
      return "unknown";
  }
}

// Every key there ever was; only of those in the list is known what they are and whose.
void Show(const v1::KeyInfo& info, bool json) {
  absl::flat_hash_map<std::string, const v1::HpkeKey*> in_list;
  for (const v1::HpkeKey& key : info.keys().keys()) in_list[key.key_id()] = &key;
  Json keys = Json::array();
  for (const v1::KeyHistory& key : info.history()) {
    const auto found = in_list.find(key.key_id());
    const v1::HpkeKey* const listed = found == in_list.end() ? nullptr : found->second;
    const bool of_node = listed != nullptr && !listed->task_id().empty();
    keys.push_back(
        {{"key", absl::BytesToHexString(key.key_id())},
         {"public_key",
          listed == nullptr ? Json() : Json(absl::BytesToHexString(listed->public_key()))},
         {"task", of_node ? Json(absl::BytesToHexString(listed->task_id())) : Json()},
         {"node", of_node ? Json(listed->part()) : Json()},
         {"state", StateName(key.state())},
         {"not_before", Time(key.not_before())},
         {"not_after", Time(key.not_after())},
         {"closes", Time(key.closes())},
         {"destroyed", key.destroyed() == 0 ? Json() : Json(Time(key.destroyed()))}});
  }
  if (json) {
    Print(Json{{"serial", info.keys().serial()},
               {"issued", info.keys().issued() == 0 ? Json() : Json(Time(info.keys().issued()))},
               {"keys", keys}});
    return;
  }
  for (const Json& key : keys) {
    const bool destroyed = !key["destroyed"].is_null();
    std::cout << absl::StrFormat(
        "%s  %-9s  %s to %s, %s %s", key["key"].get<std::string>(), key["state"].get<std::string>(),
        key["not_before"].get<std::string>(), key["not_after"].get<std::string>(),
        destroyed ? "destroyed" : "closes",
        key[destroyed ? "destroyed" : "closes"].get<std::string>());
    if (!key["node"].is_null()) {
      std::cout << absl::StrFormat(", of node %d of %s", key["node"].get<uint64_t>(),
                                   key["task"].get<std::string>());
    }
    std::cout << "\n";
  }
}

absl::Status RunList(const KeysOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::KeyInfo info,
                           Call(*stub, &v1::CollectorQuery::Stub::ListKeys, v1::ListKeysRequest()));
  Show(info, options.json);
  return absl::OkStatus();
}

// Unix seconds; 0 if neither flag is there.
absl::StatusOr<int64_t> RotationTime(const KeysOptions& options) {
  if (!options.at.empty()) {
    absl::Time time;
    std::string error;
    if (!absl::ParseTime(absl::RFC3339_full, options.at, &time, &error)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--at must be a time such as 2027-01-31T08:00:00Z: ", error));
    }
    if (time <= absl::Now()) return absl::InvalidArgumentError("--at must be in the future");
    return absl::ToUnixSeconds(time);
  }
  if (!options.in.empty()) {
    const std::optional<absl::Duration> in = ParseDuration(options.in);
    if (!in.has_value() || *in < absl::Seconds(1) || *in > absl::Hours(24 * 3660)) {
      return absl::InvalidArgumentError(
          "--in must be a duration of a second or more, such as 12h or 30d");
    }
    return absl::ToUnixSeconds(absl::Now() + *in);
  }
  return 0;
}

absl::Status RunRotate(const KeysOptions& options) {
  v1::RotateKeysRequest request;
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t at, RotationTime(options));
  request.set_at(at);
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Admin(config));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::KeyInfo info,
                           Call(*stub, &v1::CollectorAdmin::Stub::RotateKeys, request));
  Show(info, options.json);
  return absl::OkStatus();
}

absl::Status RunDestroy(const KeysOptions& options) {
  const auto id = IdFromHex<KeyId>(options.key);
  if (!id.has_value()) {
    return absl::InvalidArgumentError("--key must be 16 lower-case hexadecimal digits");
  }
  v1::DestroyKeyRequest request;
  request.set_key_id(std::string(AsView(*id)));
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Admin(config));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::KeyInfo info,
                           Call(*stub, &v1::CollectorAdmin::Stub::DestroyKey, request));
  Show(info, options.json);
  return absl::OkStatus();
}

absl::Status RunGenerate(const KeysOptions& options) {
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
            absl::Status (*run)(const KeysOptions&)) {
  auto options = std::make_shared<KeysOptions>();
  CLI::App* app = group.add_subcommand(name, help);
  if (run == &RunGenerate) {
    app->add_option("--out", options->out, "File for the seed; must not exist")->required();
  } else {
    AddConfigFlag(*app, &options->config);
  }
  if (run == &RunRotate) {
    CLI::Option* at = app->add_option("--at", options->at,
                                      "When, at the latest when the present key ends [at once]");
    app->add_option("--in", options->in, "The same from now on, such as 12h or 30d")->excludes(at);
  }
  if (run == &RunDestroy) {
    app->add_option("--key", options->key, "The key's id, of 16 hexadecimal digits")->required();
  }
  app->add_flag("--json", options->json, "One JSON object on standard output");
  app->callback([options, choose, run] { choose([options, run] { return run(*options); }); });
}

}  // namespace

void AddKeys(CLI::App& app, const Choose& choose) {
  CLI::App* group = app.add_subcommand("keys", "The collector's HPKE keys, and long-term keys");
  group->require_subcommand(1);
  AddOne(*group, choose, "list",
         "Every key that reports are, were or will be sealed to, with its state", &RunList);
  AddOne(*group, choose, "rotate",
         "The next key takes over; what is sealed to the old one opens until its window closes",
         &RunRotate);
  AddOne(*group, choose, "destroy",
         "Destroys the private key of one that is not active: nothing sealed to it opens any more",
         &RunDestroy);
  AddOne(*group, choose, "generate",
         "A long-term Ed25519 key for a daemon: writes the seed, prints the public key",
         &RunGenerate);
}

}  // namespace tombola::cli
