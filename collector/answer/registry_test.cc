#include "collector/answer/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tombola::collector {
namespace {

v1::GetAnswerRequest HistogramRequest() {
  v1::GetAnswerRequest request;
  request.mutable_histogram();
  return request;
}

std::string Refusal(absl::string_view kind, const v1::GetAnswerRequest& request) {
  const auto answerer = Answerers::All().For(kind, request);
  EXPECT_TRUE(absl::IsInvalidArgument(answerer.status())) << answerer.status();
  return std::string(answerer.status().message());
}

TEST(AnswerersTest, EveryQuestionOnTheWireHasItsAnswererAndItsBody) {
  const auto& questions = *v1::GetAnswerRequest::descriptor()->FindOneofByName("question");
  const auto& bodies = *v1::Answer::descriptor()->FindOneofByName("body");
  ASSERT_EQ(questions.field_count(), bodies.field_count());
  for (int i = 0; i < questions.field_count(); ++i) {
    const auto& question = *questions.field(i);
    v1::GetAnswerRequest request;
    request.GetReflection()->MutableMessage(&request, &question);
    const auto answerer = Answerers::All().For(question.name(), request);
    ASSERT_TRUE(answerer.ok()) << answerer.status();
    EXPECT_EQ((*answerer)->kind(), question.name());
    EXPECT_EQ(bodies.field(i)->name(), question.name());
    EXPECT_EQ(bodies.field(i)->number(), question.number());
  }
}

TEST(AnswerersTest, RefusesAQuestionOfAnotherKind) {
  EXPECT_EQ(Refusal("set", HistogramRequest()),
            "the question is of the kind histogram, but the task is of the kind set");
}

TEST(AnswerersTest, RefusesARequestWithoutAQuestion) {
  EXPECT_EQ(Refusal("histogram", {}),
            "question must be set: histogram is what the task can be asked");
}

}  // namespace
}  // namespace tombola::collector
