#include "common/kind/stream_placements.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "common/accounting/loss_law.h"
#include "common/accounting/work.h"
#include "common/base/status_macros.h"
#include "common/mechanism/registry.h"
#include "common/stream/placement.h"
#include "tombola/v1/task.pb.h"

namespace tombola {
namespace {

using accounting::SubmissionLoss;

constexpr double kLargestEpsilon = 700;
constexpr double kPrecision = 1e-6;
constexpr double kRoundUp = 1 + 1e-9;
// Ways to place submissions that are gone through, before like ones are put together; and looks at
// composed ones, of about a millisecond each.
constexpr double kMostPlacements = 1 << 16;
constexpr int kMostLooks = 300;
// Who asks is a device too, of a task that anybody may have made. Points of laws, each at every
// order: some seconds. Of composed placements the same of their grids. What all distinct placements
// have together, in nodes: some dozen megabytes.
constexpr int64_t kMostPoints = int64_t{1} << 31;
constexpr int64_t kMostComposedPoints = int64_t{1} << 30;
constexpr size_t kMostPlacedNodes = size_t{1} << 21;

double OrderAt(size_t i) {
  return std::exp2((static_cast<double>(i) + StreamPlacements::kLeastOrder) / 2);
}

double LogMgf(const accounting::LossLaw& law, double order) {
  double most = -std::numeric_limits<double>::infinity();
  for (const accounting::LossAtom& atom : law.atoms) most = std::max(most, atom.loss);
  double sum = 0;
  for (const accounting::LossAtom& atom : law.atoms) {
    sum += atom.mass * std::exp(order * (atom.loss - most));
  }
  return order * most + std::log(sum);
}

// As of a device that fills as many cells as of one submission c times each: no way to spread them
// is worse (docs/privacy.md).
absl::StatusOr<SubmissionLoss> LossOfSeveral(const mechanism::Mechanism& node, int64_t honest,
                                             int64_t c) {
  v1::Mechanism wire;
  mechanism::ToProto(node, &wire);
  const int64_t reports = c * node.filling().held;
  TOMBOLA_ASSIGN_OR_RETURN(const auto several,
                           mechanism::FromProto(wire, node.domain_size(),
                                                {.held = reports, .sent = reports, .units = c}));
  return several->Loss(honest, kPrecision);
}

double Ways(int64_t periods, int64_t chosen) {
  double ways = 1;
  for (int64_t i = 0; i < chosen && ways < 2 * kMostPlacements; ++i) {
    ways *= static_cast<double>(periods - i) / static_cast<double>(i + 1);
  }
  return ways;
}

}  // namespace

void StreamPlacements::Moments::Add(const Moments& other) {
  for (size_t i = 0; i < kOrders; ++i) log_mgf[i] += other.log_mgf[i];
  charge += other.charge;
  difference += other.difference;
}

// (1 - e^(epsilon - loss))_+ is at most e^(order (loss - epsilon)) order^order /
// (1 + order)^(1 + order), whatever the loss is.
double StreamPlacements::Moments::DeltaAt(double epsilon) const {
  double least = 1;
  for (size_t i = 0; i < kOrders; ++i) {
    const double order = OrderAt(i);
    const double factor = order * std::log(order) - (1 + order) * std::log1p(order);
    least = std::min(least, std::exp(log_mgf[i] + factor - order * epsilon));
  }
  return (least + charge + (1 + std::exp(epsilon)) * difference) * kRoundUp;
}

std::optional<double> StreamPlacements::Moments::EpsilonAt(double delta) const {
  double high = 0.01;
  while (DeltaAt(high) > delta) {
    high *= 1.5;
    if (high > kLargestEpsilon) return std::nullopt;
  }
  double low = high == 0.01 ? 0 : high / 1.5;
  while (high - low > kPrecision * high) {
    const double middle = (low + high) / 2;
    (DeltaAt(middle) <= delta ? high : low) = middle;
  }
  return high;
}

StreamPlacements::Moments StreamPlacements::MomentsOf(const SubmissionLoss& loss) {
  Moments moments{.charge = loss.charge, .difference = loss.difference};
  for (const accounting::LossPart& part : loss.parts) {
    const auto uses = static_cast<double>(part.uses);
    moments.charge += uses * part.law.infinite;
    for (size_t i = 0; i < kOrders; ++i) {
      moments.log_mgf[i] += uses * LogMgf(part.law, OrderAt(i));
    }
  }
  return moments;
}

absl::StatusOr<StreamPlacements> StreamPlacements::Of(const StreamKind& stream,
                                                      int64_t submissions) {
  const mechanism::Nodes& nodes = *stream.nodes();
  const stream::Structure& structure = nodes.structure();
  if (!structure.IsNested()) return absl::FailedPreconditionError("nodes overlap");
  const bool few = Ways(nodes.count(), submissions) <= kMostPlacements;
  StreamPlacements placements;
  accounting::Work work(kMostPoints);
  std::map<std::pair<const mechanism::Scheme*, int64_t>, size_t> known;
  for (int64_t node = 1; node <= nodes.count(); ++node) {
    const mechanism::StreamNode& of = nodes[static_cast<uint64_t>(node)];
    const size_t sort = known.try_emplace({of.scheme.get(), of.honest}, known.size()).first->second;
    placements.sort_of_.push_back(sort);
    if (sort == placements.costs_.size()) placements.costs_.emplace_back();
    std::vector<Cost>& costs = placements.costs_[sort];
    const int64_t most = std::min(submissions, node - structure.start(node));
    while (static_cast<int64_t>(costs.size()) < most) {
      TOMBOLA_ASSIGN_OR_RETURN(SubmissionLoss loss,
                               LossOfSeveral(stream.MechanismOf(static_cast<uint64_t>(node)),
                                             of.honest, static_cast<int64_t>(costs.size()) + 1));
      for (const accounting::LossPart& part : loss.parts) {
        TOMBOLA_RETURN_IF_ERROR(work.Spend(static_cast<int64_t>(part.law.atoms.size() * kOrders)));
      }
      Cost& cost = costs.emplace_back();
      cost.moments = MomentsOf(loss);
      if (few) cost.loss = std::move(loss);
    }
  }
  const auto largest = [&](auto of) {
    return stream::LargestPlacement(structure, submissions, [&](int64_t node, int64_t c) {
      const size_t sort = placements.sort_of_[static_cast<size_t>(node - 1)];
      return of(placements.CostOf({sort, c}).moments);
    });
  };
  for (size_t i = 0; i < kOrders; ++i) {
    placements.largest_.log_mgf[i] = largest([i](const Moments& of) { return of.log_mgf[i]; });
  }
  placements.largest_.charge = largest([](const Moments& of) { return of.charge; });
  placements.largest_.difference = largest([](const Moments& of) { return of.difference; });
  if (few) placements.Enumerate(nodes, submissions);
  return placements;
}

// As many as there can be: one more submission never costs less.
void StreamPlacements::Enumerate(const mechanism::Nodes& nodes, int64_t submissions) {
  std::set<Placement> distinct;
  size_t placed = 0, looked = 0;  // nodes
  std::vector<uint64_t> chosen;
  const std::function<void(uint64_t)> choose = [&](uint64_t from) {
    if (static_cast<int64_t>(chosen.size()) == submissions) {
      std::map<uint64_t, int64_t> in;  // node: how many
      for (const uint64_t period : chosen) {
        for (const uint64_t node : nodes.Cover(period)) ++in[node];
      }
      looked += in.size();
      Placement placement;
      for (const auto& [node, c] : in) placement.emplace_back(sort_of_[node - 1], c);
      std::sort(placement.begin(), placement.end());
      if (distinct.insert(std::move(placement)).second) placed += in.size();
      return;
    }
    // More is left to the moments alone.
    if (placed > kMostPlacedNodes || looked > 8 * kMostPlacedNodes) return;
    for (uint64_t period = from; period <= static_cast<uint64_t>(nodes.count()); ++period) {
      chosen.push_back(period);
      choose(period + 1);
      chosen.pop_back();
    }
  };
  choose(1);
  if (placed > kMostPlacedNodes || looked > 8 * kMostPlacedNodes) return;
  placements_.assign(distinct.begin(), distinct.end());
}

std::optional<double> StreamPlacements::ComposedEpsilon(double delta) const {
  // At most so much, by the moments; those of which nothing is known first.
  std::vector<std::pair<double, size_t>> at_most;
  for (size_t i = 0; i < placements_.size(); ++i) {
    Moments sum;
    for (const auto& in : placements_[i]) sum.Add(CostOf(in).moments);
    at_most.emplace_back(sum.EpsilonAt(delta).value_or(2 * kLargestEpsilon), i);
  }
  std::sort(at_most.rbegin(), at_most.rend());
  accounting::Work work(kMostComposedPoints);
  double worst = 0;
  for (size_t i = 0; i < at_most.size() && at_most[i].first > worst; ++i) {
    // What is left costs at most this.
    if (i == kMostLooks) {
      return at_most[i].first > kLargestEpsilon ? std::nullopt : std::optional(at_most[i].first);
    }
    SubmissionLoss all;
    for (const auto& in : placements_[at_most[i].second]) {
      const SubmissionLoss& one = CostOf(in).loss;
      all.parts.insert(all.parts.end(), one.parts.begin(), one.parts.end());
      all.charge += one.charge;
      all.difference += one.difference;
    }
    const auto coarse = accounting::CoarseDeltaOver(all, worst, &work);
    if (coarse.ok() && *coarse <= delta) continue;
    const auto epsilon = accounting::EpsilonOver(all, /*uses=*/1, delta, &work);
    if (!epsilon.ok()) return std::nullopt;
    worst = std::max(worst, *epsilon);
  }
  return worst;
}

std::optional<double> StreamPlacements::EpsilonAt(double delta) const {
  const std::optional<double> bound = largest_.EpsilonAt(delta);
  if (placements_.empty()) return bound;
  const std::optional<double> composed = ComposedEpsilon(delta);
  if (!composed.has_value() || !bound.has_value()) return composed.has_value() ? composed : bound;
  return std::min(*bound, *composed);
}

}  // namespace tombola
