#include "common/scheme/nodes.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "common/accounting/correlated.h"
#include "common/accounting/noise_law.h"
#include "common/scheme/stream_scheme.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::mechanism {
namespace {

using accounting::SubmissionLoss;
using ::testing::ElementsAre;

// A scheme of this loss, whatever it is asked with.
class LossScheme : public Scheme {
 public:
  explicit LossScheme(SubmissionLoss loss) : loss_(std::move(loss)) {}

  absl::string_view name() const override { return "loss"; }
  Parameters parameters() const override { return {}; }
  size_t report_bytes() const override { return 1; }
  int64_t max_reports_per_submission() const override { return 7; }
  double expected_reports_per_submission() const override { return 2; }
  void DrawFake(RandomSource& /*random*/, absl::Span<uint8_t> /*report*/) const override {}
  double local_epsilon() const override { return INFINITY; }
  absl::StatusOr<double> Delta(int64_t /*honest*/, double epsilon) const override {
    return accounting::DeltaOver(loss_, 1, epsilon);
  }
  absl::StatusOr<double> EpsilonAt(int64_t /*honest*/, double delta) const override {
    return accounting::EpsilonOver(loss_, 1, delta);
  }
  absl::StatusOr<SubmissionLoss> Loss(int64_t /*honest*/, double /*negligible*/) const override {
    return loss_;
  }
  absl::StatusOr<int64_t> SmallestHonest(double /*epsilon*/, double /*delta*/) const override {
    return 1;
  }

 private:
  SubmissionLoss loss_;
};

using Schemes = std::vector<std::shared_ptr<const Scheme>>;

std::shared_ptr<const Scheme> Poisson(double mean, double charge = 0) {
  return std::make_shared<const LossScheme>(SubmissionLoss{
      .parts = accounting::SeveralCells(*accounting::PoissonNoise(mean), 1), .charge = charge});
}

std::shared_ptr<const Scheme> Clusters(double noise_epsilon, double shape, double flood) {
  const auto lesser = accounting::LesserCount({noise_epsilon, shape, flood});
  return std::make_shared<const LossScheme>(
      SubmissionLoss{.parts = accounting::SeveralCorrelatedCells(*lesser, noise_epsilon, 1)});
}

Nodes NodesOf(const std::vector<int64_t>& start, const Schemes& schemes) {
  std::vector<StreamNode> nodes;
  for (const auto& scheme : schemes) {
    nodes.push_back({.scheme = scheme, .honest = 10, .smallest_batch = 10});
  }
  return Nodes(*stream::Structure::FromStart(start), std::move(nodes));
}

// Of the first period, which all nodes cover.
double DeltaOfAll(const Schemes& schemes, double epsilon) {
  const auto delta =
      NodesOf(std::vector<int64_t>(schemes.size(), 0), schemes).PeriodDelta(1, epsilon);
  EXPECT_TRUE(delta.ok()) << delta.status();
  return *delta;
}

// The reference of composed laws rounds every atom of a loss, and says between which two the truth
// lies.
void ExpectBetween(double got, double low, double high) {
  EXPECT_GE(got, low * (1 - 1e-9));
  EXPECT_LE(got, high * 1.01);
}

TEST(NodesTest, APeriodCostsTheProductOfItsNodes) {
  ExpectBetween(DeltaOfAll({Poisson(42.654530573041555)}, 1), 9.998922829100875e-07,
                1.0001323827306003e-06);
  ExpectBetween(DeltaOfAll({Poisson(80), Poisson(90)}, 1), 2.7225637320912005e-07,
                2.7242535080258413e-07);
  ExpectBetween(DeltaOfAll({Poisson(150), Poisson(120), Poisson(200), Poisson(400)}, 1),
                1.055867128352133e-07, 1.0573280068972326e-07);
  ExpectBetween(
      DeltaOfAll({Poisson(700), Poisson(500), Poisson(900), Poisson(1500), Poisson(800)}, 0.5),
      1.6967651818519313e-07, 1.702155270250889e-07);
  ExpectBetween(DeltaOfAll({Poisson(30), Poisson(60)}, 2), 3.8270680309613665e-09,
                3.8283998458012234e-09);
  ExpectBetween(DeltaOfAll({Clusters(0.226, 12, 0.98), Clusters(0.223, 12, 0.98)}, 1),
                1.6195151223217103e-09, 1.6235233212261829e-09);
  ExpectBetween(DeltaOfAll({Clusters(0.45, 13.75, 0.9526)}, 1), 9.988988253619863e-07,
                9.998793156740383e-07);
}

// Four counts of two nodes, enumerated by independent code.
TEST(NodesTest, APeriodCostsWhatItsCountsTell) {
  const auto expect = [](double got, double truth) {
    EXPECT_GE(got, truth * (1 - 1e-6));
    EXPECT_LE(got, truth * 1.01);
  };
  expect(DeltaOfAll({Poisson(3), Poisson(6)}, 1), 0.15816028651815356);
  expect(DeltaOfAll({Poisson(5), Poisson(5)}, 0.5), 0.21117743730640903);
  expect(DeltaOfAll({Poisson(8), Poisson(4)}, 2), 0.028896885664490335);
}

TEST(NodesTest, ManyNodesAreAsManyUses) {
  ExpectBetween(DeltaOfAll(Schemes(5, Poisson(186)), 1), 7.199578937815299e-07,
                7.210306483787323e-07);
  ExpectBetween(DeltaOfAll(Schemes(30, Poisson(1071.8153)), 1), 9.934131977983112e-07,
                1.0021368155912067e-06);
}

TEST(NodesTest, ChargesOfNodesAddUp) {
  EXPECT_NEAR(DeltaOfAll({Poisson(80, 1e-9), Poisson(90, 2e-9)}, 1),
              DeltaOfAll({Poisson(80), Poisson(90)}, 1) + 3e-9, 1e-15);
}

TEST(NodesTest, KnowWhichNodesCoverAPeriod) {
  const auto scheme = Poisson(100);
  const Nodes nodes = NodesOf({0, 0, 2, 0}, {scheme, scheme, scheme, scheme});
  EXPECT_THAT(nodes.Cover(1), ElementsAre(1, 2, 4));
  EXPECT_THAT(nodes.Cover(2), ElementsAre(2, 4));
  EXPECT_THAT(nodes.Cover(3), ElementsAre(3, 4));
  EXPECT_THAT(nodes.Cover(4), ElementsAre(4));
  EXPECT_EQ(nodes.Depth(), 3);
  EXPECT_EQ(nodes.MostReports(), 21);
  // The second and the third have two nodes that are alike.
  EXPECT_THAT(nodes.DistinctPeriods(), ElementsAre(1, 2, 4));
}

TEST(NodesTest, TheWorstPeriodIsTheGuarantee) {
  const auto large = Poisson(200);
  const Nodes nodes = NodesOf({0, 0, 2, 0}, {Poisson(120), large, Poisson(90), large});
  double worst = 0;
  for (uint64_t period = 1; period <= 4; ++period) {
    worst = std::max(worst, *nodes.PeriodDelta(period, 1));
  }
  EXPECT_DOUBLE_EQ(*nodes.WorstDelta(1), worst);
  const StreamScheme scheme(std::make_shared<const Nodes>(nodes));
  EXPECT_DOUBLE_EQ(*scheme.Delta(10, 1), worst);
  EXPECT_DOUBLE_EQ(*scheme.Delta(11, 1), worst);
  EXPECT_GT(*scheme.Delta(10, 0.5), worst);
  EXPECT_DOUBLE_EQ(*scheme.Delta(10, 1), worst);
  EXPECT_TRUE(absl::IsFailedPrecondition(scheme.Delta(9, 1).status()));
}

}  // namespace
}  // namespace tombola::mechanism
