#include "common/mechanism/local_hash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/seeded_random.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

// gamma = g / (kappa + g), kappa = e^(local epsilon) - 1.
uint64_t Threshold(double range, double kappa) {
  return static_cast<uint64_t>(std::ceil(std::ldexp(range / (kappa + range), 64)));
}

LocalHashOptions PlaneOptions() {
  return {.family = HashFamily::kPlane,
          .range = 31,
          .blanket_threshold = Threshold(31, 64),
          .lane_bits = 0,
          .domain_size = 600};
}

LocalHashOptions AffineOptions() {
  return {.family = HashFamily::kAffine,
          .range = 16,
          .blanket_threshold = Threshold(16, 9),
          .lane_bits = 32,
          .domain_size = 600};
}

LocalHash Make(const LocalHashOptions& options) { return LocalHash::Create(options).value(); }

void ExpectRefused(const LocalHashOptions& options, const std::string& field,
                   const std::string& bound) {
  const absl::StatusOr<LocalHash> created = LocalHash::Create(options);
  ASSERT_EQ(created.status().code(), absl::StatusCode::kInvalidArgument) << field << " " << bound;
  EXPECT_THAT(std::string(created.status().message()), HasSubstr(field));
  EXPECT_THAT(std::string(created.status().message()), HasSubstr(bound));
}

TEST(LocalHashTest, AcceptsTheEndsOfEveryRange) {
  LocalHashOptions options = PlaneOptions();
  options.range = 29;  // the least prime >= 25
  EXPECT_TRUE(LocalHash::Create(options).ok());
  options.range = 2147483647;
  EXPECT_TRUE(LocalHash::Create(options).ok());
  options.blanket_threshold = 1;
  EXPECT_TRUE(LocalHash::Create(options).ok());
  options.blanket_threshold = ~uint64_t{0};
  EXPECT_TRUE(LocalHash::Create(options).ok());
  options = {HashFamily::kPlane, 2, 1, 0, 2};
  EXPECT_TRUE(LocalHash::Create(options).ok());
  options = {HashFamily::kAffine, 2, 1, 32, 2};
  EXPECT_TRUE(LocalHash::Create(options).ok());
  options = {HashFamily::kAffine, uint64_t{1} << 31, 1, 64, int64_t{1} << 24};
  EXPECT_TRUE(LocalHash::Create(options).ok());
  options = {HashFamily::kAffine, 256, 1, 32, int64_t{1} << 24};
  EXPECT_TRUE(LocalHash::Create(options).ok());
}

TEST(LocalHashTest, RefusesEachBrokenFieldOfAPlane) {
  LocalHashOptions options = PlaneOptions();
  options.range = 33;
  ExpectRefused(options, "local_hash.range", "prime");
  options.range = 23;
  ExpectRefused(options, "local_hash.range", "[25, 2^31)");
  options.range = 0;
  ExpectRefused(options, "local_hash.range", "prime");
  options.range = 2147483659;  // the first prime above 2^31
  ExpectRefused(options, "local_hash.range", "2^31");
  options = PlaneOptions();
  options.lane_bits = 32;
  ExpectRefused(options, "local_hash.lane_bits", "needs 0");
  options = PlaneOptions();
  options.blanket_threshold = 0;
  ExpectRefused(options, "local_hash.blanket_threshold", "at least 1");
  options = PlaneOptions();
  options.family = static_cast<HashFamily>(7);
  ExpectRefused(options, "local_hash.family", "plane or affine");
}

TEST(LocalHashTest, RefusesEachBrokenFieldOfAnAffineFamily) {
  LocalHashOptions options = AffineOptions();
  for (const uint64_t range : {uint64_t{0}, uint64_t{1}, uint64_t{17}, uint64_t{1} << 32}) {
    options.range = range;
    ExpectRefused(options, "local_hash.range", "power of two in [2, 2^31]");
  }
  options = AffineOptions();
  for (const uint32_t lane_bits : {0u, 16u, 31u, 33u, 128u}) {
    options.lane_bits = lane_bits;
    ExpectRefused(options, "local_hash.lane_bits", "32 or 64");
  }
  options = AffineOptions();
  options.range = uint64_t{1} << 23;  // 600 values take 10 bits
  ExpectRefused(options, "local_hash.lane_bits", "= 33");
  options.range = uint64_t{1} << 22;
  EXPECT_TRUE(LocalHash::Create(options).ok());
  options = AffineOptions();
  options.blanket_threshold = 0;
  ExpectRefused(options, "local_hash.blanket_threshold", "at least 1");
}

TEST(LocalHashTest, RefusesADomainOutsideItsBounds) {
  for (LocalHashOptions options : {PlaneOptions(), AffineOptions()}) {
    for (const int64_t domain : {int64_t{-1}, int64_t{0}, int64_t{1}, (int64_t{1} << 24) + 1}) {
      options.domain_size = domain;
      ExpectRefused(options, "domain.size", "[2, 2^24]");
    }
  }
}

TEST(LocalHashTest, ProbabilitiesAreThoseOfEquation7) {
  const LocalHash plane = Make(PlaneOptions());
  EXPECT_NEAR(plane.p(), 65.0 / 95, 1e-15);
  EXPECT_NEAR(plane.s(), 64.0 / 95 / 32 + 31.0 / 95 / 31, 1e-15);
  EXPECT_NEAR(plane.support().separation, plane.p() - plane.s(), 1e-15);
  const LocalHash affine = Make(AffineOptions());
  EXPECT_NEAR(affine.p(), 0.4, 1e-15);
  EXPECT_NEAR(affine.s(), 1.0 / 16, 1e-15);
  EXPECT_NEAR(affine.support().separation, affine.p() - affine.s(), 1e-15);
  EXPECT_NEAR(affine.local_epsilon(), std::log(10), 1e-13);
}

// Values of an independent implementation.
TEST(SupportTest, VarianceMatchesTheReference) {
  const Support support = UniversalSupport(16, 9.0 / 25);
  EXPECT_NEAR(EstimateVariance(support, 0, 20000) / 2.5720164609053494e-05, 1, 1e-8);
  EXPECT_NEAR(EstimateVariance(support, 1, 20000) / 0.0001053497942386831, 1, 1e-8);
  EXPECT_NEAR(EstimateVariance(Make(AffineOptions()).support(), 1, 20000) / 0.0001053497942386831,
              1, 1e-8);
}

TEST(SupportTest, AverageErrorMatchesTheReference) {
  EXPECT_NEAR(AverageSquaredError(UniversalSupport(247, 491.474 / 738.474), 600, 600000) /
                  1.6675239899208366e-08,
              1, 1e-8);
  EXPECT_NEAR(Make(PlaneOptions()).PredictedMse(60000) / 1.2087669094693027e-06, 1, 1e-8);
}

TEST(LocalHashTest, GammaIsNeverAboveTheTruthAndLocalEpsilonNeverBelow) {
  SeededRandom random(1);
  for (int i = 0; i < 2000; ++i) {
    LocalHashOptions options = PlaneOptions();
    options.blanket_threshold = (random.Next64() >> (i % 60)) | 1;
    const LocalHash local_hash = Make(options);
    const long double threshold = static_cast<long double>(options.blanket_threshold);
    EXPECT_LE(static_cast<long double>(local_hash.gamma()), std::ldexp(threshold, -64));
    const long double truthful = static_cast<long double>(-options.blanket_threshold);
    const long double truth = std::log1p(31.0L * truthful / threshold);
    EXPECT_GE(static_cast<long double>(local_hash.local_epsilon()), truth);
    EXPECT_LE(static_cast<long double>(local_hash.local_epsilon()), truth * (1 + 1e-9L) + 1e-14L);
  }
}

TEST(LocalHashTest, GuaranteesAgreeWithEachOther) {
  LocalHashOptions options = PlaneOptions();
  options.blanket_threshold = Threshold(31, 400);
  const LocalHash local_hash = Make(options);
  const int64_t honest = local_hash.SmallestHonest(0.5, 1e-6).value();
  EXPECT_LE(local_hash.Delta(honest, 0.5).value(), 1e-6);
  EXPECT_GT(local_hash.Delta(honest - honest / 20, 0.5).value(), 1e-6);
  EXPECT_LE(local_hash.EpsilonAt(honest, 1e-6).value(), 0.5 * (1 + 1e-5));
  EXPECT_LE(local_hash.EpsilonAt(2, 1e-6).value(), local_hash.local_epsilon());
}

TEST(LocalHashTest, GuaranteesCountTheFamilysCollisionsIn) {
  for (LocalHashOptions options : {PlaneOptions(), AffineOptions()}) {
    const auto range = static_cast<double>(options.range);
    options.blanket_threshold = Threshold(range, 400);
    const LocalHash local_hash = Make(options);
    const accounting::Blanket blanket = local_hash.BlanketOf(30000, 7);
    EXPECT_EQ(blanket.honest, 30000);
    EXPECT_EQ(blanket.fakes, 7);
    EXPECT_EQ(blanket.collision, CollisionOf(options.family, range));
    const double any_family = accounting::Delta({30000, range, local_hash.gamma()}, 0.3).value();
    EXPECT_LT(local_hash.Delta(30000, 0.3).value(), any_family * (1 - 0.5 / range));
  }
}

TEST(LocalHashTest, ReportsHaveOneLength) {
  EXPECT_EQ(Make(PlaneOptions()).report_bytes(), 10u);
  EXPECT_EQ(Make(AffineOptions()).report_bytes(), 23u);
  EXPECT_EQ(Make(PlaneOptions()).max_reports_per_submission(), 1);
  EXPECT_EQ(std::string(Make(PlaneOptions()).name()), "local_hash");
}

// q = 3: 4 functions of 3 buckets, 12 reports. 12,000 fakes: Pr[chi-square with 11 degrees of
// freedom > 80] <= (x/k e^(1 - x/k))^(k/2) with x/k = 7.27, below 1e-10 (Chernoff).
TEST(LocalHashTest, FakesAreUniformOverAllReports) {
  const LocalHash local_hash = Make({HashFamily::kPlane, 3, 1, 0, 9});
  SeededRandom random(2);
  std::vector<int> counts(12, 0);
  for (int i = 0; i < 12000; ++i) {
    std::vector<uint8_t> bytes(local_hash.report_bytes());
    local_hash.DrawFake(random, absl::MakeSpan(bytes));
    PlaneReport report;
    ASSERT_EQ(local_hash.Decode(bytes, &report), ReportState::kValid);
    ++counts[report.function * 3 + report.bucket];
  }
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_square, 80);
}

TEST(LocalHashTest, AffineFakesFillTheirLanes) {
  for (const uint32_t lane_bits : {32u, 64u}) {
    LocalHashOptions options = AffineOptions();
    options.lane_bits = lane_bits;
    const LocalHash local_hash = Make(options);
    SeededRandom random(3);
    uint64_t multipliers = 0;
    uint64_t offsets = 0;
    std::set<uint32_t> buckets;
    // A bit that is never set, or a bucket that never occurs, has probability below
    // 128 * 2^-2000 + 16 * (15/16)^2000 < 1e-54.
    for (int i = 0; i < 2000; ++i) {
      std::vector<uint8_t> bytes(local_hash.report_bytes());
      local_hash.DrawFake(random, absl::MakeSpan(bytes));
      AffineReport report;
      ASSERT_EQ(local_hash.Decode(bytes, &report), ReportState::kValid);
      multipliers |= report.multiplier;
      offsets |= report.offset;
      buckets.insert(report.bucket);
    }
    EXPECT_EQ(multipliers, ~uint64_t{0} >> (64 - lane_bits));
    EXPECT_EQ(offsets, ~uint64_t{0} >> (64 - lane_bits));
    EXPECT_EQ(buckets.size(), 16u);
  }
}

TEST(LocalHashTest, DecodingTellsOutOfRangeFromMalformed) {
  const LocalHash plane = Make(PlaneOptions());
  std::vector<uint8_t> bytes(PlaneReport::kBytes);
  PlaneReport decoded;
  for (const auto& [report, state] : std::vector<std::pair<PlaneReport, ReportState>>{
           {{31, 30}, ReportState::kValid},
           {{32, 30}, ReportState::kOutOfRange},
           {{31, 31}, ReportState::kOutOfRange},
           {{0xffffffff, 0}, ReportState::kOutOfRange}}) {
    Write(report, absl::MakeSpan(bytes));
    EXPECT_EQ(plane.Decode(bytes, &decoded), state);
  }
  bytes.push_back(0);
  EXPECT_EQ(plane.Decode(bytes, &decoded), ReportState::kMalformed);

  const LocalHash affine = Make(AffineOptions());
  bytes.resize(AffineReport::kBytes);
  AffineReport decoded_affine;
  for (const auto& [report, state] : std::vector<std::pair<AffineReport, ReportState>>{
           {{0xffffffff, 0xffffffff, 15}, ReportState::kValid},
           {{0x100000000, 0, 0}, ReportState::kOutOfRange},
           {{0, 0x100000000, 0}, ReportState::kOutOfRange},
           {{0, 0, 16}, ReportState::kOutOfRange}}) {
    Write(report, absl::MakeSpan(bytes));
    EXPECT_EQ(affine.Decode(bytes, &decoded_affine), state);
  }
  bytes[0] ^= 1;
  EXPECT_EQ(affine.Decode(bytes, &decoded_affine), ReportState::kMalformed);
}

}  // namespace
}  // namespace tombola::mechanism
