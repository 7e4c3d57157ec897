// Joins at the collector: every table's row comes in a report of its own, with the device's id on
// it, so that the collector can put them together. With ids there is nothing to shuffle.
//
// The published ones cannot run as printed: with three tables every device sends
// 1 + n + n tau rows, n the number of devices, each with that part of the budget (docs/errata.md).
// Here a device sends what it really has, one row of the first table and up to tau of the second
// and third, and only attributes that are asked for are looked at: all this is in their favour.
// Empty places are filled with rows of weight 0.
#ifndef TOMBOLA_LAB_JOINS_LINKED_H_
#define TOMBOLA_LAB_JOINS_LINKED_H_

#include <vector>

#include "lab/joins/decompose.h"
#include "lab/joins/join_method.h"
#include "lab/oracle/oracle.h"

namespace tombola::lab {

enum class Linked {
  // SC-JOIN (Xu et al. 2020): one row of each table, so tau is 1; the budget is split over all
  // levels of all attributes and the measure, each by OLH.
  kScJoin,
  // HIO-JOIN and HIO-JOIN-RDC: each row picks a level and says its node, and its measure and weight
  // rounded, by OLH. The budget is split over the 2 tau + 1 rows. HIO-JOIN-RDC is a reconstruction.
  kHioJoin,
  kHioJoinRdc,
  // LPRR-JOIN (the paper's own): each row picks one of its own nodes but the leaf, and says one of
  // those by randomised response. That is uniform among them for every epsilon, so a report is a
  // true node of the row's: NOT private, epsilon is infinite. Decoded so, which is in its favour;
  // as printed the estimate is biased. The measure goes with the leaves: there is no sum. The
  // collector is told which rows fill empty places, which nothing in a report says.
  kLprrJoin,
};

class LinkedJoin final : public JoinMethod {
 public:
  // `answering`: the share of devices that take part, 1 but for LPRR-JOIN-E, where the others look
  // for tau.
  LinkedJoin(const JoinSetting& setting, Linked kind, double answering = 1);

  // Drawn from the normal law with the law's moments: an answer is a sum over devices.
  std::vector<JoinAnswer> Run(JoinTrial& trial, absl::Span<const JoinQuery> queries,
                              absl::Span<const AnswerLaw> laws,
                              simulation::Generator& noise) const override;
  // Variances are averages over every k-th device, of kLawDevices or fewer, and exact if there are
  // no more devices than that.
  static constexpr int64_t kLawDevices = 50000;
  AnswerLaw LawOf(JoinFacts& facts, const JoinQuery& query) const override;

  // Of one row's report.
  double row_epsilon() const { return row_epsilon_; }
  const Oracle& oracle() const { return oracle_; }
  // How many nodes of a row a device picks from, for an attribute.
  double LevelsOf(int attribute) const;

 private:
  // What a table's report multiplies a joined tuple by, by the row's place: nodes that count, with
  // E F and E F^2.
  struct Factor {
    std::vector<double> mean, square;
    double noise = 0;    // E F^2 where the row counts in no node
    double weights = 0;  // of all nodes, squared
  };
  Factor FactorOf(int attribute, const Interval& range) const;
  // E F F' of the third table's row, F and F' for COUNT and SUM.
  struct Measured {
    double count_mean = 0, sum_mean = 0;
    Spread square;
  };
  Measured MeasuredOf(const Factor& factor, const JoinedTuple* tuple) const;

  Linked kind_;
  double answering_;
  double row_epsilon_;
  Oracle oracle_;
  double noise_ = 0, holder_noise_ = 0;  // of (support - q) / (p - q), and what a holder adds
  std::vector<PlaceTree> trees_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_LINKED_H_
