// The aggregators of reports that name a value, and which mechanism has which.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "collector/aggregate/aggregator.h"
#include "collector/aggregate/signed.h"
#include "collector/aggregate/value.h"
#include "common/mechanism/local_hash.h"
#include "common/mechanism/murs.h"
#include "common/table/value_report.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using mechanism::SignedReport;
using mechanism::ValueReport;

template <typename Report>
std::vector<uint8_t> Bytes(const Report& report) {
  std::vector<uint8_t> bytes(Report::kBytes);
  mechanism::Write(report, absl::MakeSpan(bytes));
  return bytes;
}

TEST(ValueAggregatorTest, CountsTheValuesNamed) {
  ValueAggregator aggregator(4);
  for (const uint32_t value : {0, 3, 3, 1, 3}) {
    EXPECT_EQ(aggregator.Add(Bytes(ValueReport{value})), mechanism::ReportState::kValid);
  }
  EXPECT_EQ(aggregator.counts(), (std::vector<int64_t>{1, 1, 0, 3}));
}

TEST(SignedAggregatorTest, AddsAndTakesAway) {
  SignedAggregator aggregator(4);
  for (const int32_t change : {1, 4, -4, -4, -1, 2, -3, 1, 1}) {
    EXPECT_EQ(aggregator.Add(Bytes(SignedReport{change})), mechanism::ReportState::kValid);
  }
  EXPECT_EQ(aggregator.counts(), (std::vector<int64_t>{2, 1, -1, -1}));
}

template <typename Report>
void ExpectBadReportsHarmOnlyThemselves(Aggregator& aggregator, const Report& good,
                                        const std::vector<Report>& outside) {
  ASSERT_EQ(aggregator.Add(Bytes(good)), mechanism::ReportState::kValid);
  const std::vector<int64_t> before = aggregator.counts();
  std::vector<uint8_t> bytes = Bytes(good);
  EXPECT_EQ(aggregator.Add({}), mechanism::ReportState::kMalformed);
  EXPECT_EQ(aggregator.Add(absl::MakeConstSpan(bytes).first(4)),
            mechanism::ReportState::kMalformed);
  bytes.push_back(0);
  EXPECT_EQ(aggregator.Add(bytes), mechanism::ReportState::kMalformed);
  bytes.pop_back();
  bytes[0] ^= 0x40;
  EXPECT_EQ(aggregator.Add(bytes), mechanism::ReportState::kMalformed);
  for (const Report& report : outside) {
    EXPECT_EQ(aggregator.Add(Bytes(report)), mechanism::ReportState::kOutOfRange);
  }
  EXPECT_EQ(aggregator.counts(), before);
}

TEST(ValueAggregatorTest, BadReportsHarmOnlyThemselves) {
  ValueAggregator aggregator(600);
  ExpectBadReportsHarmOnlyThemselves<ValueReport>(aggregator, {599}, {{600}, {0xffffffff}});
}

TEST(SignedAggregatorTest, BadReportsHarmOnlyThemselves) {
  SignedAggregator aggregator(600);
  ExpectBadReportsHarmOnlyThemselves<SignedReport>(aggregator, {-600},
                                                   {{0},
                                                    {601},
                                                    {-601},
                                                    {std::numeric_limits<int32_t>::max()},
                                                    {std::numeric_limits<int32_t>::min()}});
}

TEST(SignedAggregatorTest, PartsWithNegativeCountsMerge) {
  SignedAggregator first(3);
  SignedAggregator second(3);
  for (const int32_t change : {-1, -1, 2}) first.Add(Bytes(SignedReport{change}));
  for (const int32_t change : {1, -2, -2, -3}) second.Add(Bytes(SignedReport{change}));
  ASSERT_TRUE(first.Merge(second.counts()).ok());
  EXPECT_EQ(first.counts(), (std::vector<int64_t>{-1, -1, -1}));
  EXPECT_EQ(first.Merge({1, 1}).code(), absl::StatusCode::kInvalidArgument);
}

// murs counts as the local hashing it holds does.
TEST(MakeAggregatorTest, FakesMakeNoDifferenceToCounting) {
  for (const mechanism::HashFamily family :
       {mechanism::HashFamily::kPlane, mechanism::HashFamily::kAffine}) {
    const bool plane = family == mechanism::HashFamily::kPlane;
    const mechanism::LocalHashOptions options = {.family = family,
                                                 .range = plane ? 29u : 32u,
                                                 .blanket_threshold = 1,
                                                 .lane_bits = plane ? 0u : 64u,
                                                 .domain_size = 600};
    const auto local_hash =
        std::make_shared<const mechanism::LocalHash>(mechanism::LocalHash::Create(options).value());
    auto murs =
        std::make_shared<const mechanism::Murs>(mechanism::Murs::Create(options, 10).value());
    const auto expected = MakeAggregator(local_hash);
    const auto aggregator = MakeAggregator(murs);
    murs.reset();  // the aggregator keeps what it needs
    SeededRandom random(1);
    std::vector<uint8_t> report(local_hash->report_bytes());
    for (int i = 0; i < 3000; ++i) {
      local_hash->DrawFake(random, absl::MakeSpan(report));
      ASSERT_EQ(expected->Add(report), mechanism::ReportState::kValid);
      ASSERT_EQ(aggregator->Add(report), mechanism::ReportState::kValid);
    }
    EXPECT_EQ(aggregator->counts(), expected->counts());
  }
}

}  // namespace
}  // namespace tombola::collector
