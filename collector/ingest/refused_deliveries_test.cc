#include "collector/ingest/refused_deliveries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

// What `act` writes to the log.
template <typename Act>
std::string Logged(const Act& act) {
  ::testing::internal::CaptureStderr();
  act();
  return ::testing::internal::GetCapturedStderr();
}

TEST(RefusedDeliveriesTest, AFloodIsOneLineWithItsNumberAndTheFirstCause) {
  RefusedDeliveries refused;
  EXPECT_EQ(Logged([&] {
              for (int i = 0; i < 1000; ++i) {
                refused.Add(absl::InvalidArgumentError(absl::StrCat("cause ", i)));
              }
            }),
            "");
  const std::string line = Logged([&] { refused.Step(); });
  EXPECT_THAT(line, HasSubstr(R"("level":"warning","event":"delivery_refused","count":1000,)"
                              R"("status":"INVALID_ARGUMENT: cause 0"})"));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(Logged([&] { refused.Step(); }), "");
}

}  // namespace
}  // namespace tombola::collector
