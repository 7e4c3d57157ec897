#include "common/accounting/published.h"

#include <cmath>

#include "common/accounting/blanket.h"
#include "common/accounting/two_bucket.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

using ::testing::HasSubstr;

template <typename T>
void ExpectUnproven(const absl::StatusOr<T>& result, const char* reason) {
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition) << result.status();
  EXPECT_THAT(result.status().message(), HasSubstr(reason));
}

TEST(Theorem1Test, AgreesWithTheReference) {
  const PublishedBatch batch{
      .honest = 600000, .range = 247, .local_epsilon = std::log(738.474 - 247 + 1)};
  EXPECT_NEAR(*PublishedEpsilon(batch, 1e-6), 0.4999999686785886, 1e-12);
  EXPECT_NEAR(*PublishedDelta(batch, *PublishedEpsilon(batch, 1e-6)), 1e-6, 1e-17);
}

TEST(Theorem1Test, LargestKAgreesWithTheReference) {
  EXPECT_NEAR(*PublishedLargestK(600000, 0.5, 1e-6), 738.4740925202005, 1e-9);
  EXPECT_NEAR(*PublishedLargestK(600000, 0.1, 1e-6), 29.53896370080803, 1e-10);
  EXPECT_NEAR(*PublishedLargestK(1000, 0.1, 1e-6), 0.04918245653260625, 1e-14);
  EXPECT_NEAR(*PublishedLargestK(100000000, 0.5, 1e-9), 83380.6420523106, 1e-7);
}

// The closed forms are true: the accountants find no more than they allow.
TEST(Theorem1Test, HoldsWhereItIsAccepted) {
  for (const double epsilon : {0.1, 0.5, 1.0}) {
    for (const double delta : {1e-9, 1e-6, 0.01, 0.29}) {
      for (const double range : {2.0, 9.0}) {
        const double k = *PublishedLargestK(20000, epsilon, delta);
        if (k < range + std::expm1(epsilon)) continue;
        const Blanket blanket{.honest = 20000, .range = range, .gamma = GammaOf(range, k - range)};
        EXPECT_LE(*Delta(blanket, epsilon), delta) << epsilon << " " << delta << " " << range;
      }
    }
  }
}

TEST(Theorem1Test, IsRefusedWhereItIsNotProven) {
  const PublishedBatch few{.honest = 1000, .range = 10, .local_epsilon = 5};
  ExpectUnproven(PublishedEpsilon(few, 1e-6), "epsilon <= 1");
  const PublishedBatch many{.honest = 600000, .range = 10, .local_epsilon = 5};
  ExpectUnproven(PublishedEpsilon(many, 0.3), "delta <= 0.29");
  ExpectUnproven(PublishedDelta(many, 1.01), "epsilon <= 1");
  const PublishedBatch local{.honest = 6000, .range = 10, .local_epsilon = 0.1};
  ExpectUnproven(PublishedEpsilon(local, 1e-6), "range + e^epsilon - 1");
  ExpectUnproven(PublishedLargestK(1000, 1.5, 1e-6), "epsilon <= 1");
  // What is named as holding is never below what does: to nearest this would be 0.1.
  const PublishedBatch hair{.honest = 6000, .range = 10, .local_epsilon = 0.1000000001};
  ExpectUnproven(PublishedEpsilon(hair, 1e-6), "above the local epsilon 0.100001,");
}

TEST(PublishedDummiesTest, MixDumpAgreesWithTheReference) {
  const PublishedBatch batch{.honest = 600000,
                             .range = 600,
                             .local_epsilon = std::log1p(205.97199374381762),
                             .dummies = 40826};
  EXPECT_NEAR(*PublishedEpsilon(batch, 1e-6), 0.5, 1e-6);
}

TEST(PublishedDummiesTest, PureDumpAgreesWithTheReference) {
  const double dummies = *PublishedPureDumpDummies(600, 0.5, 1e-6);
  EXPECT_NEAR(dummies, 487491.90001441375, 1e-6);
  EXPECT_NEAR(*PublishedPureDumpEpsilon(600, dummies, 1e-6), 0.5, 1e-12);
  EXPECT_NEAR(*PublishedPureDumpDelta(600, dummies, 0.5), 1e-6, 1e-16);
  const Blanket truth{.honest = 1, .range = 600, .gamma = 0, .fakes = 487492};
  EXPECT_LE(*Delta(truth, 0.5), 1e-6);
  ExpectUnproven(PublishedPureDumpEpsilon(600, 1000, 1e-6), "epsilon <= 1");
  ExpectUnproven(PublishedPureDumpDummies(600, 0.5, 0.5), "delta <= 0.29");
}

TEST(PublishedAueTest, AgreesWithTheReferenceAndHolds) {
  EXPECT_NEAR(*PublishedAueGamma(600000, 0.5, 1e-6), 0.02026907322544555, 1e-14);
  for (const double epsilon : {0.5, 1.0, 1.9}) {
    const double gamma = *PublishedAueGamma(50000, epsilon, 1e-6);
    EXPECT_NEAR(*PublishedAueEpsilon(50000, gamma, 1e-6), epsilon, 1e-12);
    EXPECT_NEAR(*PublishedAueDelta(50000, gamma, epsilon), 1e-6, 1e-16);
    EXPECT_LE(*TwoBucketDelta(*BinomialNoise(50000, gamma), epsilon), 1e-6);
  }
}

TEST(PublishedAueTest, IsRefusedWhereItIsNotProven) {
  ExpectUnproven(PublishedAueGamma(600000, 0.1, 1e-6), "gamma <= 1/2");
  ExpectUnproven(PublishedAueGamma(600000, 2.5, 1e-6), "epsilon < 2");
  ExpectUnproven(PublishedAueEpsilon(1000, 0.1, 1e-6), "epsilon < 2");
}

TEST(PublishedTest, NamesTheFieldThatIsOutOfBounds) {
  const auto message = [](const PublishedBatch& batch) {
    const absl::StatusOr<double> result = PublishedEpsilon(batch, 1e-6);
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(result.status().message());
  };
  EXPECT_THAT(message({1, 10, 1, 0}), HasSubstr("honest"));
  EXPECT_THAT(message({10, 1, 1, 0}), HasSubstr("range"));
  EXPECT_THAT(message({10, 10, 0, 0}), HasSubstr("local_epsilon"));
  EXPECT_THAT(message({10, 10, 1, -1}), HasSubstr("dummies"));
  EXPECT_THAT(PublishedAueEpsilon(10, 0, 0.1).status().message(), HasSubstr("gamma"));
  EXPECT_THAT(PublishedPureDumpEpsilon(1, 10, 0.1).status().message(), HasSubstr("domain"));
}

}  // namespace
}  // namespace tombola::accounting
