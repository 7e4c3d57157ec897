#include "common/json/task.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/test_task.h"

namespace tombola {
namespace {

std::string FamilyOf(const std::function<void(v1::Task*)>& change) {
  const Json json = TaskJson(*MakeTestTask(change), v1::TaskInfo(), TestTaskStart());
  return json["parameters"].value("family", "none");
}

TEST(TaskJsonTest, NamesTheFamilyOfEveryMechanismThatHashes) {
  EXPECT_EQ(FamilyOf(nullptr), "plane");
  EXPECT_EQ(FamilyOf([](v1::Task* task) {
              const v1::LocalHash hashing = task->mechanism().local_hash();
              *task->mutable_mechanism()->mutable_murs()->mutable_local_hash() = hashing;
              task->mutable_mechanism()->mutable_murs()->set_fakes(3);
            }),
            "plane");
  EXPECT_EQ(FamilyOf([](v1::Task* task) {
              task->mutable_mechanism()->mutable_grr()->set_blanket_threshold(uint64_t{1} << 63);
            }),
            "none");
}

}  // namespace
}  // namespace tombola
