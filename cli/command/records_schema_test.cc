#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/command/schema_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/scratch_directory.h"

namespace tombola::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RecordsSchemaTest : public ::testing::Test {
 protected:
  absl::StatusOr<v1::Records> Read(const std::string& text) {
    const std::string path = scratch_.path() + "/schema.json";
    std::ofstream(path) << text;
    return ReadRecordsSchema(path);
  }
  std::string Refusal(const std::string& attributes, const std::string& rest) {
    const auto read = Read("{\"attributes\": [" + attributes + "], " + rest + "}");
    EXPECT_TRUE(absl::IsInvalidArgument(read.status())) << read.status();
    return std::string(read.status().message());
  }

  ScratchDirectory scratch_;
};

constexpr char kAge[] = R"({"name": "age", "low": 0, "high": 100, "bins": 50})";
constexpr char kCity[] = R"({"name": "city", "labels": ["Oslo", "Bergen"]})";
constexpr char kRest[] = R"("max_records": 3, "questions": [["age"]])";

TEST_F(RecordsSchemaTest, AFileBecomesAMessageWithAViewForEachQuestion) {
  const auto read = Read(R"({
    "attributes": [{"name": "age", "low": 0, "high": 100, "bins": 50},
                   {"name": "price", "edges": [0, 1, 10, 100]},
                   {"name": "city", "labels": ["Oslo", "Bergen"]}],
    "measures": [{"name": "amount", "low": -1, "high": 1},
                 {"name": "weight", "low": 0, "high": 5, "levels": 7}],
    "max_records": 3,
    "questions": [["age"], {"attributes": ["city", "age"], "measure": "weight", "joined": [1, 5]},
                  {"attributes": ["price"], "branching": 0}, []],
    "joins": [{"table": "t.csv", "key": "k"}]
  })");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->attributes(0).edges(), ElementsAre(0, 100));
  EXPECT_EQ(read->attributes(0).bins(), 50u);
  EXPECT_THAT(read->attributes(1).edges(), ElementsAre(0, 1, 10, 100));
  EXPECT_EQ(read->attributes(1).bins(), 3u);
  EXPECT_THAT(read->attributes(2).labels(), ElementsAre("Oslo", "Bergen"));
  EXPECT_EQ(read->measures(0).levels().count(), 3u);
  EXPECT_EQ(read->measures(1).levels().count(), 7u);
  EXPECT_EQ(read->max_records(), 3u);
  ASSERT_EQ(read->views_size(), 4);
  EXPECT_THAT(read->views(0).attributes(), ElementsAre(0));
  EXPECT_FALSE(read->views(0).has_branching());
  EXPECT_THAT(read->views(1).attributes(), ElementsAre(0, 2));
  EXPECT_THAT(read->views(1).joined(), ElementsAre(5, 1));
  EXPECT_EQ(read->views(1).measure(), 1u);
  EXPECT_TRUE(read->views(2).has_branching());
  EXPECT_TRUE(read->views(3).attributes().empty());
}

TEST_F(RecordsSchemaTest, MaxRecordsMayBeToBeChosen) {
  const auto read = Read(absl::StrCat(R"({"max_records": "auto", "max_alike": 2, "attributes": [)",
                                      kAge, R"(], "questions": [["age"]]})"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->max_records(), 0u);
  EXPECT_EQ(read->max_alike(), 2u);
}

TEST_F(RecordsSchemaTest, AFolderIsBadInput) {
  const absl::Status folder = ReadRecordsSchema(scratch_.path()).status();
  EXPECT_TRUE(absl::IsInvalidArgument(folder)) << folder;
  EXPECT_THAT(std::string(folder.message()),
              AllOf(HasSubstr("--schema: "), HasSubstr("must be a file, is a folder")));
}

TEST_F(RecordsSchemaTest, RefusesWhatIsWrongAndNamesFileAndMember) {
  EXPECT_THAT(std::string(Read("{").status().message()),
              AllOf(HasSubstr("schema.json"), HasSubstr("JSON object")));
  EXPECT_THAT(Refusal(R"({"name": "age", "low": 0, "high": 100})", kRest),
              HasSubstr("attributes[0].bins"));
  EXPECT_THAT(Refusal(R"({"name": "age", "low": 0, "labels": ["a"]})", kRest),
              HasSubstr("attributes[0]"));
  EXPECT_THAT(Refusal(R"({"name": "age", "size": 3})", kRest), HasSubstr("\"size\""));
  EXPECT_THAT(Refusal(R"({"name": 3, "labels": ["a", "b"]})", kRest),
              HasSubstr("attributes[0].name"));
  EXPECT_THAT(Refusal(kCity, kRest), AllOf(HasSubstr("questions[0]"), HasSubstr("\"age\"")));
  EXPECT_THAT(Refusal(kAge, R"("questions": [["age"]])"), HasSubstr("max_records"));
  EXPECT_THAT(Refusal(kAge, R"("max_records": -1, "questions": [["age"]])"),
              HasSubstr("max_records"));
  for (const char* const wrong : {"0", "\"many\"", "2.5", "null"}) {
    EXPECT_THAT(Refusal(kAge, absl::StrCat(R"("questions": [["age"]], "max_records": )", wrong)),
                HasSubstr("max_records must be a whole number from 1 on, or \"auto\""));
  }
  EXPECT_THAT(Refusal(kAge, R"("max_records": "auto", "max_alike": 0, "questions": [["age"]])"),
              HasSubstr("max_alike must be at least 1"));
  EXPECT_THAT(Refusal(kAge, R"("max_records": 3)"), HasSubstr("questions"));
  EXPECT_THAT(Refusal(kAge, R"("max_records": 3, "questions": [{"attributes": ["age"],
                              "measure": "amount"}])"),
              HasSubstr("questions[0].measure"));
  EXPECT_THAT(Refusal(kAge, R"("max_records": 3, "questions": [["age", "age"]])"),
              HasSubstr("questions[0].attributes must be names that are there once each"));
  EXPECT_THAT(Refusal(kAge, R"("max_records": 3, "questions": [{"attributes": ["age"],
                              "joined": [1, 2]}])"),
              HasSubstr("questions[0].joined"));
  EXPECT_THAT(Refusal(kAge, R"("max_records": 3, "tau": 3, "questions": [["age"]])"),
              HasSubstr("\"tau\""));
}

}  // namespace
}  // namespace tombola::cli
