// Frequency oracles whose reports are shuffled.
#ifndef TOMBOLA_LAB_JOINS_SHUFFLED_ORACLE_H_
#define TOMBOLA_LAB_JOINS_SHUFFLED_ORACLE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "lab/oracle/oracle.h"
#include "lab/shuffled/account.h"

namespace tombola::lab {

struct ShuffledOracle {
  Oracle oracle;
  double local_epsilon = 0;  // of a record, if the shuffler colludes
};

// A random function to as many buckets, of a geometric series, as give the least variance of a rare
// item, and the largest budget that meets the target. Whether a device hashes its item or the cell
// that it has in a view of it is all the same: a view and a function are a function, so methods
// with several views have this too.
absl::StatusOr<ShuffledOracle> ShuffledHash(const Target& target);
// Randomised response over so many items, 2 or more, of one view.
absl::StatusOr<ShuffledOracle> ShuffledGrr(double items, const Target& target);

// What a shuffled batch has to meet, and the hashes with which it does: for methods of all kinds.
struct Shuffling {
  Target target;
  ShuffledOracle hash;

  static absl::StatusOr<Shuffling> Create(int64_t users, double epsilon, double delta);
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_SHUFFLED_ORACLE_H_
