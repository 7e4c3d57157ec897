// Tombola's tree over the places of one attribute and the two ends of the measure: level by level
// as common/ranges has it, the ends' places side by side, the empty place apart.
#ifndef TOMBOLA_LAB_JOINS_JOIN_TREE_H_
#define TOMBOLA_LAB_JOINS_JOIN_TREE_H_

#include <vector>

#include "common/ranges/range_tree.h"
#include "common/ranges/range_variance.h"
#include "lab/joins/one_tuple.h"

namespace tombola::lab {

// Leaf `end` * places + place.
RangeTree JoinTreeOf(const JoinSetting& setting);

// What least squares finds from the cells' estimates, by leaves.
JoinAnswer AnswerFromLeaves(const JoinSetting& setting, absl::Span<const double> leaves,
                            const Interval& range);
// The noise of such an answer.
AnswerLaw TreeNoise(const JoinSetting& setting, const RangeVariance& variance,
                    const Interval& range);

// A local join (OneTuple) of one attribute on this tree: a device says its node on one level, by
// the better oracle for the level, and least squares makes the levels agree.
class LocalTree final : public JoinMethod {
 public:
  // setting.asked is 1.
  LocalTree(const JoinSetting& setting, const OracleFor& oracle);

  std::vector<JoinAnswer> Run(JoinTrial& trial, absl::Span<const JoinQuery> queries,
                              absl::Span<const AnswerLaw> laws,
                              simulation::Generator& noise) const override;
  // The variance is what it would be if every node of a level had as many devices; frequent ones
  // have more.
  AnswerLaw LawOf(JoinFacts& facts, const JoinQuery& query) const override;

 private:
  std::vector<double> Variances() const;

  RangeTree tree_;
  std::vector<Oracle> oracles_;  // by level
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_JOIN_TREE_H_
