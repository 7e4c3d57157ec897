#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "collector/http/answer_question.h"
#include "collector/http/plan_question.h"
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
  for (const char* const value : {"", "..", "5", "a..b", "1..nan", "1..2..3"}) {
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
                              {"min_honest", "0.9"},
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
           {{{"epsilon", "1"}, {"kind", "sets"}}, "kind must be"},
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
           {{{"epsilon", "1"}, {"min_honest", "0"}}, "min_honest must be in (0, 1]"},
           {{{"epsilon", "1"}, {"min_honest", "1e-9"}}, "min_honest must leave"},
           {{{"epsilon", "1"}, {"mechanism", "grr"}}, "unknown parameter mechanism"},
           {{{"epsilon", "1"}, {"delta", "0.5"}}, "delta must be given once"}}) {
    const absl::Status status = Plan(query).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << named;
    EXPECT_THAT(std::string(status.message()), HasSubstr(named));
  }
  EXPECT_THAT(std::string(Plan({{"epsilon", "1"}}, false).status().message()),
              HasSubstr("users, domain and delta must be given"));
  EXPECT_FALSE(
      Plan({{"users", "1099511627777"}, {"domain", "2"}, {"delta", "1e-6"}, {"epsilon", "1"}},
           false)
          .ok());
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
}

}  // namespace
}  // namespace tombola::collector
