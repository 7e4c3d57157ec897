#include "collector/aggregate/aggregator.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "common/mechanism/local_hash.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using mechanism::AffineReport;
using mechanism::HashFamily;
using mechanism::LocalHash;
using mechanism::PlaneReport;

std::shared_ptr<const LocalHash> Make(HashFamily family, uint64_t range, uint32_t lane_bits,
                                      int64_t domain) {
  return std::make_shared<const LocalHash>(
      LocalHash::Create({family, range, /*blanket_threshold=*/1, lane_bits, domain}).value());
}

template <typename Report>
std::vector<uint8_t> Bytes(const Report& report) {
  std::vector<uint8_t> bytes(Report::kBytes);
  mechanism::Write(report, absl::MakeSpan(bytes));
  return bytes;
}

// Every value tried by the definition.
template <typename Report>
void AddByDefinition(const LocalHash& local_hash, const Report& report,
                     std::vector<int64_t>* counts) {
  for (size_t v = 0; v < counts->size(); ++v) {
    (*counts)[v] += local_hash.Bucket(report, v) == report.bucket;
  }
}

TEST(PlaneAggregatorTest, EveryReportSupportsWhatTheDefinitionSays) {
  struct Case {
    uint64_t order;
    int64_t domain;
  };
  for (const Case& c : {Case{2, 2}, Case{2, 3}, Case{2, 4}, Case{3, 6}, Case{5, 25}, Case{7, 40},
                        Case{29, 600}, Case{101, 60}, Case{31, 601}}) {
    const auto local_hash = Make(HashFamily::kPlane, c.order, 0, c.domain);
    for (uint32_t function = 0; function <= c.order; ++function) {
      for (uint32_t bucket = 0; bucket < c.order; ++bucket) {
        const PlaneReport report = {function, bucket};
        const auto aggregator = MakeAggregator(local_hash);
        ASSERT_EQ(aggregator->Add(Bytes(report)), mechanism::ReportState::kValid);
        std::vector<int64_t> expected(static_cast<size_t>(c.domain), 0);
        AddByDefinition(*local_hash, report, &expected);
        ASSERT_EQ(aggregator->counts(), expected) << "order " << c.order << ", domain " << c.domain
                                                  << ", report " << function << ", " << bucket;
      }
    }
  }
}

TEST(PlaneAggregatorTest, LargeOrdersDoNotOverflow) {
  const auto local_hash = Make(HashFamily::kPlane, 2147483647, 0, 1000);
  const auto aggregator = MakeAggregator(local_hash);
  SeededRandom random(1);
  std::vector<int64_t> expected(1000, 0);
  for (int i = 0; i < 3000; ++i) {
    PlaneReport report = local_hash->DrawPlane(random);
    if (i % 3 == 0) report.function = 2147483647 - static_cast<uint32_t>(i % 5);
    if (i % 2 == 0) report.bucket = local_hash->Bucket(report, static_cast<uint64_t>(i % 1000));
    ASSERT_EQ(aggregator->Add(Bytes(report)), mechanism::ReportState::kValid);
    AddByDefinition(*local_hash, report, &expected);
  }
  EXPECT_EQ(aggregator->counts(), expected);
}

TEST(AffineAggregatorTest, CountsWhatTheDefinitionSays) {
  struct Case {
    uint64_t range;
    uint32_t lane_bits;
    int64_t domain;
    int reports;
  };
  // Domains around the vectors' widths and the tiles', numbers of reports around what is set aside.
  for (const Case& c :
       {Case{2, 32, 2, 5000}, Case{2, 64, 3, 5000}, Case{16, 32, 15, 2048}, Case{16, 32, 16, 2047},
        Case{16, 64, 17, 1024}, Case{256, 32, 600, 3000}, Case{1 << 16, 64, 600, 3000},
        Case{4, 32, 4096, 300}, Case{4, 32, 9001, 300}, Case{64, 64, 2049, 300},
        Case{uint64_t{1} << 31, 64, 5000, 300}}) {
    const auto local_hash = Make(HashFamily::kAffine, c.range, c.lane_bits, c.domain);
    const auto aggregator = MakeAggregator(local_hash);
    SeededRandom random(2);
    std::vector<int64_t> expected(static_cast<size_t>(c.domain), 0);
    for (int i = 0; i < c.reports; ++i) {
      AffineReport report = local_hash->DrawAffine(random);
      // Half of them surely support a value, so that large ranges are seen at work.
      if (i % 2 == 0) {
        report.bucket = local_hash->Bucket(report, UniformBelow(expected.size(), random));
      }
      ASSERT_EQ(aggregator->Add(Bytes(report)), mechanism::ReportState::kValid);
      AddByDefinition(*local_hash, report, &expected);
    }
    EXPECT_EQ(aggregator->counts(), expected) << "range " << c.range << ", domain " << c.domain;
    EXPECT_EQ(aggregator->counts(), expected) << "asking twice counts nothing twice";
  }
}

template <typename Report>
void ExpectBadReportsHarmOnlyThemselves(const std::shared_ptr<const LocalHash>& local_hash,
                                        const Report& good, const std::vector<Report>& outside) {
  const auto aggregator = MakeAggregator(local_hash);
  ASSERT_EQ(aggregator->Add(Bytes(good)), mechanism::ReportState::kValid);
  const std::vector<int64_t> before = aggregator->counts();
  std::vector<uint8_t> bytes = Bytes(good);
  EXPECT_EQ(aggregator->Add({}), mechanism::ReportState::kMalformed);
  EXPECT_EQ(aggregator->Add(absl::MakeConstSpan(bytes).first(bytes.size() - 1)),
            mechanism::ReportState::kMalformed);
  bytes[0] ^= 0x40;
  EXPECT_EQ(aggregator->Add(bytes), mechanism::ReportState::kMalformed);
  for (const Report& report : outside) {
    EXPECT_EQ(aggregator->Add(Bytes(report)), mechanism::ReportState::kOutOfRange);
  }
  EXPECT_EQ(aggregator->counts(), before);
}

TEST(AggregatorTest, BadReportsHarmOnlyThemselves) {
  ExpectBadReportsHarmOnlyThemselves<PlaneReport>(Make(HashFamily::kPlane, 29, 0, 600), {3, 4},
                                                  {{30, 0}, {0, 29}, {0xffffffff, 0xffffffff}});
  ExpectBadReportsHarmOnlyThemselves<AffineReport>(
      Make(HashFamily::kAffine, 16, 32, 600), {3, 4, 5},
      {{uint64_t{1} << 32, 0, 0}, {0, uint64_t{1} << 32, 0}, {0, 0, 16}});
}

TEST(AggregatorTest, PartsMergeIntoTheWhole) {
  for (const auto& local_hash :
       {Make(HashFamily::kPlane, 29, 0, 600), Make(HashFamily::kAffine, 16, 32, 600)}) {
    const auto whole = MakeAggregator(local_hash);
    const auto first = MakeAggregator(local_hash);
    const auto second = MakeAggregator(local_hash);
    SeededRandom random(3);
    for (int i = 0; i < 5000; ++i) {
      std::vector<uint8_t> report(local_hash->report_bytes());
      local_hash->DrawFake(random, absl::MakeSpan(report));
      whole->Add(report);
      (i % 3 == 0 ? first : second)->Add(report);
    }
    ASSERT_TRUE(first->Merge(second->counts()).ok());
    EXPECT_EQ(first->counts(), whole->counts());
  }
}

TEST(AggregatorTest, RefusesCountsOfAnotherShape) {
  const auto aggregator = MakeAggregator(Make(HashFamily::kPlane, 29, 0, 600));
  std::vector<int64_t> counts(599, 1);
  EXPECT_EQ(aggregator->Merge(counts).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(aggregator->counts(), std::vector<int64_t>(600, 0));
  counts.resize(600, 1);
  EXPECT_TRUE(aggregator->Merge(counts).ok());
  EXPECT_EQ(aggregator->counts(), std::vector<int64_t>(600, 1));
}

}  // namespace
}  // namespace tombola::collector
