#include "collector/http/plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>

#include "collector/http/recent_texts.h"
#include "common/json/text.h"

namespace tombola::collector {
namespace {

PlanQuestion Question(std::vector<double> epsilons) {
  PlanQuestion question;
  question.request = {.honest = 1000, .submissions = 1000, .domain_size = 10, .delta = 1e-6};
  question.kind = "histogram";
  question.values = 10;
  question.epsilons = std::move(epsilons);
  question.options.min_batch = false;
  return question;
}

class PlansTest : public ::testing::Test {
 protected:
  // The answer, once it is there.
  std::future<http::Response> Ask(PlanQuestion question) {
    auto promise = std::make_shared<std::promise<http::Response>>();
    plans_->Ask(std::move(question),
                [promise](http::Response response) { promise->set_value(std::move(response)); });
    return promise->get_future();
  }

  FairShare answers_{{.calls = 64, .bytes = int64_t{1} << 30, .retry = absl::Seconds(1)}};
  WorkPool pool_{1};
  std::shared_ptr<Plans> plans_ = Plans::Create(&answers_, &pool_);
};

TEST_F(PlansTest, AnswersEveryEpsilonInItsOrder) {
  const http::Response response = Ask(Question({2, 1})).get();
  EXPECT_EQ(response.status, 200);
  const Json json = Json::parse(*response.body);
  EXPECT_EQ(json["kind"], "histogram");
  EXPECT_EQ(json["users"], 1000);
  EXPECT_EQ(json["domain"], 10);
  EXPECT_EQ(json["delta"], 1e-6);
  ASSERT_EQ(json["plans"].size(), 2u);
  EXPECT_EQ(json["plans"][0]["epsilon"], 2.0);
  EXPECT_EQ(json["plans"][1]["epsilon"], 1.0);
  EXPECT_EQ(json["plans"][0]["candidates"].size(), 8u);
}

TEST_F(PlansTest, WhatIsRememberedIsAnsweredAtOnce) {
  const std::string first = *Ask(Question({2})).get().body;
  std::promise<void> open;
  pool_.Add([opened = open.get_future().share()](int) { opened.wait(); });
  EXPECT_EQ(*Ask(Question({2})).get().body, first);
  open.set_value();
}

TEST_F(PlansTest, TooManyAreRefusedAndThoseThatWaitAreAnswered) {
  std::promise<void> open;
  pool_.Add([opened = open.get_future().share()](int) { opened.wait(); });
  std::vector<std::future<http::Response>> waiting;
  waiting.reserve(16);
  for (int i = 0; i < 16; ++i) waiting.push_back(Ask(Question({1.0 + i})));
  EXPECT_EQ(Ask(Question({99})).get().status, 429);
  open.set_value();
  for (auto& response : waiting) EXPECT_EQ(response.get().status, 200);
}

TEST_F(PlansTest, WhatWaitsIsRefusedWhenItStops) {
  std::promise<void> open;
  pool_.Add([opened = open.get_future().share()](int) { opened.wait(); });
  std::future<http::Response> waiting = Ask(Question({1}));
  plans_->Stop();
  EXPECT_EQ(waiting.get().status, 503);
  EXPECT_NE(Ask(Question({1})).get().status, 200);
  open.set_value();
}

TEST(RecentTextsTest, ForgetsWhatWasNotAskedForTheLongest) {
  RecentTexts recent(2);
  const auto text = [](const char* of) { return std::make_shared<const std::string>(of); };
  recent.Put("a", text("A"));
  recent.Put("b", text("B"));
  EXPECT_EQ(*recent.Find("a"), "A");
  recent.Put("c", text("C"));
  EXPECT_EQ(recent.Find("b"), nullptr);
  EXPECT_EQ(*recent.Find("a"), "A");
  recent.Put("a", text("AA"));
  EXPECT_EQ(*recent.Find("a"), "AA");
  EXPECT_EQ(*recent.Find("c"), "C");
}

}  // namespace
}  // namespace tombola::collector
