// What devices pick of their joined tuples, and what is expected of it.
#ifndef TOMBOLA_LAB_JOINS_JOIN_TRIAL_H_
#define TOMBOLA_LAB_JOINS_JOIN_TRIAL_H_

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "lab/joins/star.h"

namespace tombola::lab {

// One repetition of an experiment: drawn when it is first asked for and then shared by all methods
// and budgets, as sample/trial.h has it. Not thread-safe; the data must outlive it.
class JoinTrial {
 public:
  // For questions about the first `asked` attributes.
  JoinTrial(const StarData& data, int asked, uint64_t seed)
      : data_(data), asked_(asked), seed_(seed) {}

  const StarData& data() const { return data_; }
  int asked() const { return asked_; }

  // Every device picks one of tau places, of which it fills as many as it has tuples, uniformly
  // chosen ones where it has more; the tuple there, rounded. Who picks an empty place is in no
  // cell.
  const CellTable<int32_t>& picked(int64_t tau);
  // All tuples of a device, a uniform choice of tau of them where it has more; each rounded to an
  // end, or split between both so that the mean is the same.
  const CellTable<double>& kept(int64_t tau, bool rounded);

 private:
  const StarData& data_;
  int asked_;
  uint64_t seed_;
  std::map<int64_t, CellTable<int32_t>> picked_;
  std::map<std::pair<int64_t, bool>, CellTable<double>> kept_;
};

// Sums over devices of the products of two of these: `count`, how many of a device's tuples in a
// box count, and `sum`, their amounts.
struct Spread {
  double count = 0;     // of count^2
  double sum = 0;       // of sum^2
  double together = 0;  // of count * sum
};

// Expectations over what devices pick, given their tuples. Not thread-safe; the data must outlive
// it.
class JoinFacts {
 public:
  JoinFacts(const StarData& data, int asked) : data_(data), asked_(asked) {}

  const StarData& data() const { return data_; }
  int asked() const { return asked_; }
  double users() const { return static_cast<double>(data_.users()); }

  // The expected numbers of JoinTrial's tables.
  const CellTable<double>& picked(int64_t tau);
  const CellTable<double>& kept(int64_t tau);
  // Over the expectations of single devices' picks.
  const Spread& PickedSpread(const JoinQuery& query, int64_t tau);
  // The variances of what is kept, from the choice of tau tuples; `rounding` is what rounding adds
  // to that of the sum.
  struct KeptSpread {
    Spread choice;
    double rounding = 0;
  };
  const KeptSpread& KeptVariance(const JoinQuery& query, int64_t tau);
  // The share of all tuples that tau leaves.
  double KeptShare(int64_t tau) const;

 private:
  const StarData& data_;
  int asked_;
  std::map<int64_t, CellTable<double>> picked_, kept_;
  // By tau and the box.
  using Asked = std::array<int64_t, 1 + 2 * kJoinAttributes>;
  static Asked KeyOf(const JoinQuery& query, int64_t tau);
  std::map<Asked, Spread> picked_spread_;
  std::map<Asked, KeptSpread> kept_variance_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_JOIN_TRIAL_H_
