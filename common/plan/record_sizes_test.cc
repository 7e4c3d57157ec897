#include "common/plan/record_sizes.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::mechanism {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Shares = std::vector<RecordSizes::Share>;

TEST(RecordSizesTest, SharesAddUpToOneInWhateverUnitTheyAre) {
  const auto sizes = RecordSizes::Create({{3, 20, 4}, {0, 50, 2}, {1, 30, 0}, {7, 0, 1}});
  ASSERT_TRUE(sizes.ok()) << sizes.status();
  ASSERT_EQ(sizes->shares().size(), 4u);
  EXPECT_EQ(sizes->shares()[2].records, 3);
  EXPECT_DOUBLE_EQ(sizes->shares()[0].share, 0.5);
  EXPECT_DOUBLE_EQ(sizes->shares()[2].standard_error, 0.04);
  EXPECT_DOUBLE_EQ(sizes->mean(), 0.9);
  EXPECT_EQ(sizes->most(), 3);
}

TEST(RecordSizesTest, CutsWhatDevicesHaveBeyondALimit) {
  Shares uniform;
  for (int64_t records = 1; records <= 10; ++records) uniform.push_back({records, 0.1});
  const auto sizes = RecordSizes::Create(uniform);
  ASSERT_TRUE(sizes.ok());
  EXPECT_DOUBLE_EQ(sizes->Cut(1), 4.5 / 5.5);
  EXPECT_DOUBLE_EQ(sizes->Cut(3), 2.8 / 5.5);
  EXPECT_DOUBLE_EQ(sizes->Cut(9), 0.1 / 5.5);
  EXPECT_EQ(sizes->Cut(10), 0);
  EXPECT_EQ(sizes->Cut(1000), 0);
  EXPECT_EQ(sizes->CutError(3), 0);
}

// Devices without a record neither have any cut nor count among records.
TEST(RecordSizesTest, DevicesWithoutRecordsChangeNoShareOfRecords) {
  EXPECT_DOUBLE_EQ(RecordSizes::Create({{1, 1}, {4, 1}})->Cut(2),
                   RecordSizes::Create({{0, 7}, {1, 1}, {4, 1}})->Cut(2));
}

TEST(RecordSizesTest, TheErrorOfTheCutIsThatOfItsShares) {
  const Shares shares = {{0, 0.5, 0.01}, {1, 0.2, 0.02}, {4, 0.3, 0.03}, {9, 0, 0.004}};
  for (const int64_t limit : {1, 2, 4, 8}) {
    double variance = 0;
    for (size_t i = 0; i < shares.size(); ++i) {
      constexpr double kStep = 1e-6;
      Shares more = shares;
      more[i].share += kStep;
      const double slope =
          (RecordSizes::Create(more)->Cut(limit) - RecordSizes::Create(shares)->Cut(limit)) / kStep;
      variance += std::pow(slope * shares[i].standard_error, 2);
    }
    EXPECT_NEAR(RecordSizes::Create(shares)->CutError(limit), std::sqrt(variance), 1e-5) << limit;
  }
}

TEST(RecordSizesTest, RefusesWhatIsNoDistributionOfRecords) {
  const auto refusal = [](const Shares& shares) {
    const auto sizes = RecordSizes::Create(shares);
    EXPECT_TRUE(absl::IsInvalidArgument(sizes.status())) << sizes.status();
    return std::string(sizes.status().message());
  };
  EXPECT_THAT(refusal({{-1, 1}}), AllOf(HasSubstr("-1"), HasSubstr("[0, 1000000]")));
  EXPECT_THAT(refusal({{1'000'001, 1}}), HasSubstr("[0, 1000000]"));
  EXPECT_THAT(refusal({{2, 1}, {1, 1}, {2, 3}}), HasSubstr("2 must be there once"));
  EXPECT_THAT(refusal({{2, -0.1}}), HasSubstr("2 records must be at least 0"));
  EXPECT_THAT(refusal({{2, std::nan("")}}), HasSubstr("at least 0"));
  EXPECT_THAT(refusal({{2, 1, -1}}), HasSubstr("at least 0"));
  EXPECT_THAT(refusal({{1, std::numeric_limits<double>::infinity()}}), HasSubstr("finite"));
  EXPECT_THAT(refusal({{0, 1}, {3, 0}}), HasSubstr("must have a record"));
  EXPECT_THAT(refusal({}), HasSubstr("must have a record"));
}

}  // namespace
}  // namespace tombola::mechanism
