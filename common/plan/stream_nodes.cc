#include "common/plan/stream_nodes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/product.h"
#include "common/base/status_macros.h"
#include "common/plan/node_noise.h"
#include "common/plan/spread_noise.h"
#include "common/scheme/nodes.h"

namespace tombola::mechanism {
namespace {

using accounting::LossPart;
using Column = std::vector<size_t>;  // of node sorts, ascending

// Periods looked at closely while the noise is raised: the worst ones, where most had the same.
constexpr size_t kFirstLookedAt = 4;
constexpr int kMostRounds = 16;
constexpr double kHolds = 1 + 1e-6;  // rounding; plans leave more than that unused

bool OnePeriodEach(const stream::Structure& structure) { return structure.Depth() == 1; }

// The nodes, those alike put together, and which of them a period is in.
struct Layout {
  std::vector<NodeSort> sorts;
  std::vector<size_t> sort_of;  // by node, from 0
  std::vector<Column> columns;  // distinct
};

// Equal shares come out of different products.
double Rounded(double share) { return std::ldexp(std::round(std::ldexp(share, 40)), -40); }

Layout LayoutOf(const stream::Structure& structure, const stream::Shares& shares) {
  Layout layout;
  const auto periods = static_cast<size_t>(structure.periods());
  std::map<std::pair<double, int64_t>, size_t> known;
  std::vector<Column> covers(periods);
  for (size_t i = 0; i < periods; ++i) {
    const auto node = static_cast<int64_t>(i) + 1;
    const int64_t begin = structure.start(node);
    const NodeSort sort{.share = Rounded(shares.of_node[i]), .periods = node - begin};
    const auto [it, fresh] = known.try_emplace({sort.share, sort.periods}, layout.sorts.size());
    if (fresh) layout.sorts.push_back(sort);
    layout.sort_of.push_back(it->second);
    for (auto period = static_cast<size_t>(begin); period <= i; ++period) {
      covers[period].push_back(it->second);
    }
  }
  for (Column& cover : covers) std::sort(cover.begin(), cover.end());
  std::sort(covers.begin(), covers.end());
  covers.erase(std::unique(covers.begin(), covers.end()), covers.end());
  layout.columns = std::move(covers);
  return layout;
}

// What the product of the columns' losses amounts to at a level of noise.
class Search {
 public:
  Search(const Layout& layout, const NodeNoise& noise, const PlanRequest& request)
      : layout_(layout), noise_(noise), request_(request) {}

  // The least level, to the noise's tolerance, at which every column holds.
  absl::StatusOr<double> LeastLevel();

 private:
  // The delta of a column, as a share of what it may be.
  absl::StatusOr<double> Excess(const Column& column, double level) const;
  absl::StatusOr<double> WorstOf(const std::vector<Column>& columns, double level) const;
  // The least level above `from`, which is too low, at which these hold.
  absl::StatusOr<double> Raise(const std::vector<Column>& columns, double from) const;

  const Layout& layout_;
  const NodeNoise& noise_;
  const PlanRequest& request_;
};

absl::StatusOr<double> Search::Excess(const Column& column, double level) const {
  if (column.size() == 1 && noise_.cells() == 1) {
    TOMBOLA_ASSIGN_OR_RETURN(const double delta,
                             noise_.Alone(layout_.sorts[column.front()], level));
    return delta / noise_.delta();
  }
  std::vector<LossPart> parts;
  for (const size_t sort : column) {
    TOMBOLA_ASSIGN_OR_RETURN(std::vector<LossPart> one, noise_.Parts(layout_.sorts[sort], level));
    for (LossPart& part : one) parts.push_back(std::move(part));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const double delta,
                           accounting::CoarseProductDelta(parts, request_.epsilon, request_.work));
  return delta / noise_.delta();
}

absl::StatusOr<double> Search::WorstOf(const std::vector<Column>& columns, double level) const {
  double worst = 0;
  for (const Column& column : columns) {
    TOMBOLA_ASSIGN_OR_RETURN(const double excess, Excess(column, level));
    worst = std::max(worst, excess);
    if (worst > kHolds) break;
  }
  return worst;
}

absl::StatusOr<double> Search::Raise(const std::vector<Column>& columns, double from) const {
  double bad = from;
  double step = noise_.tolerance();
  double good = from;
  while (true) {
    good = std::min(bad + step, noise_.most());
    TOMBOLA_ASSIGN_OR_RETURN(const double worst, WorstOf(columns, good));
    if (worst <= kHolds) break;
    if (good >= noise_.most()) {
      return absl::FailedPreconditionError("no noise on the nodes hides a period");
    }
    bad = good;
    step *= 4;
  }
  while (good - bad > noise_.tolerance()) {
    const double middle = (good + bad) / 2;
    TOMBOLA_ASSIGN_OR_RETURN(const double worst, WorstOf(columns, middle));
    (worst <= kHolds ? good : bad) = middle;
  }
  return good;
}

// The worst few columns decide at first; then all are looked at, and those that do not hold join
// them.
absl::StatusOr<double> Search::LeastLevel() {
  double level = 0;
  std::vector<Column> close;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<std::pair<double, size_t>> beyond;
    for (size_t i = 0; i < layout_.columns.size(); ++i) {
      TOMBOLA_ASSIGN_OR_RETURN(const double excess, Excess(layout_.columns[i], level));
      if (excess > kHolds) beyond.emplace_back(-excess, i);
    }
    if (beyond.empty()) return level;
    std::sort(beyond.begin(), beyond.end());
    const size_t taken = std::min(beyond.size(), kFirstLookedAt);
    for (size_t i = 0; i < taken; ++i) close.push_back(layout_.columns[beyond[i].second]);
    TOMBOLA_ASSIGN_OR_RETURN(level, Raise(close, level));
  }
  return absl::FailedPreconditionError("the periods of the stream differ too much to be planned");
}

absl::Status CheckMessages(const Nodes& nodes, const PlanRequest& request) {
  for (int64_t period = 1; period <= nodes.count(); ++period) {
    double messages = 0;
    for (const uint64_t node : nodes.Cover(static_cast<uint64_t>(period))) {
      messages += nodes[node].scheme->expected_reports_per_submission();
    }
    if (messages <= request.max_messages) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        nodes[1].scheme->name(), " needs ", messages, " messages of a submission of period ",
        period, "; the cap is ", request.max_messages));
  }
  return absl::OkStatus();
}

// What is handed out holds, by the very scheme that a task has.
absl::StatusOr<bool> Holds(const stream::Structure& structure, const Layout& layout,
                           const std::vector<std::shared_ptr<const Mechanism>>& nodes,
                           const PlanRequest& request) {
  std::vector<StreamNode> of;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const int64_t honest = layout.sorts[layout.sort_of[i]].periods * request.honest;
    of.push_back({.scheme = nodes[i], .honest = honest, .smallest_batch = honest});
  }
  const Nodes made(structure, std::move(of));
  TOMBOLA_RETURN_IF_ERROR(CheckMessages(made, request));
  TOMBOLA_ASSIGN_OR_RETURN(const double delta, made.WorstDelta(request.epsilon));
  return delta <= request.delta;
}

absl::StatusOr<std::vector<std::shared_ptr<const Mechanism>>> PlanTree(
    absl::string_view mechanism, const stream::Structure& structure, const PlanRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(RefuseLocalCap(mechanism, request));
  const Layout layout = LayoutOf(structure, stream::SharesOf(structure, NormOf(mechanism)));
  size_t depth = 0;
  for (const Column& column : layout.columns) depth = std::max(depth, column.size());
  TOMBOLA_ASSIGN_OR_RETURN(
      const std::unique_ptr<NodeNoise> noise,
      NodeNoise::Of(mechanism, layout.sorts, static_cast<int64_t>(depth), request));
  TOMBOLA_ASSIGN_OR_RETURN(double level, Search(layout, *noise, request).LeastLevel());
  for (int round = 0; round < kMostRounds; ++round, level += noise->tolerance()) {
    std::vector<std::shared_ptr<const Mechanism>> sorts;
    for (const NodeSort& sort : layout.sorts) {
      TOMBOLA_ASSIGN_OR_RETURN(auto made, noise->Make(sort, level));
      sorts.push_back(std::move(made));
    }
    std::vector<std::shared_ptr<const Mechanism>> nodes;
    for (const size_t sort : layout.sort_of) nodes.push_back(sorts[sort]);
    TOMBOLA_ASSIGN_OR_RETURN(const bool holds, Holds(structure, layout, nodes, request));
    if (holds) return nodes;
  }
  return absl::FailedPreconditionError(
      absl::StrCat("what caps and tables of ", mechanism, " cost is more than its noise leaves"));
}

}  // namespace

stream::Norm NormOf(absl::string_view mechanism) {
  return mechanism == Correlated::kName ? stream::Norm::kL1 : stream::Norm::kL2;
}

absl::StatusOr<std::vector<std::shared_ptr<const Mechanism>>> PlanNodes(
    absl::string_view mechanism, const stream::Structure& structure, const PlanRequest& request) {
  if (!OnePeriodEach(structure)) return PlanTree(mechanism, structure, request);
  TOMBOLA_ASSIGN_OR_RETURN(const auto one, PlanOne(mechanism, request));
  return std::vector<std::shared_ptr<const Mechanism>>(static_cast<size_t>(structure.periods()),
                                                       one);
}

}  // namespace tombola::mechanism
