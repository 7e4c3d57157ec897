#include "cli/connect/config.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"

namespace tombola::cli {
namespace {

using Json = nlohmann::ordered_json;

// Reads members one by one and remembers the first that is missing.
class Reader {
 public:
  Reader(const Json& json, std::filesystem::path directory, std::string file)
      : json_(json), directory_(std::move(directory)), file_(std::move(file)) {}

  // Empty where it is absent.
  std::string MaybeText(const std::string& member) {
    return json_.contains(member) ? Text(member) : "";
  }
  std::string Text(const std::string& pointer) {
    const Json::json_pointer where("/" + pointer);
    if (!json_.contains(where) || !json_.at(where).is_string()) {
      if (status_.ok()) {
        status_ =
            absl::InvalidArgumentError(absl::StrCat(file_, " must have the text member ", pointer));
      }
      return "";
    }
    return json_.at(where).get<std::string>();
  }
  std::string Path(const std::string& pointer) {
    const std::filesystem::path path = Text(pointer);
    return path.is_absolute() ? path.string() : (directory_ / path).string();
  }
  Identity Who(const std::string& role) {
    if (!json_.contains(role)) return {};
    return {.certificate = Path(role + "/certificate"), .private_key = Path(role + "/private_key")};
  }
  const absl::Status& status() const { return status_; }

 private:
  const Json& json_;
  std::filesystem::path directory_;
  std::string file_;
  absl::Status status_;
};

bool IsReadable(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

// The first of the usual places in which there is a file.
absl::StatusOr<std::string> UsualPlace() {
  const auto variable = [](const char* name) -> std::string {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody here changes the environment
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (std::string named = variable("TOMBOLA_CONFIG"); !named.empty()) return named;
  std::string home = variable("XDG_CONFIG_HOME");
  if (home.empty() && !variable("HOME").empty()) home = variable("HOME") + "/.config";
  std::vector<std::string> places;
  if (!home.empty()) places.push_back(home + "/tombola/tombola.json");
  places.push_back("/etc/tombola/tombola.json");
  for (const std::string& place : places) {
    // One that is there and cannot be read is named, and none of another deployment taken for it.
    if (access(place.c_str(), F_OK) == 0) return place;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--config must name the tombola.json of a deployment: TOMBOLA_CONFIG is not set, "
      "and there is no ",
      absl::StrJoin(places, " nor ")));
}

Json IdentityJson(const Identity& identity) {
  return {{"certificate", identity.certificate}, {"private_key", identity.private_key}};
}

}  // namespace

bool Identity::IsAtHand() const {
  return !certificate.empty() && !private_key.empty() && IsReadable(certificate) &&
         IsReadable(private_key);
}

void AddConfigFlag(CLI::App& app, std::string* path) {
  app.add_option("--config", *path,
                 absl::StrCat("tombola.json of the deployment [", kUsualPlaces, "]"));
}

absl::StatusOr<Config> Config::Load(const std::string& named) {
  std::string path = named;
  if (path.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(path, UsualPlace());
  }
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path));
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(path, " must be a JSON object"));
  }
  Reader reader(json, std::filesystem::path(path).parent_path(), path);
  Config config;
  config.file = path;
  config.shuffler = reader.MaybeText("shuffler");
  config.collector_ingest = reader.MaybeText("collector_ingest");
  config.collector_query = reader.MaybeText("collector_query");
  config.roots = reader.Path("roots");
  config.shuffler_key = reader.MaybeText("shuffler_key");
  config.collector_key = reader.MaybeText("collector_key");
  config.administrator = reader.Who("administrator");
  config.analyst = reader.Who("analyst");
  config.operator_ = reader.Who("operator");
  config.dashboard = reader.MaybeText("dashboard");
  TOMBOLA_RETURN_IF_ERROR(reader.status());
  return config;
}

nlohmann::ordered_json Config::ToJson() const {
  Json json = {{"shuffler", shuffler},
               {"collector_ingest", collector_ingest},
               {"collector_query", collector_query},
               {"roots", roots},
               {"shuffler_key", shuffler_key},
               {"collector_key", collector_key},
               {"administrator", IdentityJson(administrator)},
               {"analyst", IdentityJson(analyst)},
               {"operator", IdentityJson(operator_)}};
  if (!dashboard.empty()) json["dashboard"] = dashboard;
  return json;
}

}  // namespace tombola::cli
