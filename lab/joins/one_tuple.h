// Local joins: a device joins its own rows, picks one of tau places of its tuples, one of several
// views of it, and says by a frequency oracle in which cell of the view the tuple is and to which
// end its measure is rounded, or that the place is empty. The whole record has the oracle's epsilon
// for every tau, and everybody sends one report.
#ifndef TOMBOLA_LAB_JOINS_ONE_TUPLE_H_
#define TOMBOLA_LAB_JOINS_ONE_TUPLE_H_

#include <functional>
#include <vector>

#include "lab/joins/decompose.h"
#include "lab/joins/join_method.h"
#include "lab/oracle/oracle.h"

namespace tombola::lab {

// The oracle for a view of so many items.
using OracleFor = std::function<Oracle(double items)>;
// OLH, as published; and GRR where that has the lesser variance of a rare item.
OracleFor PublishedOracle(double epsilon);
OracleFor BestOracle(double epsilon);

// What the estimate of a rare item's share is off by, times the reports.
double RareVariance(const Oracle& oracle);

enum class Views {
  kHierarchy,        // HIO (Wang et al. 2019): all combinations of the attributes' levels
  kSignedHierarchy,  // the same reports; ranges are decomposed with subtraction (RDC)
  kFlat,             // one view, every combination of places
};

class OneTuple final : public JoinMethod {
 public:
  OneTuple(const JoinSetting& setting, Views views, const OracleFor& oracle);

  std::vector<JoinAnswer> Run(JoinTrial& trial, absl::Span<const JoinQuery> queries,
                              absl::Span<const AnswerLaw> laws,
                              simulation::Generator& noise) const override;
  AnswerLaw LawOf(JoinFacts& facts, const JoinQuery& query) const override;

  // A device picks each with the same probability.
  int64_t views() const { return static_cast<int64_t>(oracles_.size()); }
  const Oracle& oracle(int64_t view) const { return oracles_[view]; }
  // Cells of a view; items are two for each cell, and the empty place.
  double CellsOf(int64_t view) const;
  // The cell of a tuple in a view.
  int64_t CellIn(int64_t view, const Places& cell) const;

  // Cells of one view that count with one weight.
  struct Part {
    int64_t view = 0;
    double weight = 1;
    double cells = 1;
    Box box;
  };
  std::vector<Part> PartsOf(const JoinQuery& query) const;

 private:
  int LevelOf(int64_t view, int attribute) const;

  Views kind_;
  std::vector<PlaceTree> trees_;  // of the asked attributes
  std::vector<Oracle> oracles_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_ONE_TUPLE_H_
