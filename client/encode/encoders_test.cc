// What every encoder promises, and what each of them sends.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/encode/encoder.h"
#include "client/encode/test_mechanisms.h"
#include "common/table/value_report.h"
#include "tests/support/seeded_random.h"

namespace tombola::client {
namespace {

constexpr int64_t kDomain = 250;

std::vector<std::string> Split(const std::string& bytes, size_t size) {
  std::vector<std::string> reports;
  for (size_t at = 0; at < bytes.size(); at += size) reports.push_back(bytes.substr(at, size));
  return reports;
}

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

class EveryEncoderTest
    : public ::testing::TestWithParam<std::shared_ptr<const mechanism::Mechanism>> {
 protected:
  std::vector<std::string> Encode(uint64_t value, RandomSource& random) const {
    std::string bytes;
    const int64_t number = encoder_->Encode(value, random, &bytes);
    EXPECT_EQ(bytes.size(), static_cast<size_t>(number) * GetParam()->report_bytes());
    return Split(bytes, GetParam()->report_bytes());
  }

  const std::unique_ptr<Encoder> encoder_ = MakeEncoder(GetParam());
};

using SeveralReportsTest = EveryEncoderTest;

// From the same random words two values make submissions of the same number of reports, which draw
// the same number of words and differ in one place at most.
TEST_P(EveryEncoderTest, OnlyOneReportDependsOnTheValue) {
  int differ = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SeededRandom first(seed);
    SeededRandom second(seed);
    const auto a = Encode(0, first);
    const auto b = Encode(kDomain - 1, second);
    ASSERT_EQ(a.size(), b.size());
    ASSERT_EQ(first.draws(), second.draws());
    int places = 0;
    for (size_t i = 0; i < a.size(); ++i) places += a[i] != b[i];
    ASSERT_LE(places, 1);
    differ += places;
  }
  EXPECT_GT(differ, 100);
}

// Where they differ is the device's own report: in a submission of m reports each place must be as
// likely as any. Chi-square over submissions of two to twelve reports, 1 + 2 + ... + 11 = 66
// degrees of freedom at most; beyond 180 with probability at most (2.73 e^-1.73)^33 = 4e-11
// (Chernoff).
TEST_P(SeveralReportsTest, NoPlaceIsTheDevicesOwn) {
  constexpr size_t kMost = 12;
  std::array<std::array<int, kMost>, kMost + 1> counts = {};
  for (uint64_t seed = 0; seed < 40000; ++seed) {
    SeededRandom first(seed);
    SeededRandom second(seed);
    const auto a = Encode(3, first);
    const auto b = Encode(4, second);
    if (a.size() > kMost) continue;
    for (size_t i = 0; i < a.size(); ++i) counts[a.size()][i] += a[i] != b[i];
  }
  double chi_square = 0;
  int total = 0;
  for (size_t reports = 2; reports <= kMost; ++reports) {
    double sum = 0;
    for (size_t i = 0; i < reports; ++i) sum += counts[reports][i];
    if (sum < 10 * static_cast<double>(reports)) continue;
    total += static_cast<int>(sum);
    const double expected = sum / static_cast<double>(reports);
    for (size_t i = 0; i < reports; ++i) {
      chi_square += (counts[reports][i] - expected) * (counts[reports][i] - expected) / expected;
    }
  }
  EXPECT_GT(total, 1000);
  EXPECT_LT(chi_square, 180);
}

// Six standard deviations of the mean, measured: about 2e-9.
TEST_P(EveryEncoderTest, SendsAsManyReportsAsTheMechanismSays) {
  constexpr int kSamples = 20000;
  SeededRandom random(7);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kSamples; ++i) {
    const auto number = static_cast<double>(Encode(5, random).size());
    ASSERT_GE(number, 1);
    ASSERT_LE(number, static_cast<double>(GetParam()->max_reports_per_submission()));
    sum += number;
    squares += number * number;
  }
  const double mean = sum / kSamples;
  const double deviation = std::sqrt((squares / kSamples - mean * mean) / kSamples);
  EXPECT_NEAR(mean, GetParam()->expected_reports_per_submission(), 6 * deviation + 1e-12);
}

TEST_P(EveryEncoderTest, AppendsToWhatIsThere) {
  SeededRandom random(8);
  std::string out = "kept";
  const int64_t first = encoder_->Encode(0, random, &out);
  const int64_t second = encoder_->Encode(kDomain - 1, random, &out);
  EXPECT_EQ(out.size(), 4 + static_cast<size_t>(first + second) * GetParam()->report_bytes());
  EXPECT_EQ(out.substr(0, 4), "kept");
}

using EveryEncoderDeathTest = EveryEncoderTest;

TEST_P(EveryEncoderDeathTest, AValueOutsideTheDomainIsABrokenInvariant) {
  SeededRandom random(9);
  std::string out;
  EXPECT_DEATH(encoder_->Encode(kDomain, random, &out), "check failed");
}

std::vector<std::shared_ptr<const mechanism::Mechanism>> OfSeveralReports() {
  auto all = EveryMechanism(kDomain, 500);
  std::erase_if(all, [](const auto& each) { return each->max_reports_per_submission() == 1; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, SeveralReportsTest, ::testing::ValuesIn(OfSeveralReports()),
                         MechanismName<::testing::TestParamInfo<EveryEncoderTest::ParamType>>);
INSTANTIATE_TEST_SUITE_P(All, EveryEncoderTest, ::testing::ValuesIn(EveryMechanism(kDomain, 500)),
                         MechanismName<::testing::TestParamInfo<EveryEncoderTest::ParamType>>);
INSTANTIATE_TEST_SUITE_P(All, EveryEncoderDeathTest,
                         ::testing::ValuesIn(EveryMechanism(kDomain, 500)),
                         MechanismName<::testing::TestParamInfo<EveryEncoderTest::ParamType>>);

uint32_t ValueOf(const std::string& report) {
  mechanism::ValueReport decoded;
  EXPECT_TRUE(mechanism::Read(Bytes(report), &decoded));
  return decoded.value;
}

// The value with probability 0.7 + 0.3 / 20, each other with 0.3 / 20: 19 degrees of freedom,
// beyond 100 with probability at most (100/19 e^(1 - 100/19))^9.5 = 2e-11.
TEST(GrrEncoderTest, SendsTheValueOrAUniformOneOfAll) {
  constexpr int kSamples = 200000;
  const auto grr = std::make_shared<const mechanism::Grr>(
      mechanism::Grr::Create({.blanket_threshold = TestThreshold(0.3), .domain_size = 20}).value());
  const auto encoder = MakeEncoder(grr);
  SeededRandom random(1);
  std::vector<int> counts(20, 0);
  for (int i = 0; i < kSamples; ++i) {
    std::string report;
    encoder->Encode(7, random, &report);
    ++counts.at(ValueOf(report));
  }
  double chi_square = 0;
  for (size_t v = 0; v < counts.size(); ++v) {
    const double expected = kSamples * (0.3 / 20 + (v == 7 ? 0.7 : 0));
    chi_square += (counts[v] - expected) * (counts[v] - expected) / expected;
  }
  EXPECT_LT(chi_square, 100);
}

// What stands for certain in each submission, so that nothing but noise is added to a count.
TEST(UnrandomisedValueTest, IsAlwaysAmongTheReports) {
  for (const auto& mechanism : EveryMechanism(kDomain, 500)) {
    const absl::string_view name = mechanism->name();
    if (name != "aue" && name != "pure_dump" && name != "correlated") continue;
    const auto encoder = MakeEncoder(mechanism);
    SeededRandom random(2);
    for (uint64_t value = 0; value < kDomain; ++value) {
      std::string bytes;
      encoder->Encode(value, random, &bytes);
      int own = 0;
      for (const std::string& report : Split(bytes, 5)) {
        mechanism::SignedReport change;
        own += name == "correlated" ? mechanism::Read(Bytes(report), &change) &&
                                          change.change == static_cast<int32_t>(value) + 1
                                    : ValueOf(report) == value;
      }
      EXPECT_GE(own, 1) << name;
    }
  }
}

}  // namespace
}  // namespace tombola::client
