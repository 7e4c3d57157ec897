// Records of many values and many views: what is refused because it would take long or say too
// much.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collector/answer/records.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kWideDevices = 10'000;

// One attribute of many bins, by many views.
std::shared_ptr<const Task> WideTask(uint64_t bins, int views) {
  return MakeTestTask([&](v1::Task* task) {
    task->set_kind(v1::KIND_RECORDS);
    task->mutable_domain()->Clear();
    task->mutable_domain()->set_size(static_cast<uint64_t>(views) * (2 * bins + 1));
    v1::Records* const records = task->mutable_records();
    v1::Attribute* const price = records->add_attributes();
    price->set_name("price");
    price->add_edges(0);
    price->add_edges(1);
    price->set_bins(bins);
    for (const char* name : {"paid", "new"}) {
      v1::Attribute* const answer = records->add_attributes();
      answer->set_name(name);
      for (const char* label : {"yes", "no"}) answer->add_labels(label);
    }
    records->set_max_records(1);
    records->set_max_alike(1);
    for (int i = 0; i < views; ++i) {
      v1::View* const view = records->add_views();
      view->add_attributes(0);
      view->add_attributes(1);
      view->add_joined(1);
      view->add_joined(1);
      view->set_branching(0);
    }
    v1::Dummies* const dummies = task->mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
    dummies->set_rate(uint64_t{20} << 40);
    dummies->set_honest(kWideDevices);
    dummies->set_max(200);
  });
}

std::string WideRefusal(const Task& task, const v1::RecordsQuestion& question) {
  v1::GetAnswerRequest request;
  request.set_confidence(0.95);
  *request.mutable_records() = question;
  Counts counts;
  counts.tables = {{.reports = 1,
                    .counts = std::vector<int64_t>(static_cast<size_t>(task.domain().size()), 20)}};
  v1::Answer answer;
  const absl::Status status = RecordsAnswerer().Fill(
      {.task = task, .counts = counts, .tally = {.submissions = kWideDevices}}, request,
      Postprocess::kNone, &answer);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

// The test takes the third power of how many values an attribute has.
TEST(WideRecordsTest, IndependenceIsRefusedWhereItWouldTakeLong) {
  v1::RecordsQuestion question;
  question.set_independence(true);
  question.add_by("paid");
  question.add_by("price");
  EXPECT_THAT(WideRefusal(*WideTask(300, 1), question),
              AllOf(HasSubstr("price has 300 values"), HasSubstr("at most 256")));
}

// It is a status of gRPC, which may have 8 KiB with all that is beside it.
TEST(WideRecordsTest, ARefusalNamesAFewViews) {
  v1::RecordsQuestion question;
  question.add_by("new");
  const std::string refused = WideRefusal(*WideTask(4, 64), question);
  EXPECT_THAT(refused, AllOf(HasSubstr("price by paid, 4 x 2 cells"), HasSubstr("56 others")));
  EXPECT_LT(refused.size(), 2048u);
}

}  // namespace
}  // namespace tombola::collector
