#include <cmath>
#include <map>

#include "cli/audit/experiment.h"
#include "cli/simulation/generator.h"
#include "gtest/gtest.h"
#include "lab/audit/lprr_device.h"
#include "lab/audit/lrr_kv_device.h"
#include "lab/key_value/lrr_kv.h"

namespace tombola::lab {
namespace {

using simulation::Generator;

TEST(LrrKvDeviceTest, ReportsByItsLaw) {
  const Setting setting = {.keys = 3, .items = 2, .epsilon = 1};
  const LrrKvDevice device(setting);
  const std::vector<Pair> record = {{0, 0.5f}};
  const std::vector<double> law = LrrKv(setting).ReportLaw(record);
  Generator random(1);
  constexpr int kReports = 200000;
  std::vector<int64_t> seen(law.size(), 0);
  for (int i = 0; i < kReports; ++i) {
    const SignedKey report = device.Report(record, random);
    ++seen[2 * report.key + (report.plus ? 0 : 1)];
  }
  for (size_t cell = 0; cell < law.size(); ++cell) {
    // Ten counts, each off by six standard deviations with probability 2e-9.
    EXPECT_NEAR(static_cast<double>(seen[cell]), kReports * law[cell],
                6 * std::sqrt(kReports * law[cell]));
  }
}

// At 99.9999 % confidence: what the audit says is wrong with probability 1e-6.
TEST(LrrKvAuditTest, RefutesTheClaimWithOneItemAndNotWithMany) {
  const cli::AuditOptions options = {.samples = 1000000, .confidence = 0.999999};
  Generator random(2);
  const Setting one = {.keys = 3, .items = 1, .epsilon = 1};
  LrrKvTrial broken(one);
  const auto found = cli::Audit(broken, options, random);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_GT(found->lower_bound, one.epsilon);
  EXPECT_GT(found->lower_bound, 1.19);  // of 1.2195
  EXPECT_LE(found->lower_bound, LrrKv(one).law().epsilon);

  const Setting two = {.keys = 3, .items = 2, .epsilon = 1};
  LrrKvTrial wasteful(two);
  const auto kept = cli::Audit(wasteful, options, random);
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_LT(kept->lower_bound, LrrKv(two).law().epsilon);
}

TEST(LprrDeviceTest, ReportsItsOwnNodesUniformly) {
  const LprrDevice device(PlaceTree(4, 2), 2, 3);
  const int32_t row[] = {1, 2};
  Generator random(1);
  constexpr int kReports = 40000;
  std::map<std::pair<int, int>, int> seen;
  for (int i = 0; i < kReports; ++i) {
    const std::vector<PathNode> report = device.Report(row, random);
    ASSERT_TRUE(device.Possible(row, report));
    ++seen[{report[0].level, report[1].level}];
  }
  EXPECT_EQ(seen.size(), 4);
  for (const auto& [levels, count] : seen) {
    // Four counts, each off by six standard deviations with probability 2e-9.
    EXPECT_NEAR(count, kReports / 4, 6 * std::sqrt(kReports * 0.25 * 0.75));
  }
}

// Every claim: the lower bound grows with the samples.
TEST(LprrAuditTest, RefutesEveryClaim) {
  for (const double epsilon : {1.0, 5.0}) {
    Generator random(3);
    LprrTrial trial(PlaceTree(4, 2), 2, epsilon);
    const auto found = cli::Audit(trial, {.samples = 400000, .confidence = 0.999999}, random);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_GT(found->lower_bound, 9);
  }
}

}  // namespace
}  // namespace tombola::lab
