// A device of LPRR-JOIN, step by step as its paper prints it: for an audit, which must not believe
// formulas.
#ifndef TOMBOLA_LAB_AUDIT_LPRR_DEVICE_H_
#define TOMBOLA_LAB_AUDIT_LPRR_DEVICE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "cli/audit/trial.h"
#include "common/random/random_source.h"
#include "lab/joins/decompose.h"

namespace tombola::lab {

// A node of an attribute's tree.
struct PathNode {
  int level = 0;
  int32_t node = 0;
  bool operator==(const PathNode&) const = default;
};

// Algorithm 2 for one row of one table: the row's attributes as nodes of their paths without
// leaves, all combinations of those, a uniform one of them, and randomised response among them. NOT
// private: never on a device.
class LprrDevice {
 public:
  // Trees with more than one level; epsilon > 0 is what the row has of the budget.
  LprrDevice(const PlaceTree& tree, int attributes, double epsilon);

  // Places of the row, one for each attribute; a node for each.
  std::vector<PathNode> Report(absl::Span<const int32_t> row, RandomSource& random) const;

  // Whether a row could have reported this.
  bool Possible(absl::Span<const int32_t> row, absl::Span<const PathNode> report) const;

 private:
  PlaceTree tree_;
  int attributes_;
  uint64_t combinations_;
  uint64_t keep_;  // threshold of 2^64
};

// One device whose row is all first places, or all of a place in the last half. The score says
// whether the report is impossible for the one or for the other.
class LprrTrial final : public cli::Trial {
 public:
  LprrTrial(const PlaceTree& tree, int attributes, double epsilon);

  absl::StatusOr<cli::Scores> Run(RandomSource& random) override;
  // Of the first row's reports, the share that the other row could not have made.
  double ImpossibleShare() const;

 private:
  double Score(absl::Span<const PathNode> report) const;

  LprrDevice device_;
  PlaceTree tree_;
  std::vector<int32_t> first_, second_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_AUDIT_LPRR_DEVICE_H_
