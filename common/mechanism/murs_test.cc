#include "common/mechanism/murs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/accounting/blanket.h"
#include "common/table/threshold.h"
#include "tests/support/seeded_random.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

LocalHashOptions Options() {
  return {.family = HashFamily::kPlane,
          .range = 251,
          .blanket_threshold = BlanketThreshold(251, 800),
          .domain_size = 600};
}

Murs Make(int64_t fakes) { return Murs::Create(Options(), fakes).value(); }

TEST(MursTest, RefusesEachBrokenField) {
  const auto expect_refused = [](const LocalHashOptions& options, int64_t fakes,
                                 const std::string& message) {
    const absl::StatusOr<Murs> made = Murs::Create(options, fakes);
    ASSERT_EQ(made.status().code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(std::string(made.status().message()), HasSubstr(message));
  };
  for (const int64_t fakes : {int64_t{-1}, int64_t{0}, (int64_t{1} << 32) + 1}) {
    expect_refused(Options(), fakes, "murs.fakes");
  }
  EXPECT_TRUE(Murs::Create(Options(), int64_t{1} << 32).ok());
  LocalHashOptions broken = Options();
  broken.range = 252;
  expect_refused(broken, 1, "murs: local_hash.range is 252");
  broken = Options();
  broken.blanket_threshold = 0;
  expect_refused(broken, 1, "murs: local_hash.blanket_threshold is 0");
}

TEST(MursTest, SaysWhatItIs) {
  const Murs murs = Make(60000);
  EXPECT_EQ(std::string(murs.name()), "murs");
  EXPECT_EQ(murs.domain_size(), 600);
  EXPECT_EQ(murs.report_bytes(), PlaneReport::kBytes);
  EXPECT_EQ(murs.max_reports_per_submission(), 1);
  EXPECT_EQ(murs.expected_reports_per_submission(), 1);
  EXPECT_EQ(murs.fakes(), 60000);
  EXPECT_EQ(murs.parameters().fakes, 60000);
  EXPECT_EQ(murs.parameters().range, 251);
  EXPECT_EQ(murs.local_epsilon(), murs.local_hash().local_epsilon());
}

TEST(MursTest, GuaranteesAgreeWithEachOtherAndWithTheAccountant) {
  const Murs murs = Make(2000);
  const double gamma = murs.local_hash().gamma();
  EXPECT_EQ(murs.Delta(20000, 0.5).value(),
            accounting::Delta({20000, 251, gamma, 2000, CollisionOf(251)}, 0.5).value());
  // Collisions count: two values share a bucket in one of 252 functions.
  EXPECT_LT(murs.Delta(20000, 0.5).value(),
            accounting::Delta({20000, 251, gamma, 2000}, 0.5).value());
  EXPECT_LT(murs.Delta(20000, 0.5).value(), murs.local_hash().Delta(20000, 0.5).value());
  const int64_t honest = murs.SmallestHonest(0.5, 1e-6).value();
  EXPECT_LT(honest, murs.local_hash().SmallestHonest(0.5, 1e-6).value());
  EXPECT_LE(murs.Delta(honest, 0.5).value(), 1e-6);
  EXPECT_GT(murs.Delta(honest - honest / 20, 0.5).value(), 1e-6);
  EXPECT_LE(murs.EpsilonAt(honest, 1e-6).value(), 0.5 * (1 + 1e-5));
}

// What the fakes are for: every report but the victim's is the observer's own.
TEST(MursTest, FakesHideTheOnlyHonestSubmission) {
  EXPECT_GT(Make(1).EpsilonAt(1, 1e-6).value(), 6);
  EXPECT_LT(Make(100000).EpsilonAt(1, 1e-6).value(), 0.5);
  EXPECT_EQ(Make(100000).SmallestHonest(0.5, 1e-6).value(), 1);
}

// Fakes add r s (1 - s) / (n (p - s))^2 to the variance, s = 1/g.
TEST(MursTest, ErrorIsThatOfLocalHashingAndTheFakes) {
  const Murs murs = Make(60000);
  const double n = 600000;
  const double s = 1 / 251.0;
  const double blur = 60000 * s * (1 - s) / std::pow(n * murs.local_hash().support().separation, 2);
  EXPECT_NEAR(murs.PredictedMse(600000) / (murs.local_hash().PredictedMse(600000) + blur), 1,
              1e-12);
}

// Of all 251 * 252 reports: a fake supports a given value with probability 1/251. Over 500,000
// fakes the number is Bin(500000, 1/251), of variance 1984: that it is 315 off its mean has
// probability below 2 exp(-315^2 / (2 (1984 + 315/3))) < 2e-10 (Bernstein).
TEST(MursTest, FakesSupportAValueAsOftenAsTheModelSays) {
  const Murs murs = Make(1);
  SeededRandom random(1);
  std::vector<uint8_t> bytes(murs.report_bytes());
  int supports = 0;
  for (int i = 0; i < 500000; ++i) {
    murs.DrawFake(random, absl::MakeSpan(bytes));
    PlaneReport report;
    ASSERT_EQ(murs.local_hash().Decode(bytes, &report), ReportState::kValid);
    if (murs.local_hash().Bucket(report, 123) == report.bucket) ++supports;
  }
  EXPECT_NEAR(supports, 500000 * murs.count_model().fake_support, 315);
}

}  // namespace
}  // namespace tombola::mechanism
