#include "common/mechanism/strings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "common/mechanism/grr.h"
#include "common/mechanism/pure_dump.h"
#include "tests/support/seeded_random.h"

namespace tombola::mechanism {
namespace {

using strings::Shape;
using strings::StringMessages;
using strings::StringReport;
using ::testing::HasSubstr;

constexpr uint64_t kQuarter = uint64_t{1} << 62;
constexpr DummyOptions kSomeDummies{.rate = uint64_t{4} << 40, .honest = 1000, .max = 40};

Shape ThreeLevels(int64_t range) {
  return *Shape::Create({.symbols = 5, .length = 6, .step = 2, .range = range});
}

std::shared_ptr<const Strings> Make(StringMessages messages, int64_t range = 256) {
  const auto made = Strings::Create(
      ThreeLevels(range),
      {.messages = messages, .blanket_threshold = kQuarter, .dummies = kSomeDummies});
  EXPECT_TRUE(made.ok()) << made.status();
  return *made;
}

// Guarantees are those of mechanisms that know nothing but the buckets.
void ExpectHidesAs(const Strings& strings, const Mechanism& buckets, double epsilon) {
  EXPECT_EQ(*strings.Delta(1000, epsilon), *buckets.Delta(1000, epsilon));
  EXPECT_GT(*strings.Delta(1000, epsilon), 0);
  EXPECT_EQ(*strings.EpsilonAt(1000, 0.05), *buckets.EpsilonAt(1000, 0.05));
  EXPECT_EQ(strings.local_epsilon(), buckets.local_epsilon());
  EXPECT_EQ(strings.max_reports_per_submission(), buckets.max_reports_per_submission());
  EXPECT_EQ(strings.expected_reports_per_submission(), buckets.expected_reports_per_submission());
  EXPECT_EQ(strings.own_reports_per_submission(), buckets.own_reports_per_submission());
}

TEST(StringsMechanismTest, HidesAsRandomisedResponseOverBucketsDoes) {
  const auto grr = Grr::Create({.blanket_threshold = kQuarter, .domain_size = 256, .filling = {}});
  ExpectHidesAs(*Make(StringMessages::kOne), *grr, 0.3);
  EXPECT_EQ(Make(StringMessages::kOne)->gamma(), 0.25);
}

TEST(StringsMechanismTest, HidesAsDummiesOverBucketsDo) {
  ExpectHidesAs(*Make(StringMessages::kDummies), *PureDump::Create(kSomeDummies, 256), 0.3);
  ExpectHidesAs(*Make(StringMessages::kEveryLevel),
                *PureDump::Create(kSomeDummies, 3 * 256, {.held = 3, .sent = 3, .units = 1}), 0.3);
}

TEST(StringsMechanismTest, ACellIsItsReport) {
  const auto strings = Make(StringMessages::kOne);
  EXPECT_EQ(strings->domain_size(), 3 * 256 * 256);
  EXPECT_EQ(strings->CellOf({.level = 2, .function = 255, .bucket = 255}), 3u * 256 * 256 - 1);
  for (const uint64_t cell : {uint64_t{0}, uint64_t{255}, uint64_t{256}, uint64_t{70000}}) {
    EXPECT_EQ(strings->CellOf(strings->ReportOf(cell)), cell);
  }
  std::array<uint8_t, StringReport::kBytes> bytes{};
  EXPECT_EQ(strings->report_bytes(), bytes.size());
  SeededRandom random(1);
  strings->DrawFake(random, absl::MakeSpan(bytes));
  EXPECT_TRUE(strings::ReadStringReport(bytes, strings->shape()).ok());
}

// 100,000 draws with a blanket of 1/4 over 64 buckets: another bucket than the own one comes with
// probability 63/256. Each of the two counts below is off by more than six standard deviations with
// probability 2e-9.
TEST(StringsMechanismTest, SaysAnotherBucketAsOftenAsTheBlanketSays) {
  constexpr int kDraws = 100000;
  const auto strings = Make(StringMessages::kOne, 64);
  const StringReport own{.level = 1, .function = 77, .bucket = 9};
  SeededRandom random(2);
  int others = 0;
  int in_first_half = 0;
  for (int i = 0; i < kDraws; ++i) {
    const StringReport said = strings->Randomised(strings->CellOf(own), random);
    ASSERT_EQ(said.level, own.level);
    ASSERT_EQ(said.function, own.function);
    ASSERT_LT(said.bucket, 64u);
    if (said.bucket == own.bucket) continue;
    ++others;
    in_first_half += said.bucket < 32 ? 1 : 0;
  }
  const double expected = 63.0 / 256;
  EXPECT_NEAR(others, kDraws * expected, 6 * std::sqrt(kDraws * expected * (1 - expected)));
  const double half = 31.0 / 63;
  EXPECT_NEAR(in_first_half, others * half, 6 * std::sqrt(others * half * (1 - half)));
  // The cell of a string is said as it is where dummies hide it.
  const auto dumped = Make(StringMessages::kDummies, 64);
  EXPECT_EQ(dumped->Randomised(dumped->CellOf(own), random), own);
}

// 98,304 draws of 3 levels, 256 functions and 64 buckets, each of whose 323 counts is off by more
// than seven standard deviations with probability 2.6e-12.
TEST(StringsMechanismTest, FakesAreUniform) {
  constexpr int kDraws = 98304;
  const auto strings = Make(StringMessages::kOne, 64);
  std::vector<int> levels(3), functions(256), buckets(64);
  SeededRandom random(3);
  for (int i = 0; i < kDraws; ++i) {
    const StringReport drawn = strings->AnyReport(random);
    ++levels.at(drawn.level);
    ++functions.at(drawn.function);
    ++buckets.at(drawn.bucket);
  }
  for (const std::vector<int>* const counts : {&levels, &functions, &buckets}) {
    const double share = 1.0 / static_cast<double>(counts->size());
    for (const int count : *counts) {
      EXPECT_NEAR(count, kDraws * share, 7 * std::sqrt(kDraws * share * (1 - share)));
    }
  }
}

TEST(StringsMechanismTest, AnEstimateIsOfOneLevel) {
  const CountModel one = Make(StringMessages::kOne)->count_model();
  EXPECT_NEAR(Signal(one), 0.75 * (1 - 1.0 / 256) / 3, 1e-15);
  const CountModel every = Make(StringMessages::kEveryLevel)->count_model();
  EXPECT_NEAR(Signal(every), 1 - 1.0 / 256, 1e-15);
  EXPECT_NEAR(every.noise_mean,
              Make(StringMessages::kEveryLevel)->expected_reports_per_submission() / (3 * 256) -
                  3.0 / (3 * 256),
              1e-12);
}

TEST(StringsMechanismTest, RefusesWhatIsOutOfBounds) {
  const auto refusal = [](const Shape& shape, const StringsOptions& options) {
    const auto made = Strings::Create(shape, options);
    EXPECT_TRUE(absl::IsInvalidArgument(made.status())) << made.status();
    return std::string(made.status().message());
  };
  EXPECT_THAT(refusal(ThreeLevels(64), {.messages = StringMessages::kOne}),
              HasSubstr("strings.one_message.blanket_threshold"));
  EXPECT_THAT(refusal(ThreeLevels(64), {.messages = StringMessages::kDummies}),
              HasSubstr("strings.dummies."));
  EXPECT_THAT(refusal(ThreeLevels(int64_t{1} << 23),
                      {.messages = StringMessages::kEveryLevel, .dummies = kSomeDummies}),
              HasSubstr("2^24 buckets"));
}

}  // namespace
}  // namespace tombola::mechanism
