// A uniform grid over the asked attributes, by local joins: the rule of TDG and HDG (Yang et al.
// 2020) for one and two attributes.
#ifndef TOMBOLA_LAB_JOINS_GRID_H_
#define TOMBOLA_LAB_JOINS_GRID_H_

#include <vector>

#include "lab/joins/one_tuple.h"

namespace tombola::lab {

// Cells along each of `attributes` axes. The error of what lies partly in a range is taken to be
// alpha over the cells of an axis, alpha 0.7 for one attribute and 0.03 for more, that of noise to
// be `noise`, the variance of a cell's share, for half the cells of each axis.
//   1: cbrt(2 alpha^2 / noise); 2: sqrt(4 alpha / sqrt(noise)), both as published with
//   noise = 4 e^eps / ((e^eps - 1)^2 n); 3: (64 alpha^2 / (3 noise))^(1/5), by the same balance.
// At least 2, at most `places`.
int32_t GridCells(int attributes, double noise, int32_t places);
// The published noise of a cell.
double PublishedGridNoise(double epsilon, double reports);

// One report a device, as OneTuple with one view. What is published is not negative and sums to
// one, the empty place among it (norm-sub); cells that lie partly in a range count by the share.
class JoinGrid final : public JoinMethod {
 public:
  // `noise` for the rule.
  JoinGrid(const JoinSetting& setting, double noise, const OracleFor& oracle);

  const Places& cells() const { return cells_; }
  const Oracle& oracle() const { return oracle_; }
  std::vector<JoinAnswer> Run(JoinTrial& trial, absl::Span<const JoinQuery> queries,
                              absl::Span<const AnswerLaw> laws,
                              simulation::Generator& noise) const override;
  // Of the estimates before norm-sub, which changes both for the better.
  AnswerLaw LawOf(JoinFacts& facts, const JoinQuery& query) const override;

 private:
  Places cells_ = {1, 1, 1};
  Oracle oracle_;
};

// A cell of a grid that a query touches.
struct GridPart {
  Places cell;
  double weight = 1;
  Box box;
};
std::vector<GridPart> GridPartsOf(const Places& places, const Places& cells,
                                  const JoinQuery& query);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_GRID_H_
