#include "common/kind/stream_device.h"

#include <optional>

#include "absl/status/statusor.h"
#include "common/accounting/submission_loss.h"
#include "common/kind/stream_placements.h"

namespace tombola {
namespace {

using accounting::EpsilonDelta;

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
  const absl::StatusOr<StreamPlacements> bound = StreamPlacements::Of(stream, periods);
  if (!bound.ok()) return group;
  const std::optional<double> at_one = bound->EpsilonAt(one.delta);
  if (!at_one.has_value()) return group;
  const EpsilonDelta found = {*at_one, one.delta};
  if (found.epsilon <= group.epsilon || group.delta >= 1) return found;
  // A group may be less where it takes more delta: compared is at the same one.
  const std::optional<double> at_group = bound->EpsilonAt(group.delta);
  return at_group.has_value() && *at_group <= group.epsilon ? found : group;
}

}  // namespace tombola
