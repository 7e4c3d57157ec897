#include "cli/connect/config.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
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
    return {.certificate = Path(role + "/certificate"), .private_key = Path(role + "/private_key")};
  }
  const absl::Status& status() const { return status_; }

 private:
  const Json& json_;
  std::filesystem::path directory_;
  std::string file_;
  absl::Status status_;
};

Json IdentityJson(const Identity& identity) {
  return {{"certificate", identity.certificate}, {"private_key", identity.private_key}};
}

}  // namespace

absl::StatusOr<Config> Config::Load(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path));
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(path, " must be a JSON object"));
  }
  Reader reader(json, std::filesystem::path(path).parent_path(), path);
  Config config;
  config.shuffler = reader.Text("shuffler");
  config.collector_ingest = reader.Text("collector_ingest");
  config.collector_query = reader.Text("collector_query");
  config.roots = reader.Path("roots");
  config.shuffler_key = reader.Text("shuffler_key");
  config.collector_key = reader.Text("collector_key");
  config.administrator = reader.Who("administrator");
  config.analyst = reader.Who("analyst");
  config.operator_ = reader.Who("operator");
  TOMBOLA_RETURN_IF_ERROR(reader.status());
  if (json.contains("dashboard")) config.dashboard = reader.Text("dashboard");
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
