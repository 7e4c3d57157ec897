// What star joins come to as they are printed, for those that cannot run so (docs/errata.md,
// sections 14 to 20).
#ifndef TOMBOLA_LAB_JOINS_PRINTED_H_
#define TOMBOLA_LAB_JOINS_PRINTED_H_

#include <cstdint>

namespace tombola::lab {

// A star join as the LPRR-JOIN paper counts it.
struct PrintedJoin {
  double users = 0;
  double tables = 3;      // K
  double attributes = 2;  // d, of a table
  double height = 3;      // log_b m
  double tau = 1;
  double epsilon = 1;

  // 1 + (K - 2) n + n^{K-2} tau, each with that part of epsilon.
  double rows() const;
  double row_epsilon() const { return epsilon / rows(); }
  // n^{K-1} tau.
  double joined() const;

  // Where every table has a range, an unbiased estimate of a joined tuple is a product of one from
  // each table. The least that COUNT is off by, squared and in terms of all tuples, even if a
  // range is one node, all rows pick its level, and weights are not rounded: the variance of a rare
  // item by OLH to the power K, over n^{K-1} tau.
  double least_nmse() const;
};

// Theorem 11: a quarter of d (log_b m)^{2d} ln(1/gamma) n^{1-K}.
double PrintedTau(const PrintedJoin& join, double gamma);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_PRINTED_H_
