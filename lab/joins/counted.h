// Joins whose cells are counted, all tau tuples of a device at once: Tombola's, hidden by messages
// that all devices share, and the central yardstick. One attribute is asked on a tree
// (join_tree.h), several on a uniform grid.
#ifndef TOMBOLA_LAB_JOINS_COUNTED_H_
#define TOMBOLA_LAB_JOINS_COUNTED_H_

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "common/ranges/range_tree.h"
#include "lab/joins/grid.h"
#include "lab/joins/join_method.h"

namespace tombola::lab {

// Noise of mean 0 on a cell.
struct CellNoise {
  double variance = 0;
  std::function<double(simulation::Generator& noise)> draw;
};
CellNoise PoissonCells(double mean);
CellNoise LaplaceCells(double scale);

class CountedJoin final : public JoinMethod {
 public:
  // `cells` of the grid along each axis; for one attribute all places, and `tree` says whether
  // there are nodes above them. `rounds`: tuples' measures are rounded to an end, not split between
  // both.
  CountedJoin(const JoinSetting& setting, const Places& cells, bool tree, bool rounds,
              CellNoise noise);

  std::vector<JoinAnswer> Run(JoinTrial& trial, absl::Span<const JoinQuery> queries,
                              absl::Span<const AnswerLaw> laws,
                              simulation::Generator& noise) const override;
  AnswerLaw LawOf(JoinFacts& facts, const JoinQuery& query) const override;

  const CellNoise& noise() const { return noise_; }
  const Places& cells() const { return cells_; }
  // Cells that a device's tuples are counted in, a tuple in each, and all cells.
  int64_t levels() const;
  double all_cells() const;

 private:
  std::vector<JoinAnswer> RunTree(const CellTable<double>& kept,
                                  absl::Span<const JoinQuery> queries,
                                  simulation::Generator& noise) const;

  Places cells_;
  bool tree_;
  bool rounds_;
  CellNoise noise_;
};

// The least Poisson mean on each cell, to 5e-4, that hides a record of up to `units` messages on
// each of `levels` levels, of which up to `cap` in [1, units] may be in one cell: by the product of
// units / cap cells with `cap` each, rounded down, and one with the rest, gained and lost
// (common/accounting/loss_law.h; no way to place them is worse). Errors as
// accounting::ProductDelta; FailedPrecondition where no noise will do.
absl::StatusOr<double> SmallestPoissonMeanOfUnits(double epsilon, double delta, int64_t levels,
                                                  int64_t units, int64_t cap);

// `pure_dump` with all tuples: the least noise that meets (setting.epsilon, delta), on the finest
// grid that costs a device no more than kMostMessages.
struct OwnJoin {
  CountedJoin method;
  double messages = 0;  // of a device, on average
};
inline constexpr double kMostMessages = 100;
absl::StatusOr<OwnJoin> PlanOwnJoin(const JoinSetting& setting, double delta);

// Laplace noise on every cell of all places, or of the tree above them if that is better, for
// devices that may put other tuples in place of all of theirs.
CountedJoin CentralJoin(const JoinSetting& setting);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_COUNTED_H_
