#include "common/json/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace tombola {
namespace {

v1::Answer Example() {
  v1::Answer answer;
  answer.set_task_id(std::string(32, '\xab'));
  v1::Histogram* histogram = answer.mutable_histogram();
  histogram->add_values(4);
  for (auto* column : {histogram->mutable_frequencies(), histogram->mutable_raw(),
                       histogram->mutable_standard_errors(), histogram->mutable_low(),
                       histogram->mutable_high()}) {
    column->Add(0.5);
  }
  answer.set_reports(1000);
  answer.set_messages(1234);
  answer.set_fakes(34);
  answer.mutable_rejected()->set_unopened(1);
  answer.mutable_rejected()->set_malformed(20);
  answer.mutable_rejected()->set_out_of_range(300);
  v1::Guarantee* guarantee = answer.mutable_guarantee();
  guarantee->set_epsilon(2);
  guarantee->set_delta(1e-5);
  guarantee->set_local_epsilon(6);
  guarantee->set_users(400);
  guarantee->set_method("tight");
  guarantee->set_batches(2);
  guarantee->set_submissions_per_device(2);
  guarantee->set_batch_epsilon(1);
  guarantee->set_dishonest_share(0.1);
  guarantee->set_epsilon_foreign_10(1.5);
  guarantee->set_epsilon_foreign_50(2.5);
  guarantee->set_batch_delta(1e-7);
  guarantee->set_delta_foreign_10(2e-6);
  guarantee->set_delta_foreign_50(3e-6);
  guarantee->set_reason("they count as a group");
  v1::Quality* quality = answer.mutable_quality();
  quality->set_duplicates(17);
  quality->set_shift_per_dishonest(0.002);
  quality->set_dishonest(100);
  quality->set_shift_at_dishonest_share(0.2);
  v1::QualityWarning* warning = quality->add_warnings();
  warning->set_kind("seeds");
  warning->set_text("Too many.");
  return answer;
}

Json Parsed(const v1::Answer& answer) { return Json::parse(AnswerJson(answer)); }

TEST(AnswerJsonTest, SaysWhatTheAnswerIsWorth) {
  const Json quality = Parsed(Example())["quality"];
  EXPECT_EQ(quality["duplicates"], 17);
  EXPECT_EQ(quality["shift_per_dishonest"], 0.002);
  EXPECT_EQ(quality["dishonest"], 100);
  EXPECT_EQ(quality["shift_at_dishonest_share"], 0.2);
  EXPECT_EQ(quality["warnings"], (Json::array({Json{{"kind", "seeds"}, {"text", "Too many."}}})));
}

TEST(AnswerJsonTest, HasTheMembersThatScriptsRelyOn) {
  const Json json = Parsed(Example());
  std::string id;
  for (int i = 0; i < 32; ++i) id += "ab";
  EXPECT_EQ(json["task"], id);
  EXPECT_EQ(json["kind"], "histogram");
  EXPECT_EQ(json["reports"], 1000);
  EXPECT_EQ(json["messages"], 1234);
  EXPECT_EQ(json["fakes"], 34);
  EXPECT_EQ(json["rejected"], 321);
  EXPECT_EQ(json["rejected_by_cause"],
            (Json{{"unopened", 1}, {"malformed", 20}, {"out_of_range", 300}}));
  const Json& guarantee = json["guarantee"];
  EXPECT_EQ(guarantee["epsilon"], 2.0);
  EXPECT_EQ(guarantee["delta"], 1e-5);
  EXPECT_EQ(guarantee["local_epsilon"], 6.0);
  EXPECT_EQ(guarantee["users"], 400);
  EXPECT_EQ(guarantee["method"], "tight");
  EXPECT_EQ(guarantee["batches"], 2);
  EXPECT_EQ(guarantee["submissions_per_device"], 2);
  EXPECT_EQ(guarantee["batch_epsilon"], 1.0);
  EXPECT_EQ(guarantee["dishonest"], 0.1);
  EXPECT_EQ(guarantee["epsilon_foreign_10"], 1.5);
  EXPECT_EQ(guarantee["epsilon_foreign_50"], 2.5);
  EXPECT_EQ(guarantee["batch_delta"], 1e-7);
  EXPECT_EQ(guarantee["delta_foreign_10"], 2e-6);
  EXPECT_EQ(guarantee["delta_foreign_50"], 3e-6);
  EXPECT_EQ(guarantee["reason"], "they count as a group");
  EXPECT_TRUE(guarantee["warning"].is_null());
}

TEST(AnswerJsonTest, SaysOnceWhatWasDropped) {
  EXPECT_EQ(AnswerJson(Example()).find("refused"), std::string::npos);
}

TEST(AnswerJsonTest, HasTheBodysMembersBetweenItsOwn) {
  const std::string text = AnswerJson(Example());
  EXPECT_EQ(Json::parse(text)["bins"][0]["value"], 4);
  EXPECT_LT(text.find("\"rejected_by_cause\""), text.find("\"bins\""));
  EXPECT_LT(text.find("\"bins\""), text.find("\"guarantee\""));
  EXPECT_EQ(text, ToText(Json::parse(text)));
}

TEST(AnswerJsonTest, TakesTheTruthAndFurtherMembers) {
  const Json json = Json::parse(AnswerJson(Example(), {.frequencies = {0.125}}, {{"accepted", 7}}));
  EXPECT_EQ(json["bins"][0]["truth"], 0.125);
  EXPECT_EQ(json["accepted"], 7);
}

TEST(AnswerJsonTest, NoLocalEpsilonIsNull) {
  v1::Answer answer = Example();
  answer.mutable_guarantee()->clear_local_epsilon();
  EXPECT_TRUE(Parsed(answer)["guarantee"]["local_epsilon"].is_null());
}

TEST(AnswerJsonTest, WithoutABodyThereIsTheRest) {
  v1::Answer answer = Example();
  answer.clear_body();
  const Json json = Parsed(answer);
  EXPECT_EQ(json["kind"], "");
  EXPECT_FALSE(json.contains("bins"));
  EXPECT_EQ(json["guarantee"]["epsilon"], 2.0);
}

TEST(AnswerCsvTest, HasTheRowsOfTheBody) {
  EXPECT_EQ(AnswerCsv(Example(), {.frequencies = {0.125}}),
            "value,frequency,raw,stderr,low,high,truth\r\n4,0.5,0.5,0.5,0.5,0.5,0.125\r\n");
}

TEST(PostprocessTest, HasTheNamesThatPeopleUseTheUsualOneFirst) {
  EXPECT_THAT(PostprocessNames(),
              testing::ElementsAre("pop", "none", "norm_sub", "base_cut", "em", "clip"));
}

TEST(PostprocessTest, ReadsThemAndNothingElse) {
  EXPECT_EQ(PostprocessFromName("pop"), v1::POSTPROCESS_POP);
  EXPECT_EQ(PostprocessFromName("norm_sub"), v1::POSTPROCESS_NORM_SUB);
  for (const char* const word : {"", "Pop", "NORM_SUB", "unspecified"}) {
    EXPECT_EQ(PostprocessFromName(word), std::nullopt) << word;
  }
}

}  // namespace
}  // namespace tombola
