// Many reports at once count as each alone does, whatever is between them.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "collector/aggregate/aggregator.h"
#include "common/mechanism/grr.h"
#include "common/mechanism/local_hash.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using mechanism::HashFamily;
using mechanism::LocalHash;
using mechanism::Mechanism;

std::shared_ptr<const Mechanism> MakeLocalHash(HashFamily family, uint64_t range,
                                               uint32_t lane_bits) {
  return std::make_shared<const LocalHash>(
      LocalHash::Create({family, range, /*blanket_threshold=*/1, lane_bits, /*domain_size=*/600})
          .value());
}

std::vector<std::shared_ptr<const Mechanism>> Mechanisms() {
  return {MakeLocalHash(HashFamily::kPlane, 29, 0), MakeLocalHash(HashFamily::kPlane, 2281, 0),
          MakeLocalHash(HashFamily::kAffine, 16, 32), MakeLocalHash(HashFamily::kAffine, 64, 64),
          std::make_shared<const mechanism::Grr>(
              mechanism::Grr::Create({.blanket_threshold = 1, .domain_size = 600}).value())};
}

// Fakes, of which some are broken: a tag byte changed, or a field set beyond every range.
std::vector<uint8_t> Reports(const Mechanism& mechanism, size_t count, uint64_t seed) {
  SeededRandom random(seed);
  const size_t bytes = mechanism.report_bytes();
  std::vector<uint8_t> reports(count * bytes);
  for (size_t i = 0; i < count; ++i) {
    const auto report = absl::MakeSpan(reports).subspan(i * bytes, bytes);
    mechanism.DrawFake(random, report);
    if (i % 11 == 4) report[0] ^= 1;
    if (i % 13 == 5) report[bytes - 1] = 0xff;
  }
  return reports;
}

TEST(AddAllTest, CountsAsOneByOne) {
  for (const auto& mechanism : Mechanisms()) {
    const size_t bytes = mechanism->report_bytes();
    // Around the numbers of lines that the kernels take at once.
    for (const size_t count : {1, 2, 31, 255, 256, 257, 600, 5000}) {
      const std::vector<uint8_t> reports = Reports(*mechanism, count, count);
      const auto together = MakeAggregator(mechanism);
      const auto alone = MakeAggregator(mechanism);
      AddedReports expected;
      for (size_t at = 0; at < reports.size(); at += bytes) {
        const mechanism::ReportState result =
            alone->Add(absl::MakeConstSpan(reports).subspan(at, bytes));
        expected.counted += result == mechanism::ReportState::kValid;
        expected.rejected.malformed += result == mechanism::ReportState::kMalformed;
        expected.rejected.out_of_range += result == mechanism::ReportState::kOutOfRange;
      }
      const AddedReports added = together->AddAll(reports);
      EXPECT_EQ(added.counted, expected.counted);
      EXPECT_EQ(added.rejected.malformed, expected.rejected.malformed);
      EXPECT_EQ(added.rejected.out_of_range, expected.rejected.out_of_range);
      EXPECT_EQ(together->counts(), alone->counts()) << mechanism->name() << ", " << count;
      EXPECT_EQ(together->hashes().functions, alone->hashes().functions);
      EXPECT_EQ(together->hashes().buckets, alone->hashes().buckets);
    }
  }
}

TEST(AddAllTest, BadReportsChangeNothingForTheOthers) {
  for (const auto& mechanism : Mechanisms()) {
    const size_t bytes = mechanism->report_bytes();
    const std::vector<uint8_t> reports = Reports(*mechanism, 1000, 9);
    std::vector<uint8_t> good;
    for (size_t i = 0; i < 1000; ++i) {
      if (i % 11 == 4 || i % 13 == 5) continue;
      good.insert(good.end(), reports.begin() + static_cast<ptrdiff_t>(i * bytes),
                  reports.begin() + static_cast<ptrdiff_t>((i + 1) * bytes));
    }
    const auto all = MakeAggregator(mechanism);
    const auto without = MakeAggregator(mechanism);
    const AddedReports added = all->AddAll(reports);
    EXPECT_EQ(added.rejected.malformed, 91);
    EXPECT_EQ(added.rejected.out_of_range, 70);  // 77, of which 7 are malformed as well
    EXPECT_EQ(added.counted, 839);
    EXPECT_EQ(without->AddAll(good).counted, 839);
    EXPECT_EQ(all->counts(), without->counts()) << mechanism->name();
    EXPECT_EQ(all->hashes().functions, without->hashes().functions);
  }
}

TEST(AddAllTest, NoReportsAreNone) {
  for (const auto& mechanism : Mechanisms()) {
    const auto aggregator = MakeAggregator(mechanism);
    const AddedReports added = aggregator->AddAll({});
    EXPECT_EQ(added.counted + added.rejected.total(), 0);
    EXPECT_EQ(aggregator->counts(), std::vector<int64_t>(600, 0));
  }
}

TEST(AddAllDeathTest, RefusesAPartOfAReport) {
  const auto aggregator = MakeAggregator(MakeLocalHash(HashFamily::kPlane, 29, 0));
  EXPECT_DEATH(aggregator->AddAll(std::vector<uint8_t>(15)), "");
}

}  // namespace
}  // namespace tombola::collector
