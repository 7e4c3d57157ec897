#include "common/table/bloom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/table/bloom_weights.h"
#include "tests/support/seeded_random.h"

namespace tombola::mechanism {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

uint64_t Threshold(double probability) {
  return static_cast<uint64_t>(std::ldexp(probability, 64));
}

BloomOptions Usual() {
  return {.bits = 32,
          .hashes = 2,
          .seed = 5,
          .prr_threshold = Threshold(0.5),
          .irr_p_threshold = Threshold(0.5),
          .irr_q_threshold = Threshold(0.75),
          .domain_size = 12};
}

TEST(BloomTest, RefusesWhatIsOutOfBounds) {
  const auto refused = [](BloomOptions options, const std::string& message) {
    const absl::Status status = Bloom::Create(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(status.message(), HasSubstr(message));
  };
  BloomOptions options = Usual();
  options.domain_size = 257;
  refused(options, "domain.size is 257; rappor tells at most 256 values apart");
  options = Usual();
  options.bits = 11;
  refused(options, "rappor.bits is 11; it must be at least domain.size, 12, and at most 256");
  options.bits = 257;
  refused(options, "rappor.bits is 257");
  options = Usual();
  options.hashes = 0;
  refused(options, "rappor.hashes is 0; it must be in [1, 16]");
  options.hashes = 17;
  refused(options, "rappor.hashes is 17");
  options = {.bits = 2, .hashes = 3, .prr_threshold = 1, .irr_q_threshold = 1, .domain_size = 2};
  refused(options, "rappor.hashes is 3; it must be in [1, 2]");
  options = Usual();
  options.prr_threshold = 0;
  refused(options, "rappor.prr_threshold is 0");
  options = Usual();
  options.irr_q_threshold = options.irr_p_threshold;
  refused(options, "rappor.irr_q_threshold is");
  // Two of two bits: both values set the same.
  options = Usual();
  options.bits = 2;
  options.domain_size = 2;
  refused(options, "2 of 2 bits do not tell 2 values apart");
}

// By hand: SHA-256("tombola/v1/bloom" | 00000005 | value | j), docs/wire-format.md.
TEST(BloomTest, AValueSetsItsOwnBitAndHashedOnes) {
  const Bloom bloom = Bloom::Create(Usual()).value();
  std::set<uint8_t> second;
  for (uint64_t value = 0; value < 12; ++value) {
    EXPECT_EQ(bloom.BitsOf(value)[0], value);
    EXPECT_NE(bloom.BitsOf(value)[1], value);
    second.insert(bloom.BitsOf(value)[1]);
  }
  EXPECT_GT(second.size(), 6u);
  EXPECT_THAT(bloom.BitsOf(0), ElementsAre(0, 6));
  EXPECT_THAT(bloom.BitsOf(11), ElementsAre(11, 29));
}

TEST(BloomTest, ReadsWhatItWritesAndNothingElse) {
  BloomOptions options = Usual();
  options.bits = 13;
  options.hashes = 1;
  const Bloom bloom = Bloom::Create(options).value();
  EXPECT_EQ(bloom.report_bytes(), 3u);
  SeededRandom random(1);
  std::vector<uint8_t> report(3);
  for (int i = 0; i < 100; ++i) {
    bloom.Say(bloom.DrawMemo(5, random), random, absl::MakeSpan(report));
    ASSERT_EQ(bloom.Decode(report), ReportState::kValid);
    bloom.DrawUniform(random, absl::MakeSpan(report));
    ASSERT_EQ(bloom.Decode(report), ReportState::kValid);
  }
  report = {0, 0xFF, 0x1F};
  EXPECT_EQ(bloom.Decode(report), ReportState::kValid);
  EXPECT_TRUE(Bloom::Has(report, 12));
  report[2] = 0x20;
  EXPECT_EQ(bloom.Decode(report), ReportState::kOutOfRange);
  report = {1, 0, 0};
  EXPECT_EQ(bloom.Decode(report), ReportState::kOutOfRange);
  report.push_back(0);
  EXPECT_EQ(bloom.Decode(report), ReportState::kMalformed);
}

// Each bit of 40,000 reports by memos of their own: set with 0.6875 and else with 0.5625; six
// standard deviations, 0.0025 each, 2e-9 a bit. One memo's reports, 40,000: bits with 0.75 or 0.5.
TEST(BloomTest, BitsComeAsTheResponsesSay) {
  constexpr int kReports = 40000;
  const Bloom bloom = Bloom::Create(Usual()).value();
  const absl::Span<const uint8_t> own = bloom.BitsOf(7);
  SeededRandom random(2);
  const BloomMemo memo = bloom.DrawMemo(7, random);
  std::vector<int> anew(32, 0), again(32, 0);
  std::vector<uint8_t> report(bloom.report_bytes());
  for (int i = 0; i < kReports; ++i) {
    bloom.Say(bloom.DrawMemo(7, random), random, absl::MakeSpan(report));
    for (size_t bit = 0; bit < 32; ++bit) anew[bit] += Bloom::Has(report, bit);
    bloom.Say(memo, random, absl::MakeSpan(report));
    for (size_t bit = 0; bit < 32; ++bit) again[bit] += Bloom::Has(report, bit);
  }
  for (size_t bit = 0; bit < 32; ++bit) {
    const bool set = bit == own[0] || bit == own[1];
    EXPECT_NEAR(static_cast<double>(anew[bit]) / kReports, set ? 0.6875 : 0.5625, 0.015) << bit;
    EXPECT_NEAR(static_cast<double>(again[bit]) / kReports, memo[bit] ? 0.75 : 0.5, 0.015) << bit;
  }
}

// With the exact expectations of the counts least squares gives back the shares.
TEST(BloomWeightsTest, UnmixWhatTheValuesShare) {
  for (const int64_t hashes : {1, 2, 3}) {
    BloomOptions options = Usual();
    options.hashes = hashes;
    options.bits = hashes == 3 ? 16 : 32;
    const absl::StatusOr<Bloom> bloom = Bloom::Create(options);
    ASSERT_TRUE(bloom.ok()) << bloom.status();
    constexpr double kRisen = 0.25, kKept = 0.75;
    const std::vector<double> holders = {400, 200, 100, 0, 0, 40, 20, 0, 40, 0, 0, 0};
    std::vector<double> bits(static_cast<size_t>(options.bits), 800 * kRisen);
    for (size_t v = 0; v < holders.size(); ++v) {
      for (const uint8_t bit : bloom->BitsOf(v)) bits[bit] += holders[v] * (kKept - kRisen);
    }
    std::vector<int64_t> counts;
    for (size_t v = 0; v < holders.size(); ++v) {
      double count = 0;
      for (const uint8_t bit : bloom->BitsOf(v)) count += bits[bit];
      counts.push_back(static_cast<int64_t>(count));
    }
    const std::vector<double> lone = BloomWeights(*bloom).LoneCounts(counts, 800 * kRisen);
    for (size_t v = 0; v < holders.size(); ++v) {
      EXPECT_NEAR((lone[v] - 800 * kRisen) / (kKept - kRisen), holders[v], 1e-6) << hashes;
    }
  }
}

TEST(BloomWeightsTest, OneBitEachHasTheErrorOfALoneBit) {
  BloomOptions options = Usual();
  options.hashes = 1;
  const Bloom bloom = Bloom::Create(options).value();
  const BloomWeights weights(bloom);
  const Support bit{.holder = 0.6, .other = 0.1, .separation = 0.5};
  std::vector<double> frequencies(12, 0);
  frequencies[4] = 0.3;
  EXPECT_NEAR(weights.Variance(4, bit, frequencies), EstimateVariance(bit, 0.3, 1), 1e-12);
  EXPECT_EQ(weights.MostWeight(), 1);
  EXPECT_EQ(weights.MostReach(), 1);
  EXPECT_NEAR(AverageSquaredError(bloom, bit, 100), AverageSquaredError(bit, 12, 100), 1e-15);
}

}  // namespace
}  // namespace tombola::mechanism
