// Requests for tasks about sets and key-value pairs that are refused, from the collector's side.
#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "collector/catalog/task_maker.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Change = std::function<void(v1::CreateTaskRequest*)>;

absl::Status Made(const Change& change) {
  v1::CreateTaskRequest request;
  request.set_name("pairs");
  request.set_kind(v1::KIND_KEY_VALUE);
  request.set_domain_size(8);
  request.set_epsilon(2);
  request.set_delta(1e-5);
  request.set_users(1000);
  request.mutable_items()->set_max_items(4);
  request.mutable_levels()->set_low(0);
  request.mutable_levels()->set_high(10);
  request.mutable_levels()->set_count(3);
  request.set_mechanism("pure_dump");
  request.set_shuffler_key(std::string(32, 'k'));
  change(&request);
  SeededRandom random(3);
  return collector::MakeTask(request, std::array<uint8_t, 32>{1}, TestTaskStart(), random).status();
}

TEST(ItemsRequestTest, IsRefusedInTheWordsOfWhoAsks) {
  EXPECT_TRUE(Made([](auto*) {}).ok());
  const struct {
    Change change;
    std::string says;
  } kCases[] = {
      {[](auto* r) { r->mutable_items()->set_max_items(0); }, "max_items is 0"},
      {[](auto* r) { r->mutable_items()->set_max_items(9); }, "max_items is 9"},
      {[](auto* r) { r->mutable_items()->set_sent(3); }, "sent is 3; it must divide max_items"},
      {[](auto* r) { r->mutable_levels()->set_count(1); }, "levels is 1; it must be in [2, 256]"},
      {[](auto* r) { r->mutable_levels()->set_low(10); }, "value_range is 10 and 10"},
      {[](auto* r) { r->mutable_levels()->set_high(1e200); }, "[-1e100, 1e100]"},
      {[](auto* r) { r->mutable_levels()->set_high(1e-101); }, "by 1e-100 or more"},
      {[](auto* r) { r->mutable_levels()->set_low(std::nan("")); }, "value_range is nan"},
  };
  for (const auto& c : kCases) {
    const absl::Status status = Made(c.change);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << c.says;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.says));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("items.")));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("task.")));
  }
}

}  // namespace
}  // namespace tombola
