#include "cli/task/totals_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;

TEST(TotalsRequestTest, ReadsItsParts) {
  const auto whole =
      ReadTrustedTotals("of=participants+rejected,delta=1e-6,structure=blt,epsilon=0.5");
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->epsilon(), 0.5);
  EXPECT_EQ(whole->delta(), 1e-6);
  EXPECT_EQ(whole->structure(), "blt");
  ASSERT_EQ(whole->of_size(), 2);
  EXPECT_EQ(whole->of(1), v1::TOTALS_QUANTITY_REJECTED);
  EXPECT_EQ(ReadTrustedTotals("epsilon=1")->of_size(), 0);
}

TEST(TotalsRequestTest, NamesWhatIsWrong) {
  const auto refusal = [](const char* text) {
    const auto request = ReadTrustedTotals(text);
    EXPECT_TRUE(absl::IsInvalidArgument(request.status())) << text;
    return std::string(request.status().message());
  };
  EXPECT_THAT(refusal("delta=0"), HasSubstr("epsilon is required"));
  EXPECT_THAT(refusal("epsilon=much"), HasSubstr("epsilon must be a number"));
  EXPECT_THAT(refusal("epsilon"), HasSubstr("epsilon must be a number"));
  EXPECT_THAT(refusal("epsilon=1,epsilon=2"), HasSubstr("epsilon must be there once"));
  EXPECT_THAT(refusal("epsilon=1,of=devices"), HasSubstr("of must be participants"));
  EXPECT_THAT(refusal("epsilon=1,periods=3"), HasSubstr("there is no periods"));
}

}  // namespace
}  // namespace tombola::cli
