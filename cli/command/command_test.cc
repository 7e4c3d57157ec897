#include "cli/command/command.h"

#include <gtest/gtest.h>

#include <utility>

namespace tombola::cli {
namespace {

TEST(ExitCodeTest, IsTwoForWhatOtherWordsMendAndOneForTheRest) {
  EXPECT_EQ(ExitCode(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCode(absl::InvalidArgumentError("")), 2);
  EXPECT_EQ(ExitCode(absl::NotFoundError("")), 2);
  EXPECT_EQ(ExitCode(absl::FailedPreconditionError("")), 1);
  EXPECT_EQ(ExitCode(absl::UnavailableError("")), 1);
  EXPECT_EQ(ExitCode(absl::PermissionDeniedError("")), 1);
}

TEST(ExplainTest, NamesTheFlagWhereARefusalNamesAField) {
  for (const auto& [said, told] :
       {std::pair<const char*, const char*>{"confidence must be in (0, 1)",
                                            "--confidence must be in (0, 1)"},
        {"dishonest_share must be in [0, 1)", "--dishonest must be in [0, 1)"},
        {"smallest_batch must be between 2 and users", "--min-batch must be between 2 and --users"},
        {"the number of labels must be between 2 and 16777216",
         "the number of --values must be between 2 and 16777216"},
        {"stream.periods must be between 1 and 4096", "--periods must be between 1 and 4096"},
        {"device_periods must be in [1, 52]", "--device-periods must be in [1, 52]"},
        {"task.batch_policy.retry_window must be between 3600 and 31622400 seconds",
         "--retry-window must be between 3600 and 31622400 seconds"},
        {"task.domain.labels must be distinct", "--values must be distinct"},
        {"task_id names no task of this collector", "--task names no task of this collector"},
        {"task.name must be 1 to 128 bytes without control characters",
         "--name must be 1 to 128 bytes without control characters"},
        {"range is 12; it must be a prime in [10, 2^31)",
         "--range is 12; it must be a prime in [10, 2^31)"},
        {"schema: max_records is 0; it must be in [1, 1000]",
         "--schema: max_records is 0; it must be in [1, 1000]"},
        {"sent is 9; it must be at least 1", "--sent is 9; it must be at least 1"},
        {"where is 5 to 2; its lower end must be below its upper one",
         "--where is 5 to 2; its lower end must be below its upper one"},
        {"where: age must be one of its 3 labels", "--where: age must be one of its 3 labels"},
        {"domain_size must be between 2 and 16777216",
         "--domain must be between 2 and 16777216"}}) {
    EXPECT_EQ(Explain(absl::InvalidArgumentError(said)), told);
  }
}

TEST(ExplainTest, NamesTheFlagOfADevicesPolicy) {
  EXPECT_EQ(Explain(absl::FailedPreconditionError(
                "the task is weaker than the device's policy: its epsilon for a batch is 3, "
                "policy.max_epsilon is 2")),
            "the task is weaker than the device's policy: its epsilon for a batch is 3, "
            "--max-epsilon is 2");
  EXPECT_EQ(Explain(absl::InvalidArgumentError("policy.min_batch must be set, at least 2")),
            "--min-batch must be set, at least 2");
  EXPECT_EQ(Explain(absl::UnauthenticatedError(
                "the task names another collector than policy.collector_key")),
            "the task names another collector than the collector_key of tombola.json");
}

TEST(ExplainTest, LeavesOtherMessagesAlone) {
  for (const char* const said :
       {"--confidence must be in (0, 1)", "names.txt: line 3 is empty", "ranges must be disjoint",
        "value must be one of the task's 3 labels", "users"}) {
    EXPECT_EQ(Explain(absl::InvalidArgumentError(said)), said);
  }
  EXPECT_EQ(Explain(absl::FailedPreconditionError("epsilon is so small")), "epsilon is so small");
}

}  // namespace
}  // namespace tombola::cli
