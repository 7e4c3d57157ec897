// Who holds which keys with which values: the data of an experiment.
#ifndef TOMBOLA_LAB_DATA_POPULATION_H_
#define TOMBOLA_LAB_DATA_POPULATION_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tombola::lab {

// A key that a device holds, and its value in [-1, 1]. Of a set every value is 0.
struct Pair {
  int32_t key = 0;
  float value = 0;
};

// The records of many devices, in 8 bytes a pair.
class Population {
 public:
  // keys >= 1.
  explicit Population(int64_t keys);

  // One more device. Keys are in [0, keys()), distinct and ascending, values in [-1, 1].
  void Add(absl::Span<const Pair> record);

  int64_t keys() const { return keys_; }
  int64_t users() const { return static_cast<int64_t>(ends_.size()) - 1; }
  int64_t pairs() const { return static_cast<int64_t>(pairs_.size()); }
  absl::Span<const Pair> record(int64_t user) const {
    return absl::MakeConstSpan(pairs_).subspan(ends_[user], ends_[user + 1] - ends_[user]);
  }

 private:
  int64_t keys_;
  std::vector<Pair> pairs_;
  std::vector<size_t> ends_ = {0};
};

// What is to be estimated of a key. The mean of a key that nobody holds is 0.
struct KeyTruth {
  double frequency = 0;
  double mean = 0;
};
std::vector<KeyTruth> TruthOf(const Population& population);

// The `top` keys that most devices hold, fewer if there are not so many that anybody holds; the
// most held first.
std::vector<int64_t> MostHeld(absl::Span<const KeyTruth> truth, int64_t top);

// How many devices hold 0, 1, ..., keys() pairs.
std::vector<int64_t> LengthsOf(const Population& population);

// The least length, at least 1, that at least this share of devices does not exceed.
int64_t LengthQuantile(absl::Span<const int64_t> lengths, double share);

// What a key's variance depends on when a device keeps a uniform choice of `items` of its pairs.
// With t the probability min(1, items / length) that a holder keeps the key, sums over holders:
struct KeyShare {
  double users = 0;         // devices in all
  double holders = 0;       // sum of 1
  double kept = 0;          // of t
  double kept_squares = 0;  // of t^2
  double mean = 0;          // of the value over holders
};
std::vector<KeyShare> SharesOf(const Population& population, int64_t items);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_DATA_POPULATION_H_
