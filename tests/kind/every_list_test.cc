// Each kind of the wire has a line in every list that there is.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/query/face.h"
#include "cli/report/line_reader.h"
#include "client/place/placer.h"
#include "collector/answer/registry.h"
#include "collector/http/kind_question.h"
#include "common/json/bodies.h"
#include "common/kind/kinds.h"
#include "tombola/v1/task.pb.h"

namespace tombola {
namespace {

template <typename Entry>
std::vector<std::string> KindsOf(const std::vector<Entry>& entries) {
  std::vector<std::string> kinds;
  kinds.reserve(entries.size());
  for (const Entry& entry : entries) kinds.emplace_back(entry.kind);
  return kinds;
}

// Of every release: each kind of the wire can be read, reported, asked and shown.
TEST(BuiltInKindsTest, StandInEveryList) {
  std::vector<int> wire, known;
  const auto* kinds = v1::Kind_descriptor();
  for (int i = 0; i < kinds->value_count(); ++i) {
    if (kinds->value(i)->number() != 0) wire.push_back(kinds->value(i)->number());
  }
  std::vector<std::string> read, answered;
  for (const Kinds::Entry& entry : Kinds::BuiltIn().entries()) {
    known.push_back(entry.number);
    read.emplace_back(entry.name);
  }
  for (const auto& answerer : collector::Answerers::All().entries()) {
    answered.emplace_back(answerer->kind());
  }
  EXPECT_EQ(known, wire);
  EXPECT_EQ(KindsOf(client::Placers::BuiltIn().entries()), read);
  EXPECT_EQ(answered, read);
  EXPECT_EQ(KindsOf(AllBodyForms()), read);
  EXPECT_EQ(KindsOf(collector::AllQuestionReaders()), read);
  EXPECT_EQ(KindsOf(cli::AllQueryFaces()), read);
  EXPECT_EQ(KindsOf(cli::AllLineReaders()), read);
}

}  // namespace
}  // namespace tombola
