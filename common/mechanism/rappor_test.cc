#include "common/mechanism/rappor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/status/status.h"

namespace tombola::mechanism {
namespace {

BloomOptions Usual() {
  return WithResponses({.bits = 128, .hashes = 2, .seed = 5, .domain_size = 12},
                       {.f = 0.5, .p = 0.5, .q = 0.75});
}

// Computed by an independent program, to 1 % of epsilon; the budgets exactly.
TEST(RapporTest, GuaranteesAreTheReference) {
  const Rappor rappor = Rappor::Create(Usual()).value();
  EXPECT_NEAR(rappor.EpsilonAt(10000, 1e-6).value() / 0.023544284479543213, 1, 0.01);
  EXPECT_NEAR(rappor.local_epsilon(), 1.074285864166728, 1e-9);
  EXPECT_GE(rappor.local_epsilon(), 1.074285864166728);
  EXPECT_NEAR(*rappor.memo_epsilon(), 4.394449154672439, 1e-9);
  EXPECT_GE(*rappor.memo_epsilon(), 4.394449154672439);
  EXPECT_EQ(rappor.Delta(10000, 1.08).value(), 0);
  EXPECT_EQ(*rappor.parameters().bits, 128);
  EXPECT_EQ(*rappor.parameters().irr_q, 0.75);
}

TEST(RapporTest, TheSmallestBatchMeetsTheTargetAndOneLessDoesNot) {
  const Rappor rappor = Rappor::Create(Usual()).value();
  const int64_t honest = rappor.SmallestHonest(0.1, 1e-6).value();
  EXPECT_LE(rappor.Delta(honest, 0.1).value(), 1e-6);
  EXPECT_GT(rappor.Delta(honest - 1, 0.1).value(), 1e-6);
  EXPECT_EQ(rappor.SmallestHonest(1.1, 1e-6).value(), 1);
}

TEST(RapporTest, ABitIsCountedAsTheResponsesSay) {
  const Rappor rappor = Rappor::Create(Usual()).value();
  const Support bit = rappor.count_model().support;
  EXPECT_NEAR(bit.holder, 0.6875, 1e-15);
  EXPECT_NEAR(bit.other, 0.5625, 1e-15);
  // Values that share few bits: the error is between that of two lone bits and of one.
  const double lone = bit.other * (1 - bit.other) / (bit.separation * bit.separation);
  EXPECT_GT(rappor.PredictedMse(1), 0.45 * lone);
  EXPECT_LT(rappor.PredictedMse(1), lone);
}

TEST(RapporTest, RefusesWhatLeavesNothing) {
  BloomOptions options = Usual();
  options.prr_threshold = uint64_t{1} << 32;
  options.irr_p_threshold = 0;
  options.irr_q_threshold = ~uint64_t{0};
  EXPECT_TRUE(Rappor::Create(options).ok());
  options.hashes = 16;
  EXPECT_EQ(Rappor::Create(options).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tombola::mechanism
