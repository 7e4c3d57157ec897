#include "cli/task/limit_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "common/plan/records_limit.h"

namespace tombola::cli {
namespace {

using mechanism::LimitChoice;
using mechanism::RecordSizes;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

v1::CreateTaskRequest RequestFor(uint64_t users) {
  v1::CreateTaskRequest request;
  request.set_users(users);
  request.set_smallest_batch(users);
  request.set_epsilon(1);
  request.set_delta(1e-6);
  v1::Attribute* const kind = request.mutable_records()->add_attributes();
  kind->set_name("kind");
  for (const char* label : {"food", "books", "tools"}) kind->add_labels(label);
  request.mutable_records()->add_views()->add_attributes(0);
  return request;
}

RecordSizes UpTo(int64_t most) {
  std::vector<RecordSizes::Share> shares;
  for (int64_t records = 0; records <= most; ++records) shares.push_back({records, 1});
  return *RecordSizes::Create(shares);
}

TEST(ChooseMaxRecordsTest, PlansForTheHonestOfTheSmallestBatch) {
  v1::CreateTaskRequest request = RequestFor(1000);
  request.set_smallest_batch(800);
  request.set_dishonest_share(0.25);
  const auto choice = ChooseMaxRecords(request, UpTo(6));
  ASSERT_TRUE(choice.ok()) << choice.status();
  const auto same =
      mechanism::PlanLimit(request.records(), UpTo(6),
                           {.honest = 600, .submissions = 1000, .epsilon = 1, .delta = 1e-6});
  ASSERT_EQ(choice->tried.size(), 6u);
  ASSERT_EQ(same->tried.size(), 6u);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(choice->tried[i].error, same->tried[i].error);
}

TEST(ChooseMaxRecordsTest, CountsMoreRecordsWithMoreDevices) {
  const auto few = ChooseMaxRecords(RequestFor(200), UpTo(10));
  const auto many = ChooseMaxRecords(RequestFor(200000), UpTo(10));
  ASSERT_TRUE(few.ok() && many.ok()) << few.status() << many.status();
  EXPECT_LT(few->chosen().max_records, many->chosen().max_records);
  EXPECT_GT(few->chosen().error, many->chosen().error);
}

TEST(ChooseMaxRecordsTest, RefusesByTheNameOfTheFlag) {
  const auto refusal = [](const std::function<void(v1::CreateTaskRequest*)>& change) {
    v1::CreateTaskRequest request = RequestFor(1000);
    change(&request);
    const auto choice = ChooseMaxRecords(request, UpTo(3));
    EXPECT_TRUE(absl::IsInvalidArgument(choice.status())) << choice.status();
    return std::string(choice.status().message());
  };
  EXPECT_THAT(refusal([](auto* r) { r->set_users(1); }), HasSubstr("--users must be between"));
  EXPECT_THAT(refusal([](auto* r) { r->set_smallest_batch(1001); }), HasSubstr("--min-batch"));
  EXPECT_THAT(refusal([](auto* r) { r->set_dishonest_share(1); }), HasSubstr("--dishonest"));
  EXPECT_THAT(
      refusal([](auto* r) { r->set_dishonest_share(std::numeric_limits<double>::quiet_NaN()); }),
      HasSubstr("--dishonest"));
  EXPECT_THAT(refusal([](auto* r) { r->set_dishonest_share(0.9999); }), HasSubstr("--dishonest"));
  EXPECT_THAT(refusal([](auto* r) { r->set_epsilon(0); }), HasSubstr("epsilon"));
  EXPECT_THAT(refusal([](auto* r) { r->set_delta(1); }), HasSubstr("delta"));
  EXPECT_THAT(refusal([](auto* r) { r->set_mechanism("laplacian"); }), HasSubstr("no mechanism"));
  EXPECT_THAT(refusal([](auto* r) { r->set_epsilon(1e-4); }), HasSubstr("no mechanism"));
  EXPECT_THAT(refusal([](auto* r) { r->mutable_records()->clear_views(); }),
              HasSubstr("questions"));
}

LimitChoice Choice() {
  return {.tried = {{.max_records = 1, .cut = 0.5, .error = 0.501},
                    {.max_records = 2, .cut = 0.125, .error = 0.13},
                    {.max_records = 3, .cut = 0, .error = 0.2}},
          .best = 1};
}

TEST(DescribeLimitTest, SaysWhatIsChosenAndWhatIsBesideIt) {
  EXPECT_EQ(Describe(Choice(), {.sizes = UpTo(3)}, "\"sizes.csv\""),
            "max_records 2: by \"sizes.csv\" 12.5 % of all records are beyond it and not counted, "
            "and with the noise a usual count is off by 13 % (by 50.1 % with 1, by 20 % with 3)\n");
  const LimitChoice only{.tried = {Choice().tried[1]}};
  EXPECT_THAT(Describe(only, {.sizes = UpTo(3)}, "\"s\""), HasSubstr("off by 13 %\n"));
}

TEST(DescribeLimitTest, WarnsWhereSizesAreUncertainOpenOrOfNoUse) {
  const RecordSizes noisy = *RecordSizes::Create({{1, 0.5, 0.1}, {3, 0.5, 0.2}});
  EXPECT_GT(noisy.CutError(2), 0.013);
  LimitChoice sharp = Choice();
  sharp.tried[1].error = 0.01;
  EXPECT_THAT(Describe(sharp, {.sizes = noisy}, "\"s\""), HasSubstr("\n! what is beyond it"));
  EXPECT_THAT(Describe(Choice(), {.sizes = UpTo(3)}, "\"s\""), Not(HasSubstr("!")));
  EXPECT_THAT(
      Describe(Choice(), {.sizes = UpTo(3), .open = 3, .beyond = 0.25}, "\"s\""),
      AllOf(HasSubstr("\n! 25 % of the devices have 3 records or more"), HasSubstr("no more")));
  LimitChoice useless = Choice();
  useless.tried[1].error = 1.5;
  EXPECT_THAT(Describe(useless, {.sizes = UpTo(3)}, "\"s\""),
              HasSubstr("\n! counts are off by more"));
}

}  // namespace
}  // namespace tombola::cli
