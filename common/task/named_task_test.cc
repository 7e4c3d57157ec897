#include "common/task/named_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tombola {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TaskId IdOf(uint8_t first) {
  TaskId id{};
  id[0] = first;
  id[31] = 7;
  return id;
}

const std::vector<KnownTask>& Tasks() {
  static const std::vector<KnownTask>* const tasks =
      new std::vector<KnownTask>{{.id = IdOf(0xaa), .name = "apps", .open = false},
                                 {.id = IdOf(0xab), .name = "apps", .open = true},
                                 {.id = IdOf(0xac), .name = "pages", .open = true},
                                 {.id = IdOf(0xad), .name = "pages", .open = true},
                                 {.id = IdOf(0xae), .name = "ab00", .open = false}};
  return *tasks;
}

absl::StatusOr<TaskId> Match(absl::string_view text) { return MatchTask("--task", text, Tasks()); }

TEST(NamedTaskTest, ANameIsThatOfTheOpenTask) { EXPECT_EQ(*Match("apps"), IdOf(0xab)); }

TEST(NamedTaskTest, TheFirstDigitsOfAnIdWillDo) {
  EXPECT_EQ(*Match("aa00"), IdOf(0xaa));
  EXPECT_EQ(*Match("AE000"), IdOf(0xae));
}

TEST(NamedTaskTest, AWholeIdIsTakenAsItIs) {
  EXPECT_EQ(*Match(std::string(64, '1')), *IdFromHex<TaskId>(std::string(64, '1')));
}

TEST(NamedTaskTest, ANameGoesBeforeDigits) { EXPECT_EQ(*Match("ab00"), IdOf(0xae)); }

TEST(NamedTaskTest, SeveralAreListed) {
  const absl::Status several = Match("pages").status();
  EXPECT_TRUE(absl::IsInvalidArgument(several)) << several;
  EXPECT_THAT(std::string(several.message()),
              AllOf(HasSubstr("2 of them"), HasSubstr("ac0000000000 (pages)"),
                    HasSubstr("ad0000000000 (pages)")));
}

TEST(NamedTaskTest, RefusesWhatNamesNone) {
  for (const char* text : {"trips", "aa0", "aa01"}) {
    EXPECT_TRUE(absl::IsNotFound(Match(text).status())) << text;
  }
}

}  // namespace
}  // namespace tombola
