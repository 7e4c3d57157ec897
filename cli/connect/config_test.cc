#include "cli/connect/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/support/environment.h"
#include "tests/support/scratch_directory.h"

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

Config GoodConfig() {
  Config config;
  config.shuffler = "127.0.0.1:7001";
  config.collector_ingest = "127.0.0.1:7002";
  config.collector_query = "127.0.0.1:7003";
  config.roots = "certificates/ca.pem";
  config.shuffler_key = std::string(64, 'a');
  config.collector_key = std::string(64, 'b');
  config.administrator = {.certificate = "a.pem", .private_key = "a.key"};
  config.analyst = {.certificate = "b.pem", .private_key = "b.key"};
  config.operator_ = {.certificate = "/etc/o.pem", .private_key = "/etc/o.key"};
  return config;
}

// Where each member is in the file.
const std::vector<std::string>& Members() {
  static const std::vector<std::string>* const members =
      new std::vector<std::string>{"/shuffler",
                                   "/collector_ingest",
                                   "/collector_query",
                                   "/roots",
                                   "/shuffler_key",
                                   "/collector_key",
                                   "/administrator/certificate",
                                   "/administrator/private_key",
                                   "/analyst/certificate",
                                   "/analyst/private_key",
                                   "/operator/certificate",
                                   "/operator/private_key"};
  return *members;
}

class ConfigTest : public ::testing::Test {
 protected:
  absl::StatusOr<Config> Load(const std::string& text) {
    return Config::Load(directory_.File("tombola.json", text));
  }
  void ExpectRefused(const std::string& text, const std::string& named) {
    const absl::Status status = Load(text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr(named));
    EXPECT_THAT(status.message(), HasSubstr(directory_.In("tombola.json")));
  }

  ScratchDirectory directory_;
};

TEST_F(ConfigTest, ReadsWhatWasWritten) {
  const Config written = GoodConfig();
  const auto read = Load(written.ToJson().dump());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->shuffler, written.shuffler);
  EXPECT_EQ(read->collector_ingest, written.collector_ingest);
  EXPECT_EQ(read->collector_query, written.collector_query);
  EXPECT_EQ(read->shuffler_key, written.shuffler_key);
  EXPECT_EQ(read->collector_key, written.collector_key);
}

TEST_F(ConfigTest, MayHaveTheAddressOfADashboard) {
  Config config = GoodConfig();
  EXPECT_FALSE(config.ToJson().contains("dashboard"));
  config.dashboard = "http://127.0.0.1:7004/#token=x";
  EXPECT_EQ(Load(config.ToJson().dump())->dashboard, config.dashboard);
  Json json = config.ToJson();
  json["dashboard"] = 7;
  ExpectRefused(json.dump(), "dashboard");
}

TEST_F(ConfigTest, RelativePathsCountFromTheFilesDirectoryAndAbsoluteOnesStay) {
  const auto read = Load(GoodConfig().ToJson().dump());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->roots, directory_.In("certificates/ca.pem"));
  EXPECT_EQ(read->administrator.certificate, directory_.In("a.pem"));
  EXPECT_EQ(read->administrator.private_key, directory_.In("a.key"));
  EXPECT_EQ(read->analyst.certificate, directory_.In("b.pem"));
  EXPECT_EQ(read->analyst.private_key, directory_.In("b.key"));
  EXPECT_EQ(read->operator_.certificate, "/etc/o.pem");
  EXPECT_EQ(read->operator_.private_key, "/etc/o.key");
}

TEST_F(ConfigTest, WritesEveryMemberThatItReads) {
  const Json json = GoodConfig().ToJson();
  for (const std::string& member : Members()) {
    EXPECT_TRUE(json.contains(Json::json_pointer(member))) << member;
  }
}

TEST_F(ConfigTest, NamesTheMemberThatIsMissing) {
  for (const std::string& member : Members()) {
    // What a role that the caller does not have would need may be absent.
    if (member != "/roots" && member.find('/', 1) == std::string::npos) continue;
    Json json = GoodConfig().ToJson();
    const Json::json_pointer where(member);
    json.at(where.parent_pointer()).erase(where.back());
    ExpectRefused(json.dump(), member.substr(1));
  }
}

TEST_F(ConfigTest, TakesAFileOfOneRole) {
  const auto read = Load(Json{{"collector_query", "127.0.0.1:7003"},
                              {"roots", "ca.pem"},
                              {"analyst", {{"certificate", "b.pem"}, {"private_key", "b.key"}}}}
                             .dump());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->analyst.certificate, directory_.In("b.pem"));
  EXPECT_EQ(read->operator_.certificate, "");
  EXPECT_FALSE(read->analyst.IsAtHand());  // there is no such file
  directory_.File("b.pem", "a certificate");
  EXPECT_FALSE(read->analyst.IsAtHand());
  directory_.File("b.key", "its key");
  EXPECT_TRUE(read->analyst.IsAtHand());
}

TEST_F(ConfigTest, FindsTheFileWithoutBeingTold) {
  const std::string named = directory_.File("tombola.json", GoodConfig().ToJson().dump());
  {
    const EnvironmentVariable variable("TOMBOLA_CONFIG", named);
    const auto read = Config::Load("");
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->file, named);
  }
  const EnvironmentVariable elsewhere("XDG_CONFIG_HOME", directory_.In("none"));
  const absl::Status nowhere = Config::Load("").status();
  EXPECT_TRUE(absl::IsInvalidArgument(nowhere)) << nowhere;
  EXPECT_THAT(nowhere.message(), HasSubstr(directory_.In("none/tombola/tombola.json")));
}

TEST_F(ConfigTest, NamesTheMemberThatIsNoText) {
  for (const std::string& member : Members()) {
    for (const Json& wrong : {Json(7), Json(), Json::array(), Json{{"a", 1}}}) {
      Json json = GoodConfig().ToJson();
      json[Json::json_pointer(member)] = wrong;
      ExpectRefused(json.dump(), member.substr(1));
    }
  }
}

TEST_F(ConfigTest, NamesARoleThatIsNoObject) {
  for (const Json& wrong : {Json("a.pem"), Json(7), Json(), Json::array({"a.pem", "a.key"})}) {
    Json json = GoodConfig().ToJson();
    json["analyst"] = wrong;
    ExpectRefused(json.dump(), "analyst/certificate");
  }
}

TEST_F(ConfigTest, RefusesWhatIsNoJsonObject) {
  for (const char* text : {"", "not JSON", "[]", "\"text\"", "{\"shuffler\": ", "null"}) {
    ExpectRefused(text, "must be a JSON object");
  }
}

TEST_F(ConfigTest, AMissingFileIsNotFoundAndNamed) {
  const absl::Status status = Config::Load(directory_.In("missing.json")).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("missing.json"));
}

}  // namespace
}  // namespace tombola::cli
