#include "common/accounting/rappor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/status/status.h"

namespace tombola::accounting {
namespace {

using ::testing::HasSubstr;

constexpr Rappor kUsual = {.f = 0.5, .p = 0.5, .q = 0.75, .hashes = 2, .bits = 128};

// Computed by an independent program, to 1 % of epsilon.
TEST(ShuffledRapporTest, IsTheReference) {
  struct Case {
    Rappor rappor;
    int64_t honest;
    double clones, blanket;
  };
  Rappor one = kUsual;
  one.hashes = 1;
  const Rappor other = {.f = 0.25, .p = 0.35, .q = 0.65, .hashes = 2, .bits = 128};
  for (const Case& c : {Case{kUsual, 10000, 0.0588652226831074, 0.023544284479543213},
                        Case{kUsual, 100000, 0.016987912195349803, 0.006712358238817208},
                        Case{one, 10000, 0.022421354064816282, 0.013233404322093122},
                        Case{other, 10000, 0.134, 0.0538}}) {
    const absl::StatusOr<ShuffledRappor> shuffled = ShuffledEpsilon(c.rappor, c.honest, 1e-6);
    ASSERT_TRUE(shuffled.ok()) << shuffled.status();
    EXPECT_NEAR(shuffled->blanket / c.blanket, 1, 0.01) << c.honest;
    // The reference takes a looser form of it.
    EXPECT_LE(shuffled->clones, c.clones);
    EXPECT_GT(shuffled->clones, 0.7 * c.clones);
    EXPECT_EQ(shuffled->epsilon, shuffled->blanket);
  }
}

// One-hot codes are the case of one hash: OUE keeps with 1/2 and rises with 1 / (e^e0 + 1).
TEST(ShuffledRapporTest, OneHotCodesAreTheReference) {
  for (const auto& [local, epsilon] :
       {std::pair{1.0, 0.0298}, std::pair{2.0, 0.0792}, std::pair{4.0, 0.280}}) {
    const UnaryReports oue = {
        .honest = 10000, .hashes = 1, .risen = 1 / (std::exp(local) + 1), .kept = 0.5};
    EXPECT_NEAR(LocalEpsilon(oue), local, 1e-12);
    EXPECT_NEAR(*UnaryEpsilon(oue, 1e-6) / epsilon, 1, 0.01);
  }
}

TEST(RapporTest, LocalBudgetsAreTheReference) {
  EXPECT_NEAR(LocalEpsilonOfMemo(kUsual), 4.394449154672439, 1e-12);
  const double of_reports[][2] = {{1, 1.07429}, {2, 2.01701},  {3, 2.75558},
                                  {5, 3.65599}, {10, 4.29934}, {20, 4.39284}};
  for (const auto& [reports, epsilon] : of_reports) {
    EXPECT_NEAR(LocalEpsilonOf(kUsual, static_cast<int64_t>(reports)), epsilon, 6e-6) << reports;
  }
  EXPECT_NEAR(LocalEpsilonOf(kUsual, 1), LocalEpsilon(OneReport(kUsual, 1)), 1e-12);
  EXPECT_NEAR(LocalEpsilonOf(kUsual, 1000000), LocalEpsilonOfMemo(kUsual), 1e-9);
  // Without the second response the memo is seen at once.
  const Rappor bare = {.f = 0.5, .p = 0, .q = 1, .hashes = 2, .bits = 32};
  EXPECT_NEAR(LocalEpsilonOf(bare, 1), 4.3944492, 1e-7);
  EXPECT_NEAR(LocalEpsilonOf(bare, 7), 4.3944492, 1e-7);
}

// All numbers of ones of one bit in some reports: none tells more than all of them.
TEST(RapporTest, NoOutcomeTellsMoreThanTheExtremes) {
  constexpr int kReports = 6;
  double most = 0, least = 0;
  for (int ones = 0; ones <= kReports; ++ones) {
    const auto draw = [&](double rate) {
      return std::pow(rate, ones) * std::pow(1 - rate, kReports - ones);
    };
    const double of_q = draw(kUsual.q), of_p = draw(kUsual.p), half = kUsual.f / 2;
    const double loss =
        std::log(((1 - half) * of_q + half * of_p) / (half * of_q + (1 - half) * of_p));
    most = std::max(most, loss);
    least = std::min(least, loss);
  }
  EXPECT_NEAR(LocalEpsilonOf(kUsual, kReports), 2 * (most - least), 1e-12);
}

TEST(RapporTest, NamesTheFieldThatIsOutOfBounds) {
  const auto refused = [](Rappor rappor, const char* message) {
    const absl::Status status = ShuffledEpsilon(rappor, 100, 1e-6).status();
    ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(status.message(), HasSubstr(message));
  };
  Rappor rappor = kUsual;
  rappor.f = 0;
  refused(rappor, "rappor.f must be in (0, 1), is 0");
  rappor.f = 1;
  refused(rappor, "rappor.f must be in (0, 1), is 1");
  rappor = kUsual;
  rappor.q = 0.5;
  refused(rappor, "rappor.q must be in (0.5, 1], is 0.5");
  rappor = kUsual;
  rappor.p = -0.1;
  refused(rappor, "rappor.p must be in [0, 1), is -0.1");
  rappor = kUsual;
  rappor.hashes = 129;
  refused(rappor, "rappor.hashes must be in [1, 128], is 129");
  rappor = kUsual;
  rappor.bits = 257;
  refused(rappor, "rappor.bits must be in [1, 256], is 257");
  EXPECT_FALSE(ShuffledEpsilon(kUsual, 0, 1e-6).ok());
  EXPECT_FALSE(ShuffledEpsilon(kUsual, 100, 1).ok());
}

}  // namespace
}  // namespace tombola::accounting
