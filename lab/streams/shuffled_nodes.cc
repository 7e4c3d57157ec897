#include "lab/streams/shuffled_nodes.h"

#include <algorithm>
#include <cmath>

#include "common/accounting/gaussian.h"
#include "common/accounting/loss_law.h"
#include "common/accounting/noise_law.h"
#include "common/accounting/noise_search.h"
#include "common/accounting/product.h"
#include "common/base/status_macros.h"

namespace tombola::lab {
namespace {

constexpr double kRaiseTolerance = 1e-3, kMostRaise = 16;

absl::StatusOr<accounting::NoiseLaw> LawOfNode(const NoisyNode& node, NodeNoise noise) {
  if (noise == NodeNoise::kPoisson) return accounting::PoissonNoise(node.variance);
  const double part = 4 * node.variance / static_cast<double>(node.devices);
  if (part > 1) return absl::FailedPreconditionError("a node has too few devices for its noise");
  return accounting::BinomialNoise(node.devices, part / (2 * (1 + std::sqrt(1 - part))));
}

// Messages of noise on a cell, which the variance is that of.
double NoiseOn(const NoisyNode& node, NodeNoise noise) {
  if (noise == NodeNoise::kPoisson) return node.variance;
  const double all = static_cast<double>(node.devices);
  return all * (1 - std::sqrt(std::max(0.0, 1 - 4 * node.variance / all))) / 2;
}

}  // namespace

absl::StatusOr<double> PeriodDelta(absl::Span<const NoisyNode> nodes, NodeNoise noise,
                                   double epsilon) {
  std::vector<accounting::LossPart> parts;
  for (const NoisyNode& node : nodes) {
    TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, LawOfNode(node, noise));
    parts.push_back({accounting::Gained(law), 1});
    parts.push_back({accounting::Lost(law), 1});
  }
  return accounting::ProductDelta(parts, epsilon);
}

absl::StatusOr<ShuffledNodes> PlanShuffledNodes(const stream::Structure& structure,
                                                const stream::Shares& shares, NodeNoise noise,
                                                const StreamTarget& target, int64_t most) {
  TOMBOLA_ASSIGN_OR_RETURN(const double theta,
                           accounting::GaussianTheta(target.epsilon, target.delta));
  TOMBOLA_ASSIGN_OR_RETURN(const double single,
                           accounting::SmallestPoissonMean(target.epsilon, target.delta));
  const double a0 = 2 / (theta * theta), b0 = single - a0;
  const int64_t periods = structure.periods();
  const auto node_at = [&](int64_t node, double raise) {
    return NoisyNode{raise * (a0 / shares.of_node[node - 1] + b0),
                     (node - structure.start(node)) * target.devices};
  };
  ShuffledNodes nodes;
  nodes.looked_at = std::min(periods, most);
  std::vector<std::vector<int64_t>> covers;
  for (int64_t i = 0; i < nodes.looked_at; ++i) {
    const int64_t last = std::max<int64_t>(1, nodes.looked_at - 1);
    std::vector<int64_t> cover = structure.Cover(1 + i * (periods - 1) / last);
    // One batch with the whole budget has the least mean there is.
    const bool whole = cover.size() == 1 && shares.of_node[cover[0] - 1] == 1;
    if (whole && noise == NodeNoise::kPoisson) {
      nodes.worst = 1;
    } else {
      covers.push_back(std::move(cover));
    }
  }
  const double least_worst = nodes.worst;
  const auto worst = [&](double raise) -> absl::StatusOr<double> {
    double largest = least_worst;
    for (const std::vector<int64_t>& cover : covers) {
      std::vector<NoisyNode> noisy;
      for (const int64_t node : cover) noisy.push_back(node_at(node, raise));
      TOMBOLA_ASSIGN_OR_RETURN(const double delta, PeriodDelta(noisy, noise, target.epsilon));
      largest = std::max(largest, delta / target.delta);
    }
    return largest;
  };
  TOMBOLA_ASSIGN_OR_RETURN(nodes.worst, worst(1));
  double low = 1, high = 1;
  while (nodes.worst > 1) {
    low = high;
    high = 1 + 2 * std::max(high - 1, kRaiseTolerance);
    if (high > kMostRaise) return absl::FailedPreconditionError("no noise hides a period");
    TOMBOLA_ASSIGN_OR_RETURN(nodes.worst, worst(high));
  }
  while (high > low * (1 + kRaiseTolerance)) {
    const double middle = std::sqrt(low * high);
    TOMBOLA_ASSIGN_OR_RETURN(const double found, worst(middle));
    if (found > 1) {
      low = middle;
    } else {
      high = middle;
      nodes.worst = found;
    }
  }
  nodes.raise = high;
  for (int64_t node = 1; node <= periods; ++node) {
    const NoisyNode noisy = node_at(node, high);
    nodes.variance.push_back(noisy.variance);
    const double length = static_cast<double>(node - structure.start(node));
    nodes.messages += length + static_cast<double>(target.cells) * NoiseOn(noisy, noise) /
                                   static_cast<double>(target.devices);
  }
  nodes.messages /= static_cast<double>(periods);
  return nodes;
}

TotalSpread SpreadOf(const stream::Structure& structure, const ShuffledNodes& nodes) {
  std::vector<double> variances(nodes.variance.size() + 1, 0);
  SpreadSum sum;
  for (int64_t t = 1; t <= structure.periods(); ++t) {
    variances[t] = variances[structure.start(t)] + nodes.variance[t - 1];
    sum.Add(variances[t]);
  }
  return sum.spread();
}

}  // namespace tombola::lab
