// Real reports through the real aggregator and estimator: no submission that a task allows moves a
// raw frequency further than is stated, and the worst one as far.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/encode/encoder.h"
#include "client/encode/test_mechanisms.h"
#include "collector/aggregate/aggregator.h"
#include "collector/estimate/estimator.h"
#include "collector/quality/warnings.h"
#include "common/table/value_report.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using mechanism::HashFamily;
using mechanism::Mechanism;

constexpr int64_t kDomain = 12;
constexpr int kDevices = 50;

template <typename Report>
std::string Bytes(const Report& report) {
  std::string bytes(Report::kBytes, '\0');
  mechanism::Write(report, absl::MakeSpan(reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()));
  return bytes;
}

class ShiftTest : public ::testing::TestWithParam<std::shared_ptr<const Mechanism>> {
 protected:
  // The raw frequencies of the honest devices' reports with one more submission, and with the
  // shuffler's fakes.
  std::vector<double> RawWith(const std::string& submission) {
    const auto aggregator = MakeAggregator(GetParam());
    const size_t bytes = GetParam()->report_bytes();
    const std::string reports = honest_ + submission;
    const auto all =
        absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(reports.data()), reports.size());
    for (size_t at = 0; at < all.size(); at += bytes) {
      EXPECT_EQ(aggregator->Add(all.subspan(at, bytes)), mechanism::ReportState::kValid);
    }
    return Estimator(*GetParam()).Estimate(aggregator->counts(), tally_)->raw;
  }

  // One report that speaks for the value, or one that does not speak for it: against it, where it
  // can.
  std::string Extreme(uint32_t value, bool for_it) {
    const auto* hashing = GetParam()->hashing();
    if (hashing != nullptr && hashing->options().family == HashFamily::kPlane) {
      auto report = hashing->DrawPlane(random_);
      report.bucket = hashing->Bucket(report, value);
      if (!for_it) report.bucket = (report.bucket + 1) % hashing->options().range;
      return Bytes(report);
    }
    if (hashing != nullptr) {
      auto report = hashing->DrawAffine(random_);
      report.bucket = hashing->Bucket(report, value);
      if (!for_it) report.bucket = (report.bucket + 1) % hashing->options().range;
      return Bytes(report);
    }
    if (GetParam()->layout() == mechanism::Layout::kSigned) {
      const auto change = static_cast<int32_t>(value) + 1;
      return Bytes(mechanism::SignedReport{for_it ? change : -change});
    }
    if (const mechanism::Bloom* const bloom = GetParam()->bloom()) {
      std::string report(bloom->report_bytes(), '\0');
      for (const uint8_t bit : bloom->BitsOf(value)) {
        if (for_it) report[1 + bit / 8] = static_cast<char>(1 << (bit % 8));
      }
      return report;
    }
    const auto other = static_cast<uint32_t>((value + 1) % kDomain);
    return Bytes(mechanism::ValueReport{for_it ? value : other});
  }

  std::string Submission(uint32_t value, bool for_it) {
    std::string reports;
    for (int64_t i = 0; i < GetParam()->max_reports_per_submission(); ++i) {
      reports += Extreme(value, for_it);
    }
    return reports;
  }

  void SetUp() override {
    const auto encoder = client::MakeEncoder(GetParam());
    for (int i = 0; i + 1 < kDevices; ++i) {
      encoder->Encode(static_cast<uint64_t>(i) % kDomain, random_, &honest_);
    }
    tally_ = {.submissions = kDevices, .fakes = GetParam()->fakes()};
    const size_t sent = honest_.size();
    honest_.resize(sent + static_cast<size_t>(tally_.fakes) * GetParam()->report_bytes());
    const auto all = absl::MakeSpan(reinterpret_cast<uint8_t*>(honest_.data()), honest_.size());
    for (size_t at = sent; at < all.size(); at += GetParam()->report_bytes()) {
      GetParam()->DrawFake(random_, all.subspan(at, GetParam()->report_bytes()));
    }
    bound_ = ShiftPerDishonest(*GetParam(), *GetParam(), tally_);
  }

  SeededRandom random_{7};
  std::string honest_;
  mechanism::Tally tally_;
  double bound_ = 0;
};

TEST_P(ShiftTest, TheWorstSubmissionReachesTheBoundAtEveryValue) {
  for (uint32_t value = 0; value < kDomain; ++value) {
    const double up = RawWith(Submission(value, true))[value];
    const double down = RawWith(Submission(value, false))[value];
    EXPECT_NEAR((up - down) / bound_, 1, 1e-9) << value;
  }
}

TEST_P(ShiftTest, NoOtherSubmissionExceedsIt) {
  const auto encoder = client::MakeEncoder(GetParam());
  std::vector<double> least(kDomain, 1e300), most(kDomain, -1e300);
  const auto note = [&](const std::string& submission) {
    const std::vector<double> raw = RawWith(submission);
    for (size_t v = 0; v < raw.size(); ++v) {
      least[v] = std::min(least[v], raw[v]);
      most[v] = std::max(most[v], raw[v]);
    }
  };
  const size_t bytes = GetParam()->report_bytes();
  const auto cap = static_cast<uint64_t>(GetParam()->max_reports_per_submission());
  for (int trial = 0; trial < 60; ++trial) {
    const auto value = static_cast<uint32_t>(UniformBelow(kDomain, random_));
    // An honest one; one of any reports and any number of them up to the cap; the extremes.
    std::string reports;
    encoder->Encode(value, random_, &reports);
    note(reports);
    reports.assign((1 + UniformBelow(cap, random_)) * bytes, '\0');
    const auto all = absl::MakeSpan(reinterpret_cast<uint8_t*>(reports.data()), reports.size());
    for (size_t at = 0; at < all.size(); at += bytes) {
      GetParam()->DrawFake(random_, all.subspan(at, bytes));
    }
    note(reports);
    note(Submission(value, trial % 2 == 0));
  }
  for (size_t v = 0; v < least.size(); ++v) {
    EXPECT_LE(most[v] - least[v], bound_ * (1 + 1e-9)) << v;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShiftTest,
                         ::testing::ValuesIn(client::EveryMechanism(kDomain, kDevices)),
                         client::MechanismName<::testing::TestParamInfo<ShiftTest::ParamType>>);

}  // namespace
}  // namespace tombola::collector
