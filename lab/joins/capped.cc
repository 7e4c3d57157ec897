#include "lab/joins/capped.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "lab/joins/counted.h"
#include "lab/joins/decompose.h"

namespace tombola::lab {
namespace {

double LogChoose(int64_t n, int64_t k) {
  double log = 0;
  for (int64_t i = 0; i < k; ++i) {
    log += std::log(static_cast<double>(n - i) / static_cast<double>(k - i));
  }
  return log;
}

// How many tuples count of those in one place, and in two: the moments of min(., cap), where a
// device has so many tuples and takes tau of them. Not thread-safe.
class Choice {
 public:
  Choice(int64_t tau, int64_t cap) : tau_(tau), cap_(cap) {}

  double Mean(int64_t held, int64_t here) { return Of(held, here, 0).one; }
  double Square(int64_t held, int64_t here) { return Of(held, here, 0).square; }
  // Of the product of the numbers of two places.
  double Product(int64_t held, int64_t here, int64_t there) {
    return Of(held, here, there).product;
  }

 private:
  struct Moments {
    double one = 0, square = 0, product = 0;
  };

  const Moments& Of(int64_t held, int64_t here, int64_t there) {
    const uint64_t key = static_cast<uint64_t>((held * kKeys + here) * kKeys + there);
    const auto [found, made] = moments_.try_emplace(key);
    Moments& moments = found->second;
    if (!made) return moments;
    const int64_t taken = std::min(held, tau_), others = held - here - there;
    for (int64_t a = 0; a <= std::min(here, taken); ++a) {
      for (int64_t b = 0; b <= std::min(there, taken - a); ++b) {
        if (taken - a - b > others) continue;
        const double probability =
            std::exp(LogChoose(here, a) + LogChoose(there, b) + LogChoose(others, taken - a - b) -
                     LogChoose(held, taken));
        const double first = static_cast<double>(std::min(a, cap_));
        const double second = static_cast<double>(std::min(b, cap_));
        moments.one += probability * first;
        moments.square += probability * first * first;
        moments.product += probability * first * second;
      }
    }
    return moments;
  }

  // No device has as many tuples.
  static constexpr int64_t kKeys = int64_t{1} << 20;

  int64_t tau_, cap_;
  std::unordered_map<uint64_t, Moments> moments_;
};

// A place of the grid with some of a device's tuples in it.
struct Held {
  Places cell = {};
  int64_t tuples = 0;
};

// By axis and place: the place of the grid.
using Grid = std::array<std::vector<int32_t>, kJoinAttributes>;

Grid GridOf(const CappedJoin& join) {
  Grid grid;
  for (int i = 0; i < kJoinAttributes; ++i) {
    grid[i].assign(join.setting.places[i], 0);
    if (i >= join.setting.asked) continue;
    for (int32_t cell = 0; cell < join.cells[i]; ++cell) {
      const Interval below = GridCell(join.setting.places[i], join.cells[i], cell);
      std::fill(grid[i].begin() + below.begin, grid[i].begin() + below.end, cell);
    }
  }
  return grid;
}

void Group(const StarData& data, int64_t user, const Grid& grid, std::vector<Held>& held) {
  held.clear();
  const int32_t own = grid[0][data.profile(user)];
  for (const JoinedTuple& tuple : data.joined(user)) {
    const Places cell = {own, grid[1][tuple.product], grid[2][tuple.fact]};
    const auto found = std::find_if(held.begin(), held.end(),
                                    [&](const Held& other) { return other.cell == cell; });
    if (found == held.end()) {
      held.push_back({cell, 1});
    } else {
      ++found->tuples;
    }
  }
}

// By axis and place of the grid: how much of the place is in the query.
using Weights = std::array<std::vector<double>, kJoinAttributes>;

Weights WeightsOf(const CappedJoin& join, const JoinQuery& query) {
  Weights weights;
  for (int i = 0; i < kJoinAttributes; ++i) {
    weights[i].assign(join.cells[i], i < query.asked ? 0 : 1);
    if (i >= query.asked) continue;
    for (const WeightedNode& cell :
         OverlappedCells(join.setting.places[i], join.cells[i], query.box[i])) {
      weights[i][cell.node] = cell.weight;
    }
  }
  return weights;
}

double WeightOf(const Weights& weights, const Places& cell) {
  return weights[0][cell[0]] * weights[1][cell[1]] * weights[2][cell[2]];
}

double SquaresOf(const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight * weight;
  return sum;
}

double AllCells(const CappedJoin& join) {
  const double pads =
      std::ceil(static_cast<double>(join.setting.tau) / static_cast<double>(join.cap));
  return 2.0 * join.cells[0] * join.cells[1] * join.cells[2] + pads;
}

}  // namespace

absl::StatusOr<CappedJoin> PlanCappedJoin(const JoinSetting& setting, int64_t cap, double delta) {
  TOMBOLA_RETURN_IF_ERROR(Validate(setting));
  if (cap < 1 || cap > setting.tau) {
    return absl::InvalidArgumentError(absl::StrCat("cap must be from 1 to ", setting.tau));
  }
  CappedJoin join = {.setting = setting, .cap = cap};
  for (int i = 0; i < setting.asked; ++i) join.cells[i] = setting.places[i];
  TOMBOLA_ASSIGN_OR_RETURN(join.mean,
                           SmallestPoissonMeanOfUnits(setting.epsilon, delta, 1, setting.tau, cap));
  for (;;) {
    join.messages = static_cast<double>(setting.tau) +
                    AllCells(join) * join.mean / static_cast<double>(setting.users);
    bool coarser = false;
    for (int i = 0; i < setting.asked && join.messages > kMostMessages; ++i) {
      if (join.cells[i] <= 2) continue;
      join.cells[i] = std::max(2, join.cells[i] * 9 / 10);
      coarser = true;
    }
    if (!coarser) return join;
  }
}

CappedLaw LawOf(const CappedJoin& join, const StarData& data, const JoinQuery& query) {
  const Weights weights = WeightsOf(join, query);
  const Grid grid = GridOf(join);
  Choice choice(join.setting.tau, join.cap);
  CappedLaw law;
  std::vector<Held> held;
  for (int64_t user = 0; user < data.users(); ++user) {
    if (weights[0][grid[0][data.profile(user)]] == 0) continue;
    Group(data, user, grid, held);
    const int64_t all = static_cast<int64_t>(data.joined(user).size());
    double mean = 0, square = 0;
    for (size_t i = 0; i < held.size(); ++i) {
      const double weight = WeightOf(weights, held[i].cell);
      if (weight == 0) continue;
      mean += weight * choice.Mean(all, held[i].tuples);
      if (all <= join.setting.tau) continue;
      square += weight * weight * choice.Square(all, held[i].tuples);
      for (size_t j = 0; j < i; ++j) {
        const double other = WeightOf(weights, held[j].cell);
        if (other == 0) continue;
        square += 2 * weight * other * choice.Product(all, held[i].tuples, held[j].tuples);
      }
    }
    law.count += mean;
    // Nothing is by chance where all tuples are taken.
    if (all > join.setting.tau) law.variance += square - mean * mean;
  }
  law.variance +=
      2 * join.mean * SquaresOf(weights[0]) * SquaresOf(weights[1]) * SquaresOf(weights[2]);
  return law;
}

double CountedShare(const CappedJoin& join, const StarData& data) {
  const Grid grid = GridOf(join);
  Choice choice(join.setting.tau, join.cap);
  double counted = 0;
  std::vector<Held> held;
  for (int64_t user = 0; user < data.users(); ++user) {
    Group(data, user, grid, held);
    for (const Held& here : held) {
      counted += choice.Mean(static_cast<int64_t>(data.joined(user).size()), here.tuples);
    }
  }
  return counted / static_cast<double>(data.tuples());
}

}  // namespace tombola::lab
