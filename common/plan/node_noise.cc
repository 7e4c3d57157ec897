#include "common/plan/node_noise.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/correlated.h"
#include "common/accounting/gaussian.h"
#include "common/accounting/noise_law.h"
#include "common/accounting/noise_search.h"
#include "common/accounting/two_bucket.h"
#include "common/base/status_macros.h"
#include "common/mechanism/spread_noise.h"
#include "common/plan/spread_noise.h"

namespace tombola::mechanism {
namespace {

using accounting::LossPart;
using Losses = absl::StatusOr<std::vector<LossPart>>;
using Made = absl::StatusOr<std::shared_ptr<const Mechanism>>;

constexpr double kUnused = 1e-4;  // of delta, as plans of batches leave it

template <typename M>
Made Shared(absl::StatusOr<M> made) {
  TOMBOLA_RETURN_IF_ERROR(made.status());
  return std::make_shared<const M>(*std::move(made));
}

// Variances raise (A0 / share + b0), A0 = 2 l / theta^2 being that of normal noise for a node with
// all of the budget and l cells of a device, and b0 what Poisson noise needs beyond it. The level
// is ln raise.
class ByVariance : public NodeNoise {
 public:
  using NodeNoise::NodeNoise;

  absl::Status Begin() {
    TOMBOLA_ASSIGN_OR_RETURN(const double theta,
                             accounting::GaussianTheta(request_.epsilon, delta()));
    TOMBOLA_ASSIGN_OR_RETURN(
        const double single,
        accounting::SmallestPoissonMean(request_.epsilon, delta(), cells(), request_.work));
    limit_ = 2 * static_cast<double>(cells()) / (theta * theta);
    more_ = std::max(0.0, single - limit_);
    return absl::OkStatus();
  }
  double tolerance() const override { return 1e-3; }
  double most() const override { return std::log(1e3); }
  Losses Parts(const NodeSort& sort, double level) const override {
    TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, LawOf(sort, level));
    return accounting::SeveralCells(law, cells());
  }
  absl::StatusOr<double> Alone(const NodeSort& sort, double level) const override {
    TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, LawOf(sort, level));
    return accounting::TwoBucketDelta(law, request_.epsilon);
  }

 protected:
  double VarianceOf(const NodeSort& sort, double level) const {
    return std::exp(level) * (limit_ / sort.share + more_);
  }
  virtual absl::StatusOr<accounting::NoiseLaw> LawOf(const NodeSort& sort, double level) const = 0;

 private:
  double limit_ = 0, more_ = 0;
};

class PoissonNodes final : public ByVariance {
 public:
  using ByVariance::ByVariance;

  Made Make(const NodeSort& sort, double level) const override {
    const PlanRequest request = RequestOf(sort);
    TOMBOLA_ASSIGN_OR_RETURN(const DeltaShares shares, PureDumpShares(request));
    return Shared(PureDumpWith(VarianceOf(sort, level), shares.draws, request));
  }

 private:
  absl::StatusOr<accounting::NoiseLaw> LawOf(const NodeSort& sort, double level) const override {
    return accounting::PoissonNoise(VarianceOf(sort, level));
  }
};

class CoinNodes final : public ByVariance {
 public:
  using ByVariance::ByVariance;

  Made Make(const NodeSort& sort, double level) const override {
    const PlanRequest request = RequestOf(sort);
    TOMBOLA_ASSIGN_OR_RETURN(const double gamma, GammaOf(sort, level));
    TOMBOLA_ASSIGN_OR_RETURN(const DeltaShares shares, AueShares(request));
    return Shared(AueWith(gamma, shares.draws, request));
  }

 private:
  absl::StatusOr<accounting::NoiseLaw> LawOf(const NodeSort& sort, double level) const override {
    TOMBOLA_ASSIGN_OR_RETURN(const double gamma, GammaOf(sort, level));
    return accounting::BinomialNoise(RequestOf(sort).honest, gamma);
  }
  // Of n gamma (1 - gamma), the variance of so many coins.
  absl::StatusOr<double> GammaOf(const NodeSort& sort, double level) const {
    const auto honest = static_cast<double>(RequestOf(sort).honest);
    const double part = 4 * VarianceOf(sort, level) / honest;
    if (part <= 1) return part / (2 * (1 + std::sqrt(1 - part)));
    return absl::FailedPreconditionError(
        absl::StrCat("aue cannot meet the target with ", request_.honest,
                     " honest submissions a period: even fair coins are too little noise"));
  }
};

// A hundredth of delta for caps: of noise that comes in clusters they are much lower then than with
// the millionth of a batch by itself, and a period has several.
absl::StatusOr<DeltaShares> ClusterShares(const PlanRequest& request) {
  TOMBOLA_ASSIGN_OR_RETURN(DeltaShares shares, CorrelatedShares(request));
  shares.draws = std::max(shares.draws, 1e-2 * request.delta);
  return shares;
}

// A node with a share s of epsilon has s times what may stay in the estimate, and the flood that a
// batch by itself would need for s epsilon and delta R^(1 - s): by itself a period's only node
// holds at delta, and the more nodes there are the less likely it is that all their losses are bad.
// ln R is what the level takes from. Floods are computed for a few shares, and drawn between them.
class ClusterNodes final : public NodeNoise {
 public:
  using NodeNoise::NodeNoise;

  absl::Status Begin(absl::Span<const NodeSort> sorts) {
    limit_ = Epsilon() / 2;
    if (cells() > 1) {
      TOMBOLA_ASSIGN_OR_RETURN(limit_,
                               accounting::LargestNoiseEpsilon(Epsilon(), delta(), cells()));
    }
    double least = 1;
    for (const NodeSort& sort : sorts) least = std::min(least, sort.share);
    const int steps = static_cast<int>(std::ceil(-std::log2(least) * kPointsInOctave));
    for (int i = 0; i <= steps; ++i) {
      const double share = i == 0 ? 1 : std::exp(std::log(least) * i / steps);
      const double delta = DeltaOf(share, kUsualRise);
      TOMBOLA_ASSIGN_OR_RETURN(const accounting::CorrelatedNoise noise,
                               accounting::SmallestFlood(NoiseEpsilon(share), share * Epsilon(),
                                                         delta, cells(), request_.work));
      points_.push_back({.log_share = std::log(share), .log_rest = std::log1p(-noise.flood)});
    }
    return absl::OkStatus();
  }
  double tolerance() const override { return 0.05; }
  double most() const override { return 2 * kMostRise; }

  Losses Parts(const NodeSort& sort, double level) const override {
    TOMBOLA_ASSIGN_OR_RETURN(const accounting::CorrelatedNoise noise, NoiseOf(sort, level));
    TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw lesser, accounting::LesserCount(noise));
    return accounting::SeveralCorrelatedCells(lesser, noise.noise_epsilon, cells());
  }
  absl::StatusOr<double> Alone(const NodeSort& sort, double level) const override {
    TOMBOLA_ASSIGN_OR_RETURN(const accounting::CorrelatedNoise noise, NoiseOf(sort, level));
    return accounting::CorrelatedDelta(noise, Epsilon());
  }
  Made Make(const NodeSort& sort, double level) const override {
    const PlanRequest request = RequestOf(sort);
    TOMBOLA_ASSIGN_OR_RETURN(const accounting::CorrelatedNoise noise, NoiseOf(sort, level));
    TOMBOLA_ASSIGN_OR_RETURN(const DeltaShares shares, ClusterShares(request));
    return Shared(CorrelatedWith(noise, shares.draws, request));
  }

 private:
  static constexpr double kShareOfLimit = 0.9;  // as of a batch by itself
  static constexpr double kPointsInOctave = 1.5;
  static constexpr double kMostRise = 14;  // ln R at level 0
  static constexpr double kUsualRise = 6;  // with which the flood's sizes are chosen
  struct Point {
    double log_share, log_rest;
    double log_shape = 0;  // at shapes_level_
  };

  double Epsilon() const { return std::min(request_.epsilon, kLargestUsedEpsilon); }
  double NoiseEpsilon(double share) const { return kShareOfLimit * share * limit_; }
  double DeltaOf(double share, double rise) const {
    return std::min(0.05, delta() * std::exp(rise * (1 - share)));
  }
  absl::Status SetShapes(double level) const {
    if (level == shapes_level_) return absl::OkStatus();
    for (Point& point : points_) {
      const double share = std::exp(point.log_share);
      TOMBOLA_ASSIGN_OR_RETURN(
          const double shape,
          accounting::SmallestShape(NoiseEpsilon(share), -std::expm1(point.log_rest),
                                    share * Epsilon(), DeltaOf(share, kMostRise - level), cells(),
                                    request_.work));
      point.log_shape = std::log(shape);
    }
    shapes_level_ = level;
    return absl::OkStatus();
  }
  absl::StatusOr<accounting::CorrelatedNoise> NoiseOf(const NodeSort& sort, double level) const {
    TOMBOLA_RETURN_IF_ERROR(SetShapes(level));
    const double at = std::log(sort.share);
    size_t next = 0;
    while (next + 1 < points_.size() && points_[next].log_share > at) ++next;
    const Point& to = points_[next];
    const Point& from = points_[next == 0 ? 0 : next - 1];
    const double width = from.log_share - to.log_share;
    const double part = width > 0 ? std::min(1.0, (from.log_share - at) / width) : 1;
    const auto between = [&](double a, double b) { return a + part * (b - a); };
    return accounting::CorrelatedNoise{.noise_epsilon = NoiseEpsilon(sort.share),
                                       .shape = std::exp(between(from.log_shape, to.log_shape)),
                                       .flood = -std::expm1(between(from.log_rest, to.log_rest))};
  }

  double limit_ = 0;                   // of what may stay in the estimate
  mutable std::vector<Point> points_;  // by falling share
  mutable double shapes_level_ = -1;
};

}  // namespace

PlanRequest NodeNoise::RequestOf(const NodeSort& sort) const {
  PlanRequest request = request_;
  request.honest *= sort.periods;
  request.submissions *= sort.periods;
  request.delta /= static_cast<double>(depth_);
  return request;
}

absl::Status NodeNoise::TakeOffDraws(
    absl::Span<const NodeSort> sorts,
    absl::FunctionRef<absl::StatusOr<DeltaShares>(const PlanRequest&)> shares_of) {
  double draws = 0;
  for (const NodeSort& sort : sorts) {
    TOMBOLA_ASSIGN_OR_RETURN(const DeltaShares shares, shares_of(RequestOf(sort)));
    draws = std::max(draws, shares.draws);
  }
  delta_ = request_.delta * (1 - kUnused) - 2 * static_cast<double>(depth_) * draws;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<NodeNoise>> NodeNoise::Of(absl::string_view mechanism,
                                                         absl::Span<const NodeSort> sorts,
                                                         int64_t depth,
                                                         const PlanRequest& request) {
  if (mechanism == PureDump::kName) {
    auto made = std::make_unique<PoissonNodes>(request, depth);
    TOMBOLA_RETURN_IF_ERROR(made->TakeOffDraws(sorts, &PureDumpShares));
    TOMBOLA_RETURN_IF_ERROR(made->Begin());
    return made;
  }
  if (mechanism == Aue::kName) {
    auto made = std::make_unique<CoinNodes>(request, depth);
    TOMBOLA_RETURN_IF_ERROR(made->TakeOffDraws(sorts, &AueShares));
    TOMBOLA_RETURN_IF_ERROR(made->Begin());
    return made;
  }
  if (mechanism == Correlated::kName) {
    auto made = std::make_unique<ClusterNodes>(request, depth);
    TOMBOLA_RETURN_IF_ERROR(made->TakeOffDraws(sorts, &ClusterShares));
    TOMBOLA_RETURN_IF_ERROR(made->Begin(sorts));
    return made;
  }
  return absl::FailedPreconditionError(
      absl::StrCat("nothing is proven for ", mechanism,
                   " where a submission is in several nodes: it counts plain periods only"));
}

}  // namespace tombola::mechanism
