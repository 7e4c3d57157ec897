#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "collector/http/answer_question.h"
#include "collector/http/plan_question.h"
#include "collector/http/plan_text.h"
#include "common/json/answer.h"
#include "common/json/histogram.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Query = std::vector<std::pair<std::string, std::string>>;

http::Request Asking(Query query, std::string accept = "") {
  http::Request request;
  request.query = std::move(query);
  request.accept = std::move(accept);
  return request;
}

absl::StatusOr<AnswerQuestion> Answer(Query query, std::string accept = "") {
  return ReadAnswerQuestion(Asking(std::move(query), std::move(accept)), *MakeTestTask());
}

TEST(AnswerQuestionTest, HasTheCommandLinesDefaults) {
  const auto question = Answer({});
  ASSERT_TRUE(question.ok()) << question.status();
  EXPECT_EQ(question->request.task_id().size(), 32u);
  EXPECT_EQ(question->request.postprocess(), v1::POSTPROCESS_POP);
  EXPECT_EQ(question->request.confidence(), 0.95);
  EXPECT_EQ(question->request.histogram().top(), 0u);
  EXPECT_EQ(question->request.histogram().values_size(), 0);
  EXPECT_FALSE(question->csv);
}

TEST(AnswerQuestionTest, ReadsEveryParameter) {
  const std::string name = MakeTestTask()->domain().NameOf(1);
  const auto question = Answer({{"postprocess", "norm_sub"},
                                {"confidence", "0.5"},
                                {"top", "2"},
                                {"value", name},
                                {"order", "natural"},
                                {"format", "csv"}});
  ASSERT_TRUE(question.ok()) << question.status();
  EXPECT_EQ(question->request.postprocess(), v1::POSTPROCESS_NORM_SUB);
  EXPECT_EQ(question->request.confidence(), 0.5);
  EXPECT_EQ(question->request.histogram().top(), 2u);
  EXPECT_THAT(question->request.histogram().values(), ElementsAre(1u));
  EXPECT_TRUE(question->csv);
}

// About bins from 0 to 10.
absl::StatusOr<AnswerQuestion> AnswerAboutNumbers(Query query) {
  const auto task = MakeTestTask([](v1::Task* wire) {
    wire->set_kind(v1::KIND_NUMBER);
    wire->mutable_domain()->clear_labels();
    wire->mutable_numbers()->add_edges(0);
    wire->mutable_numbers()->add_edges(10);
    wire->mutable_numbers()->set_sent(1);
    wire->mutable_mechanism()->mutable_grr()->set_blanket_threshold(uint64_t{1} << 62);
  });
  return ReadAnswerQuestion(Asking(std::move(query)), *task);
}

TEST(AnswerQuestionTest, ReadsWhatIsAskedAboutNumbers) {
  const auto all = AnswerAboutNumbers({});
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->request.postprocess(), v1::POSTPROCESS_POP);
  EXPECT_EQ(all->request.question_case(), v1::GetAnswerRequest::kNumber);
  EXPECT_FALSE(all->request.number().has_where());
  EXPECT_EQ(all->request.number().bins(), 0u);
  const auto some = AnswerAboutNumbers({{"quantiles", "0.5,0.1"}, {"bins", "7"}});
  ASSERT_TRUE(some.ok()) << some.status();
  EXPECT_THAT(some->request.number().fractions(), ElementsAre(0.5, 0.1));
  EXPECT_EQ(some->request.number().bins(), 7u);
  const auto range = [](const char* text) {
    return AnswerAboutNumbers({{"where", text}})->request.number().where();
  };
  EXPECT_EQ(range("2..5").low(), 2);
  EXPECT_EQ(range("2..5").high(), 5);
  EXPECT_EQ(range("-2.5..").low(), -2.5);
  EXPECT_EQ(range("-2.5..").high(), 10);
  EXPECT_EQ(range("..1e1").low(), 0);
}

TEST(AnswerQuestionTest, RefusesWhatCannotBeReadAboutNumbers) {
  const auto refused = [](const char* name, const char* value) {
    return std::string(AnswerAboutNumbers({{name, value}}).status().message());
  };
  for (const char* const value : {"", "..", "5", "a..b", "1..nan", "1..2..3", "1...2"}) {
    EXPECT_THAT(refused("where", value), HasSubstr("where must be two numbers")) << value;
  }
  for (const char* const value : {"", "1.5", "-0.1", "0.5,", "nan", "half"}) {
    EXPECT_THAT(refused("quantiles", value), HasSubstr("quantiles must be numbers in [0, 1]"))
        << value;
  }
  EXPECT_THAT(refused("bins", "0"), HasSubstr("bins"));
  EXPECT_THAT(refused("top", "3"), HasSubstr("top"));
  EXPECT_FALSE(Answer({{"quantiles", "0.5"}}).ok());
}

// Of four days.
absl::StatusOr<AnswerQuestion> AnswerAboutAStream(Query query) {
  const auto task = MakeTestTask([](v1::Task* wire) { MakeStream({0, 0, 2, 0}, wire); });
  return ReadAnswerQuestion(Asking(std::move(query)), *task);
}

TEST(AnswerQuestionTest, ReadsWhatIsAskedOfAStream) {
  const auto all = AnswerAboutAStream({});
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->request.question_case(), v1::GetAnswerRequest::kStream);
  EXPECT_EQ(all->request.postprocess(), v1::POSTPROCESS_POP);
  EXPECT_FALSE(all->request.stream().series());
  const auto at = AnswerAboutAStream({{"at", "3"}, {"top", "2"}, {"value", "v1"}});
  ASSERT_TRUE(at.ok()) << at.status();
  EXPECT_EQ(at->request.first_period(), 1u);
  EXPECT_EQ(at->request.last_period(), 3u);
  EXPECT_EQ(at->request.stream().top(), 2u);
  EXPECT_THAT(at->request.stream().values(), ElementsAre(1u));
  const auto series =
      AnswerAboutAStream({{"since", "2"}, {"until", "4"}, {"series", "true"}, {"single", "true"}});
  ASSERT_TRUE(series.ok()) << series.status();
  EXPECT_EQ(series->request.first_period(), 2u);
  EXPECT_EQ(series->request.last_period(), 4u);
  EXPECT_EQ(series->request.since(), 0);
  EXPECT_TRUE(series->request.stream().series());
  EXPECT_TRUE(series->request.stream().single());
  EXPECT_GT(AnswerAboutAStream({{"since", "2026-11-17"}})->request.since(), 0);
}

TEST(AnswerQuestionTest, RefusesWhatCannotBeAskedOfAStream) {
  const auto refused = [](Query query) {
    return std::string(AnswerAboutAStream(std::move(query)).status().message());
  };
  EXPECT_THAT(refused({{"at", "0"}}), HasSubstr("at must be"));
  EXPECT_THAT(refused({{"at", "2"}, {"period", "1"}}), HasSubstr("at must be without period"));
  EXPECT_THAT(refused({{"at", "2"}, {"until", "3"}}), HasSubstr("at must be without period"));
  EXPECT_THAT(refused({{"single", "true"}}), HasSubstr("single must be together with series"));
  EXPECT_THAT(refused({{"series", "1"}}), HasSubstr("series must be"));
  EXPECT_THAT(refused({{"period", "1"}, {"since", "2"}}), HasSubstr("not by both"));
  EXPECT_THAT(refused({{"value", "none such"}}), HasSubstr("is not among the task's values"));
  EXPECT_FALSE(Answer({{"at", "3"}}).ok()) << "a histogram has no totals";
}

TEST(AnswerQuestionTest, ASeriesOfOneTotalIsStillASeries) {
  v1::Answer answer;
  answer.mutable_stream()->add_totals()->set_last(1);
  const auto json = [&](Query query) {
    return nlohmann::json::parse(WriteAnswer(*AnswerAboutAStream(std::move(query)), answer).body);
  };
  EXPECT_FALSE(json({}).contains("series"));
  EXPECT_EQ(json({{"series", "true"}})["series"].size(), 1u);
}

TEST(AnswerQuestionTest, ReadsOnePeriodOrTheMomentsBetweenWhichPeriodsBegin) {
  const auto all = Answer({})->request;
  EXPECT_EQ(all.first_period(), 0u);
  EXPECT_EQ(all.last_period(), 0u);
  EXPECT_EQ(all.since(), 0);
  EXPECT_EQ(all.until(), 0);
  const auto one = Answer({{"period", "7"}})->request;
  EXPECT_EQ(one.first_period(), 7u);
  EXPECT_EQ(one.last_period(), 7u);
  const auto some = Answer({{"since", "2027-01-15T08:00:00Z"}, {"until", "2027-01-16"}})->request;
  EXPECT_EQ(some.since(), 1800000000);
  EXPECT_EQ(some.until(), 1800057600);
  EXPECT_EQ(some.first_period(), 0u);
}

TEST(AnswerQuestionTest, AcceptAsksForCsvUnlessFormatSaysOtherwise) {
  EXPECT_TRUE(Answer({}, "text/csv")->csv);
  EXPECT_FALSE(Answer({{"format", "json"}}, "text/csv")->csv);
  EXPECT_FALSE(Answer({}, "*/*")->csv);
}

TEST(AnswerQuestionTest, NamesWhatIsWrong) {
  const std::string name = MakeTestTask()->domain().NameOf(1);
  for (const auto& [query, named] : std::vector<std::pair<Query, std::string>>{
           {{{"confidence", "1"}}, "confidence must be in (0, 1)"},
           {{{"confidence", "0"}}, "confidence"},
           {{{"top", "-1"}}, "top"},
           {{{"postprocess", "best"}}, "postprocess must be pop, none, norm_sub, base_cut, em"},
           {{{"value", "no such value"}}, "no such value is not among the task's values"},
           {{{"value", name}, {"value", name}}, "asked for twice"},
           {{{"order", "random"}}, "order must be natural, frequency"},
           {{{"format", "xml"}}, "format must be json, csv"},
           {{{"period", "0"}}, "period"},
           {{{"period", "first"}}, "period"},
           {{{"since", "yesterday"}}, "since"},
           {{{"until", "2027-13-01"}}, "until"},
           {{{"sort", "value"}}, "unknown parameter sort"}}) {
    const absl::Status status = Answer(query).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << named;
    EXPECT_THAT(std::string(status.message()), HasSubstr(named));
  }
}

v1::Answer TwoBins() {
  v1::Answer answer;
  v1::Histogram& histogram = *answer.mutable_histogram();
  histogram.set_max_error(0.125);
  for (const double x : {0.25, 0.75}) {
    histogram.add_values(static_cast<uint64_t>(histogram.values_size()));
    for (auto* column :
         {histogram.mutable_frequencies(), histogram.mutable_raw(),
          histogram.mutable_standard_errors(), histogram.mutable_low(), histogram.mutable_high()}) {
      column->Add(x);
    }
  }
  return answer;
}

TEST(WriteAnswerTest, CsvSaysWhatItGuaranteesInHeaders) {
  const AnswerQuestion question = Answer({{"format", "csv"}, {"order", "frequency"}}).value();
  v1::Answer answer = TwoBins();
  for (const char* const kind : {"values", "restored"}) {
    v1::QualityWarning* warning = answer.mutable_quality()->add_warnings();
    warning->set_kind(kind);
    warning->set_text("for people");
  }
  const AnswerText text = WriteAnswer(question, answer);
  EXPECT_EQ(text.body,
            "value,frequency,raw,stderr,low,high\r\n"
            "1,0.75,0.75,0.75,0.75,0.75\r\n"
            "0,0.25,0.25,0.25,0.25,0.25\r\n");
  ASSERT_EQ(text.headers.size(), 4u);
  EXPECT_EQ(text.headers[0],
            std::make_pair(std::string("Tombola-Max-Error"), std::string("0.125")));
  EXPECT_EQ(text.headers[1].first, "Tombola-Guarantee");
  EXPECT_TRUE(Json::parse(text.headers[1].second).contains("epsilon"));
  EXPECT_EQ(text.headers[2], std::make_pair(std::string("Tombola-Warnings"),
                                            std::string("[\"values\",\"restored\"]")));
  EXPECT_EQ(text.headers[3], std::make_pair(std::string("Tombola-Periods"), std::string("null")));
  EXPECT_EQ(WriteAnswer(question, TwoBins()).headers[2].second, "[]");
}

TEST(WriteAnswerTest, RowsAreInTheOrderOfTheQuestionOrAsTheyCame) {
  v1::Answer largest_first = TwoBins();
  Sort(BinOrder::kFrequency, *largest_first.mutable_histogram());
  const auto first_value = [](const Query& query, const v1::Answer& answer) {
    return Json::parse(WriteAnswer(Answer(query).value(), answer).body)["bins"][0]["value"];
  };
  EXPECT_EQ(first_value({{"order", "natural"}}, largest_first), 0);
  EXPECT_EQ(first_value({{"order", "frequency"}}, TwoBins()), 1);
  EXPECT_EQ(first_value({}, largest_first), 1);
  EXPECT_EQ(first_value({}, TwoBins()), 0);
}

TEST(WriteAnswerTest, JsonIsALineOfText) {
  const AnswerText text = WriteAnswer(Answer({}).value(), TwoBins());
  EXPECT_EQ(text.body, AnswerJson(TwoBins()) + "\n");
  EXPECT_TRUE(text.headers.empty());
}

absl::StatusOr<PlanQuestion> Plan(Query more, bool whole = true) {
  Query query;
  if (whole) query = {{"users", "100000"}, {"domain", "100"}, {"delta", "1e-6"}};
  query.insert(query.end(), more.begin(), more.end());
  return ReadPlanQuestion(Asking(query));
}

TEST(PlanQuestionTest, ReadsEveryParameter) {
  const auto question = Plan({{"epsilon", "1"},
                              {"epsilon", "0.5"},
                              {"dishonest", "0.1"},
                              {"max_messages", "2"},
                              {"max_local_epsilon", "8"},
                              {"min_batch", "false"}});
  ASSERT_TRUE(question.ok()) << question.status();
  EXPECT_EQ(question->request.submissions, 100000);
  EXPECT_EQ(question->request.honest, 90000);
  EXPECT_EQ(question->request.domain_size, 100);
  EXPECT_EQ(question->request.delta, 1e-6);
  EXPECT_EQ(question->request.max_messages, 2);
  EXPECT_EQ(question->request.max_local_epsilon, 8);
  EXPECT_FALSE(question->options.min_batch);
  EXPECT_THAT(question->epsilons, ElementsAre(1, 0.5));
}

TEST(PlanQuestionTest, ReadsHowMuchDevicesHold) {
  const auto set = Plan({{"epsilon", "1"}, {"kind", "set"}, {"max_items", "4"}});
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->request.domain_size, 104);
  EXPECT_EQ(set->request.filling, (mechanism::Filling{.held = 4, .sent = 4}));
  EXPECT_EQ(set->options.levels, 0);
  const auto pairs = Plan({{"epsilon", "1"},
                           {"kind", "key_value"},
                           {"max_items", "6"},
                           {"levels", "2"},
                           {"frequency", "0.1"}});
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  EXPECT_EQ(pairs->values, 100);
  EXPECT_EQ(pairs->request.domain_size, 206);
  EXPECT_EQ(pairs->request.frequency, 0.1);
  const auto plan = PlanText(*pairs, 1);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const Json json = Json::parse(*plan);
  EXPECT_EQ(json["recommended"], "pure_dump");
  EXPECT_GE(json["sent"], 1);
  for (const Json& row : json["candidates"]) {
    EXPECT_EQ(row["feasible"].get<bool>() && !row.contains("central"), row["mean_mse"].is_number())
        << row;
  }
  EXPECT_THAT(WritePlans(*pairs, {*plan}), HasSubstr("\"kind\":\"key_value\""));
}

TEST(PlanQuestionTest, NamesWhatIsWrong) {
  for (const auto& [query, named] : std::vector<std::pair<Query, std::string>>{
           {{{"epsilon", "1"}, {"kind", "sets"}},
            "kind must be histogram, set, key_value, number, records"},
           {{{"epsilon", "1"}, {"kind", "set"}}, "max_items must be given"},
           {{{"epsilon", "1"}, {"kind", "set"}, {"max_items", "101"}}, "max_items must be at most"},
           {{{"epsilon", "1"}, {"kind", "set"}, {"max_items", "257"}}, "max_items"},
           {{{"epsilon", "1"}, {"kind", "set"}, {"max_items", "2"}, {"levels", "3"}},
            "levels is for kind key_value"},
           {{{"epsilon", "1"}, {"kind", "set"}, {"max_items", "2"}, {"frequency", "2"}},
            "frequency must be in [0, 1]"},
           {{{"epsilon", "1"}, {"max_items", "2"}}, "max_items is for kind set"},
           {{{"epsilon", "1"}, {"frequency", "0.1"}}, "frequency is for kind set"},
           {{}, "epsilon must be given 1 to 16 times"},
           {Query(17, {"epsilon", "1"}), "epsilon must be given 1 to 16 times"},
           {{{"epsilon", "0"}}, "epsilon must be positive"},
           {{{"epsilon", "1"}, {"dishonest", "1"}}, "dishonest must be in [0, 1)"},
           {{{"epsilon", "1"}, {"dishonest", "0.999999999"}}, "dishonest must leave"},
           {{{"epsilon", "1"}, {"mechanism", "grr"}}, "unknown parameter mechanism"},
           {{{"epsilon", "1"}, {"delta", "0.5"}}, "delta must be given once"}}) {
    const absl::Status status = Plan(query).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << named;
    EXPECT_THAT(std::string(status.message()), HasSubstr(named));
  }
  EXPECT_THAT(std::string(Plan({{"epsilon", "1"}}, false).status().message()),
              HasSubstr("users and delta must be given"));
  EXPECT_FALSE(
      Plan({{"users", "1099511627777"}, {"domain", "2"}, {"delta", "1e-6"}, {"epsilon", "1"}},
           false)
          .ok());
}

absl::StatusOr<PlanQuestion> PlanOf(const char* kind, Query more) {
  Query query = {{"users", "20000"}, {"delta", "1e-6"}, {"epsilon", "1"}, {"kind", kind}};
  query.insert(query.end(), more.begin(), more.end());
  return ReadPlanQuestion(Asking(query));
}

TEST(PlanQuestionTest, PlansTheTreeOverNumbers) {
  const auto usual = PlanOf("number", {});
  ASSERT_TRUE(usual.ok()) << usual.status();
  EXPECT_EQ(usual->values, 1024);
  EXPECT_GE(usual->bytes, kPlanBytes + 1024);
  const auto asked =
      PlanOf("number", {{"resolution", "64"}, {"branching", "8"}, {"missing", "true"}});
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(asked->numbers->bins, 64);
  EXPECT_EQ(asked->numbers->branching, 8);
  EXPECT_TRUE(asked->numbers->missing);
  const auto plan = PlanText(*asked, 1);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const Json json = Json::parse(*plan);
  EXPECT_EQ(json["branching"], 8);
  // 64 bins, 8 nodes above them, and those of a missing number.
  EXPECT_GT(json["cells"], 64 + 8);
  EXPECT_EQ(json["sent"], 2);
  EXPECT_THAT(WritePlans(*asked, {*plan}), HasSubstr("\"domain\":64"));
}

TEST(PlanQuestionTest, PlansLevelsForMeansAlone) {
  const auto asked = PlanOf("number", {{"mean_only", "true"}});
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_THAT(WritePlans(*asked, {}), HasSubstr("\"domain\":null"));
  const Json json = Json::parse(PlanText(*asked, 1).value());
  EXPECT_TRUE(json["recommended"].is_string());
  EXPECT_TRUE(json["branching"].is_null());
  EXPECT_GE(json["candidates"][0]["levels"], 2);
  EXPECT_EQ(PlanOf("number", {{"mean_only", "true"}, {"levels", "5"}})->values, 5);
}

TEST(PlanQuestionTest, PlansWhatFindsStrings) {
  const auto asked = PlanOf("strings", {{"alphabet", "abcdefghij"}, {"length", "6"}});
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(asked->strings->symbols, 12);
  EXPECT_THAT(WritePlans(*asked, {}), HasSubstr("\"domain\":null"));
  const Json json = Json::parse(PlanText(*asked, 1).value());
  EXPECT_EQ(json["epsilon"], 1.0);
  EXPECT_EQ(json["recommended"], "one_message");
  EXPECT_EQ(json["candidates"].size(), 3u);
  const auto listed =
      PlanOf("strings", {{"alphabet", "bytes"}, {"length", "20"}, {"dictionary_size", "1000"}});
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_EQ(listed->strings->symbols, 256);
  EXPECT_TRUE(listed->strings->whole);
  EXPECT_EQ(listed->strings->dictionary, 1000);
  EXPECT_NE(PlanKey(*asked, 1), PlanKey(*listed, 1));
  for (const auto& [kind, given] : std::vector<std::pair<const char*, Query>>{
           {"histogram", {{"length", "6"}}},
           {"strings", {{"length", "6"}}},
           {"strings", {{"alphabet", "aa"}, {"length", "6"}}},
           {"strings", {{"alphabet", "ab"}, {"length", "256"}}},
           {"strings", {{"alphabet", "ab"}, {"length", "6"}, {"step", "7"}}},
           {"strings", {{"alphabet", "ab"}, {"length", "6"}, {"max_items", "2"}}},
           {"strings",
            {{"alphabet", "ab"}, {"length", "6"}, {"step", "2"}, {"dictionary_only", "true"}}}}) {
    EXPECT_EQ(PlanOf(kind, given).status().code(), absl::StatusCode::kInvalidArgument) << kind;
  }
}

constexpr char kSchema[] =
    R"({"attributes": [{"name": "age", "low": 0, "high": 100, "bins": 20},
                       {"name": "city", "labels": ["Oslo", "Bergen"]}],
        "max_records": 2, "questions": [["age"], ["age", "city"]]})";

TEST(PlanQuestionTest, SaysWhatQuestionsAboutRecordsCost) {
  const auto asked = PlanOf("records", {{"schema", kSchema}});
  ASSERT_TRUE(asked.ok()) << asked.status();
  const Json json = Json::parse(PlanText(*asked, 1).value());
  EXPECT_TRUE(json["recommended"].is_string());
  EXPECT_EQ(json["max_records"], 2);
  ASSERT_EQ(json["views"].size(), 2u);
  EXPECT_DOUBLE_EQ(
      json["views"][0]["share"].get<double>() + json["views"][1]["share"].get<double>(), 1);
  EXPECT_GT(json["views"][1]["cell_deviation"], 0);
  // 100 devices cannot hide each other at so small an epsilon.
  const auto few = ReadPlanQuestion(Asking({{"users", "100"},
                                            {"delta", "1e-12"},
                                            {"epsilon", "0.001"},
                                            {"max_messages", "20"},
                                            {"kind", "records"},
                                            {"schema", kSchema}}));
  ASSERT_TRUE(few.ok()) << few.status();
  const Json none = Json::parse(PlanText(*few, 0.001).value());
  EXPECT_TRUE(none["recommended"].is_null());
  EXPECT_THAT(none["reason"].get<std::string>(), HasSubstr("correlated: "));
}

TEST(PlanQuestionTest, PlansTotalsOverTime) {
  const auto asked =
      PlanOf("stream",
             {{"domain", "4"}, {"periods", "8"}, {"device_periods", "2"}, {"frequency", "0.01"}});
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(asked->stream->periods, 8);
  const Json json = Json::parse(PlanText(*asked, 1).value());
  EXPECT_EQ(json["periods"], 8);
  EXPECT_EQ(json["device_periods"], 2);
  EXPECT_EQ(json["candidates"].size(), 10u);
  EXPECT_FALSE(json["recommended"].is_null());
  const auto plain = PlanOf("stream", {{"domain", "4"}, {"periods", "8"}, {"structure", "plain"}});
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(Json::parse(PlanText(*plain, 1).value())["candidates"].size(), 4u);
  EXPECT_NE(PlanKey(*plain, 1), PlanKey(*asked, 1));
}

TEST(PlanQuestionTest, NamesWhatIsWrongWithNumbersAndSchemas) {
  const std::string large = R"({"attributes": [{"name": "a", "low": 0, "high": 1, "bins": 1048577}],
                                "max_records": 1, "questions": [["a"]]})";
  for (const auto& [kind, query, named] : std::vector<std::tuple<const char*, Query, std::string>>{
           {"number", {{"domain", "10"}}, "domain must be given for kind histogram"},
           {"number", {{"resolution", "1048577"}}, "resolution"},
           {"number", {{"resolution", "1"}}, "resolution"},
           {"number", {{"branching", "1"}}, "branching must be 0"},
           {"number", {{"branching", "4097"}}, "branching"},
           {"number", {{"sent", "0"}}, "sent"},
           {"number", {{"levels", "3"}}, "levels is for kind key_value"},
           {"number", {{"mean_only", "yes"}}, "mean_only must be false, true"},
           {"number",
            {{"mean_only", "true"}, {"resolution", "9"}},
            "resolution is not for mean_only"},
           {"number", {{"mean_only", "true"}, {"sent", "1"}}, "sent is not for mean_only"},
           {"number", {{"frequency", "0.1"}}, "frequency is for kind set"},
           {"number", {{"schema", kSchema}}, "schema is for kind records"},
           {"set",
            {{"domain", "10"}, {"max_items", "2"}, {"missing", "true"}},
            "is for kind number"},
           {"histogram", {}, "domain must be given"},
           {"stream", {{"domain", "4"}}, "periods must be given"},
           {"stream", {{"domain", "4"}, {"periods", "367"}}, "periods"},
           {"stream",
            {{"domain", "4"}, {"periods", "2"}, {"device_periods", "3"}},
            "device_periods"},
           {"stream", {{"domain", "4"}, {"periods", "2"}, {"structure", "tree"}}, "structure"},
           {"stream", {{"domain", "4"}, {"periods", "2"}, {"frequency", "2"}}, "frequency"},
           {"set",
            {{"domain", "10"}, {"max_items", "2"}, {"periods", "2"}},
            "device_periods is for kind stream"},
           {"records", {}, "schema is for kind records, which must have it"},
           {"records", {{"schema", kSchema}, {"domain", "5"}}, "domain must be given for kind"},
           {"records", {{"schema", kSchema}, {"levels", "3"}}, "levels is for kind"},
           {"records", {{"schema", "{"}}, "schema: the schema must be a JSON object"},
           {"records", {{"schema", "{\"attributes\": []}"}}, "schema: max_records"},
           {"records",
            {{"schema", std::string(8193, ' ')}},
            "schema has 8193 bytes; it may have 8192"},
           {"records", {{"schema", large}}, "a.bins must be at most 1048576"}}) {
    const absl::Status status = PlanOf(kind, query).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << named;
    EXPECT_THAT(std::string(status.message()), HasSubstr(named));
  }
  // What only the planner knows is said by the plan.
  const auto twice = PlanOf("records", {{"schema", R"({"attributes": [{"name": "a", "low": 1,
      "high": 0, "bins": 4}], "max_records": 1, "questions": [["a"]]})"}});
  ASSERT_TRUE(twice.ok()) << twice.status();
  EXPECT_TRUE(absl::IsInvalidArgument(PlanText(*twice, 1).status()));
}

TEST(PlanQuestionTest, PlansThatDifferHaveDifferentKeys) {
  const auto plain = Plan({{"epsilon", "1"}});
  const auto capped = Plan({{"epsilon", "1"}, {"max_messages", "2"}});
  EXPECT_EQ(PlanKey(*plain, 1), PlanKey(*Plan({{"epsilon", "3"}}), 1));
  EXPECT_NE(PlanKey(*plain, 1), PlanKey(*plain, 2));
  EXPECT_NE(PlanKey(*plain, 1), PlanKey(*capped, 1));
  const Query set = {{"epsilon", "1"}, {"kind", "set"}, {"max_items", "4"}};
  Query at = set;
  at.push_back({"frequency", "0.1"});
  EXPECT_NE(PlanKey(*plain, 1), PlanKey(*Plan(set), 1));
  EXPECT_NE(PlanKey(*Plan(set), 1), PlanKey(*Plan(at), 1));
  std::set<std::string> keys;
  const std::vector<Query> all = {{},
                                  {{"resolution", "64"}},
                                  {{"missing", "true"}},
                                  {{"branching", "0"}},
                                  {{"branching", "4"}},
                                  {{"sent", "1"}},
                                  {{"mean_only", "true"}},
                                  {{"mean_only", "true"}, {"levels", "4"}}};
  for (const Query& query : all) keys.insert(PlanKey(*PlanOf("number", query), 1));
  EXPECT_EQ(keys.size(), all.size());
  EXPECT_NE(PlanKey(*PlanOf("records", {{"schema", kSchema}}), 1),
            PlanKey(*PlanOf("records", {{"schema", absl::StrCat(kSchema, " ")}}), 1));
}

}  // namespace
}  // namespace tombola::collector
