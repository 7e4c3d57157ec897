#include "common/kind/stream_device.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/accounting/submission_loss.h"
#include "common/base/status_macros.h"
#include "common/mechanism/registry.h"
#include "common/stream/placement.h"
#include "tombola/v1/task.pb.h"

namespace tombola {
namespace {

using accounting::EpsilonDelta;
using accounting::SubmissionLoss;

// Orders of the moments: 2^(i/2). Between two of them a bound loses about a percent of epsilon.
constexpr int kLeastOrder = -6, kMostOrder = 14;
constexpr size_t kOrders = kMostOrder - kLeastOrder + 1;
constexpr double kLargestEpsilon = 700;
constexpr double kPrecision = 1e-6;
constexpr double kRoundUp = 1 + 1e-9;

double OrderAt(size_t i) { return std::exp2((static_cast<double>(i) + kLeastOrder) / 2); }

// Of c submissions in a node.
struct Moments {
  double log_mgf[kOrders];  // ln E[e^(order loss); loss finite]
  double charge = 0;        // and what is infinite
  double difference = 0;    // as SubmissionLoss
};

double LogMgf(const accounting::LossLaw& law, double order) {
  double most = -std::numeric_limits<double>::infinity();
  for (const accounting::LossAtom& atom : law.atoms) most = std::max(most, atom.loss);
  double sum = 0;
  for (const accounting::LossAtom& atom : law.atoms) {
    sum += atom.mass * std::exp(order * (atom.loss - most));
  }
  return order * most + std::log(sum);
}

Moments MomentsOf(const SubmissionLoss& loss) {
  Moments moments{.charge = loss.charge, .difference = loss.difference};
  for (size_t i = 0; i < kOrders; ++i) moments.log_mgf[i] = 0;
  for (const accounting::LossPart& part : loss.parts) {
    const auto uses = static_cast<double>(part.uses);
    moments.charge += uses * part.law.infinite;
    for (size_t i = 0; i < kOrders; ++i) {
      moments.log_mgf[i] += uses * LogMgf(part.law, OrderAt(i));
    }
  }
  return moments;
}

// The loss of c submissions of one device in a batch: as of a device that fills one cell c times.
absl::StatusOr<SubmissionLoss> LossOfSeveral(const mechanism::Mechanism& node, int64_t honest,
                                             int64_t c) {
  v1::Mechanism wire;
  mechanism::ToProto(node, &wire);
  TOMBOLA_ASSIGN_OR_RETURN(
      const auto several,
      mechanism::FromProto(wire, node.domain_size(), {.held = c, .sent = c, .units = c}));
  return several->Loss(honest, kPrecision);
}

// What every placement is bounded by.
class Bound {
 public:
  static absl::StatusOr<Bound> Of(const StreamKind& stream, int64_t periods);

  // The smallest epsilon that was seen to hold at delta, if any.
  std::optional<double> EpsilonAt(double delta) const;

 private:
  double DeltaAt(double epsilon) const;

  double log_mgf_[kOrders];
  double charge_ = 0, difference_ = 0;
};

absl::StatusOr<Bound> Bound::Of(const StreamKind& stream, int64_t periods) {
  const mechanism::Nodes& nodes = *stream.nodes();
  const stream::Structure& structure = nodes.structure();
  std::map<std::pair<const mechanism::Scheme*, int64_t>, std::vector<Moments>> known;
  std::vector<const std::vector<Moments>*> of_node;
  for (int64_t node = 1; node <= nodes.count(); ++node) {
    const mechanism::StreamNode& of = nodes[static_cast<uint64_t>(node)];
    std::vector<Moments>& all = known[{of.scheme.get(), of.honest}];
    const int64_t most = std::min(periods, node - structure.start(node));
    while (static_cast<int64_t>(all.size()) < most) {
      TOMBOLA_ASSIGN_OR_RETURN(const SubmissionLoss loss,
                               LossOfSeveral(stream.MechanismOf(static_cast<uint64_t>(node)),
                                             of.honest, static_cast<int64_t>(all.size()) + 1));
      all.push_back(MomentsOf(loss));
    }
    of_node.push_back(&all);
  }
  const auto largest = [&](auto of) {
    return stream::LargestPlacement(structure, periods, [&](int64_t node, int64_t c) {
      return of((*of_node[static_cast<size_t>(node - 1)])[static_cast<size_t>(c - 1)]);
    });
  };
  Bound bound;
  for (size_t i = 0; i < kOrders; ++i) {
    bound.log_mgf_[i] = largest([i](const Moments& of) { return of.log_mgf[i]; });
  }
  bound.charge_ = largest([](const Moments& of) { return of.charge; });
  bound.difference_ = largest([](const Moments& of) { return of.difference; });
  return bound;
}

// (1 - e^(epsilon - loss))_+ is at most e^(order (loss - epsilon)) order^order /
// (1 + order)^(1 + order), whatever the loss is.
double Bound::DeltaAt(double epsilon) const {
  double least = 1;
  for (size_t i = 0; i < kOrders; ++i) {
    const double order = OrderAt(i);
    const double factor = order * std::log(order) - (1 + order) * std::log1p(order);
    least = std::min(least, std::exp(log_mgf_[i] + factor - order * epsilon));
  }
  return (least + charge_ + (1 + std::exp(epsilon)) * difference_) * kRoundUp;
}

std::optional<double> Bound::EpsilonAt(double delta) const {
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

// Every period a batch by itself, and all alike.
bool PlainAndAlike(const mechanism::Nodes& nodes) {
  if (nodes.Depth() > 1) return false;
  for (int64_t node = 2; node <= nodes.count(); ++node) {
    const mechanism::StreamNode& of = nodes[static_cast<uint64_t>(node)];
    if (of.scheme != nodes[1].scheme || of.honest != nodes[1].honest) return false;
  }
  return true;
}

}  // namespace

EpsilonDelta OverDevicePeriods(const StreamKind& stream, int64_t periods, const EpsilonDelta& one) {
  if (periods == 1) return one;
  const EpsilonDelta group = accounting::GroupPrivacy(one, periods);
  const mechanism::Nodes& nodes = *stream.nodes();
  if (PlainAndAlike(nodes)) {
    constexpr double kNegligibleShare = 1e-3;  // of delta, as of other tasks with periods
    const auto loss = nodes[1].scheme->Loss(
        nodes[1].honest, kNegligibleShare * one.delta / static_cast<double>(periods));
    if (!loss.ok()) return group;
    const auto epsilon = accounting::EpsilonOver(*loss, periods, one.delta);
    return epsilon.ok() ? EpsilonDelta{*epsilon, one.delta} : group;
  }
  if (!nodes.structure().IsNested()) return group;
  const absl::StatusOr<Bound> bound = Bound::Of(stream, periods);
  if (!bound.ok()) return group;
  const std::optional<double> at_one = bound->EpsilonAt(one.delta);
  if (!at_one.has_value()) return group;
  const std::optional<double> at_group =
      group.delta < 1 ? bound->EpsilonAt(group.delta) : std::nullopt;
  const bool group_is_less =
      group.delta < 1 && !(at_group.has_value() && *at_group <= group.epsilon);
  return group_is_less ? group : EpsilonDelta{*at_one, one.delta};
}

}  // namespace tombola
