// What devices pick of their pairs before they randomise anything: device by device, so that the
// law is exact whatever the data, in some ten nanoseconds each.
#ifndef TOMBOLA_LAB_SAMPLE_DRAWS_H_
#define TOMBOLA_LAB_SAMPLE_DRAWS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "cli/simulation/generator.h"
#include "common/kind/levels.h"
#include "lab/data/population.h"

namespace tombola::lab {

// The levels to which values are rounded, levels >= 2: to one of the two nearest, the upper with
// the probability that keeps the mean. Two levels are the signs.
inline Levels LevelsOf(int levels) { return {.low = -1, .high = 1, .count = levels}; }

// Padding and sampling: a device with n pairs takes one of max(n, items) places, each of its pairs
// being one place; an empty place is a dummy.
struct Padded {
  int64_t users = 0;
  std::vector<int64_t> plus, minus;  // by key: devices that took it, by the sign of the value
  int64_t dummies() const;
};
// `left_out` says by user who takes no part; empty: everybody does.
Padded DrawPadded(const Population& population, int64_t items, absl::Span<const uint8_t> left_out,
                  simulation::Generator& random);

// A uniform key of all: what the device has of it.
struct Asked {
  std::vector<int64_t> users;        // by key: devices that drew it
  std::vector<int64_t> plus, minus;  // of them those that hold it, by the sign of the value
};
// Each device falls into one of `groups` >= 1 groups, uniformly.
std::vector<Asked> DrawAsked(const Population& population, int groups,
                             simulation::Generator& random);

// All pairs, or a uniform choice of `items` of them where a device holds more.
struct Kept {
  int64_t users = 0;
  int levels = 0;              // 1: values are not looked at
  std::vector<int64_t> cells;  // by key * levels + level: the values, rounded
  std::vector<double> sums;    // by key: of the values as they are
  int64_t at(int64_t key, int level) const { return cells[key * levels + level]; }
  int64_t holders(int64_t key) const;
};
Kept DrawKept(const Population& population, int64_t items, int levels,
              simulation::Generator& random);

// A pilot group of about this share of the devices, and how many pairs they hold.
struct Pilot {
  std::vector<uint8_t> members;  // by user: 1 if in the group
  std::vector<int64_t> lengths;  // as LengthsOf
};
Pilot DrawPilot(const Population& population, double share, simulation::Generator& random);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_SAMPLE_DRAWS_H_
