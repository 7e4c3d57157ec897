#include "lab/audit/lprr_device.h"

#include <cmath>

namespace tombola::lab {

LprrDevice::LprrDevice(const PlaceTree& tree, int attributes, double epsilon)
    : tree_(tree), attributes_(attributes), combinations_(1) {
  for (int i = 0; i < attributes; ++i) combinations_ *= static_cast<uint64_t>(tree.height());
  const double odds = std::exp(epsilon);
  const double keep = odds / (odds + static_cast<double>(combinations_) - 1);
  keep_ = keep >= 1 ? ~uint64_t{0} : static_cast<uint64_t>(std::ldexp(keep, 64));
}

std::vector<PathNode> LprrDevice::Report(absl::Span<const int32_t> row,
                                         RandomSource& random) const {
  uint64_t chosen = UniformBelow(combinations_, random);
  if (random.Next64() >= keep_ && combinations_ > 1) {
    // Any of the other combinations, of this row's.
    const uint64_t other = UniformBelow(combinations_ - 1, random);
    chosen = other + (other >= chosen ? 1 : 0);
  }
  std::vector<PathNode> report;
  for (int i = 0; i < attributes_; ++i) {
    const int level = static_cast<int>(chosen % static_cast<uint64_t>(tree_.height()));
    chosen /= static_cast<uint64_t>(tree_.height());
    report.push_back({level, tree_.NodeOf(row[i], level)});
  }
  return report;
}

bool LprrDevice::Possible(absl::Span<const int32_t> row, absl::Span<const PathNode> report) const {
  for (int i = 0; i < attributes_; ++i) {
    if (tree_.NodeOf(row[i], report[i].level) != report[i].node) return false;
  }
  return true;
}

LprrTrial::LprrTrial(const PlaceTree& tree, int attributes, double epsilon)
    : device_(tree, attributes, epsilon),
      tree_(tree),
      first_(attributes, 0),
      second_(attributes, tree.places() / 2) {}

double LprrTrial::Score(absl::Span<const PathNode> report) const {
  if (!device_.Possible(second_, report)) return 1;
  return device_.Possible(first_, report) ? 0 : -1;
}

absl::StatusOr<cli::Scores> LprrTrial::Run(RandomSource& random) {
  return cli::Scores{Score(device_.Report(first_, random)), Score(device_.Report(second_, random))};
}

// A report is uniform among the row's own combinations, and the other row has only those at levels
// where both have the same node.
double LprrTrial::ImpossibleShare() const {
  double shared = 0;
  for (int level = 0; level < tree_.height(); ++level) {
    if (tree_.NodeOf(first_[0], level) == tree_.NodeOf(second_[0], level)) {
      shared += 1.0 / tree_.height();
    }
  }
  return 1 - std::pow(shared, static_cast<double>(first_.size()));
}

}  // namespace tombola::lab
