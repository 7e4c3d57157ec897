// A star join: who is a device, and which tuples does it hold once its rows are joined with the
// dimension tables.
#ifndef TOMBOLA_LAB_JOINS_STAR_H_
#define TOMBOLA_LAB_JOINS_STAR_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tombola::lab {

// One predicate attribute of each of three tables: of the device's own row, of the product that a
// tuple names, and of the tuple itself. A question asks for the first one, two or three of them.
inline constexpr int kJoinAttributes = 3;
using Places = std::array<int32_t, kJoinAttributes>;

// The measure of a tuple is a whole number in [kLeastAmount, kMostAmount].
inline constexpr double kLeastAmount = 1, kMostAmount = 125;

struct JoinedTuple {
  uint8_t product = 0;  // places from 0
  uint8_t fact = 0;
  uint8_t amount = 1;

  // The probability of being rounded to kMostAmount, else to kLeastAmount, which keeps the mean.
  double high() const { return (amount - kLeastAmount) / (kMostAmount - kLeastAmount); }
};

// The joined tuples of many devices, in 3 bytes each.
class StarData {
 public:
  // How many values each attribute has, 2 to 256.
  explicit StarData(const Places& places) : places_(places) {}

  // One more device; places below places().
  void Add(uint8_t profile, absl::Span<const JoinedTuple> tuples);

  const Places& places() const { return places_; }
  int64_t users() const { return static_cast<int64_t>(profiles_.size()); }
  int64_t tuples() const { return static_cast<int64_t>(tuples_.size()); }
  int32_t profile(int64_t user) const { return profiles_[user]; }
  absl::Span<const JoinedTuple> joined(int64_t user) const {
    return absl::MakeConstSpan(tuples_).subspan(ends_[user], ends_[user + 1] - ends_[user]);
  }
  // The most tuples of a device.
  int64_t most() const { return most_; }

 private:
  Places places_;
  std::vector<uint8_t> profiles_;
  std::vector<JoinedTuple> tuples_;
  std::vector<size_t> ends_ = {0};
  int64_t most_ = 0;
};

// Places [begin, end).
struct Interval {
  int32_t begin = 0;
  int32_t end = 1;
  int32_t width() const { return end - begin; }
  bool Holds(int32_t place) const { return begin <= place && place < end; }
};

// A range of each asked attribute; of what is not asked there is one place, 0.
using Box = std::array<Interval, kJoinAttributes>;

// COUNT, SUM and AVG of the tuples in a box. `asked` attributes, the first ones.
struct JoinQuery {
  int asked = 1;
  Box box;
};

// A tuple's cell for a question about so many attributes.
inline Places CellOf(int32_t profile, const JoinedTuple& tuple, int asked) {
  return {profile, asked > 1 ? tuple.product : 0, asked > 2 ? tuple.fact : 0};
}

inline bool Holds(const Box& box, const Places& cell) {
  return box[0].Holds(cell[0]) && box[1].Holds(cell[1]) && box[2].Holds(cell[2]);
}

// How many tuples of the data are in the box, and the sum of their amounts.
struct JoinTruth {
  double count = 0;
  double sum = 0;
};
JoinTruth TruthOf(const StarData& data, const JoinQuery& query);
// Of all tuples: what errors are in terms of.
JoinTruth TotalOf(const StarData& data);

// Numbers by cell of the asked attributes and by the end to which the measure is rounded.
template <typename T>
class CellTable {
 public:
  CellTable(const Places& places, int asked) : places_{places[0], 1, 1} {
    if (asked > 1) places_[1] = places[1];
    if (asked > 2) places_[2] = places[2];
    for (std::vector<T>& end : ends_) end.resize(cells());
  }

  const Places& places() const { return places_; }
  size_t cells() const { return static_cast<size_t>(places_[0]) * places_[1] * places_[2]; }
  size_t Index(const Places& cell) const {
    return (static_cast<size_t>(cell[0]) * places_[1] + cell[1]) * places_[2] + cell[2];
  }
  T& at(int end, size_t index) { return ends_[end][index]; }
  T at(int end, size_t index) const { return ends_[end][index]; }

  // Over a box, at the lower end (0) or the higher (1).
  T Sum(int end, const Box& box) const {
    T sum = 0;
    for (int32_t i = box[0].begin; i < box[0].end; ++i) {
      for (int32_t j = box[1].begin; j < box[1].end; ++j) {
        const size_t row = Index({i, j, 0});
        for (int32_t k = box[2].begin; k < box[2].end; ++k) sum += ends_[end][row + k];
      }
    }
    return sum;
  }

 private:
  Places places_;
  std::array<std::vector<T>, 2> ends_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_STAR_H_
