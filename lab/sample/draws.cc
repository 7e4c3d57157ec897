#include "lab/sample/draws.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/simulation/distributions.h"
#include "common/base/check.h"
#include "common/random/random_source.h"

namespace tombola::lab {
namespace {

using simulation::Generator;
using simulation::Uniform;

bool IsPlus(float value, Generator& random) { return 2 * Uniform(random) < 1 + value; }

const Pair* Find(absl::Span<const Pair> record, int32_t key) {
  const auto* found = std::lower_bound(record.begin(), record.end(), key,
                                       [](const Pair& pair, int32_t k) { return pair.key < k; });
  return found != record.end() && found->key == key ? found : nullptr;
}

}  // namespace

int64_t Padded::dummies() const {
  return std::accumulate(minus.begin(), minus.end(),
                         std::accumulate(plus.begin(), plus.end(), users, std::minus<>()),
                         std::minus<>());
}

Padded DrawPadded(const Population& population, int64_t items, absl::Span<const uint8_t> left_out,
                  Generator& random) {
  TOMBOLA_CHECK(items >= 1);
  Padded drawn = {.plus = std::vector<int64_t>(population.keys(), 0),
                  .minus = std::vector<int64_t>(population.keys(), 0)};
  for (int64_t user = 0; user < population.users(); ++user) {
    if (!left_out.empty() && left_out[user] != 0) continue;
    ++drawn.users;
    const absl::Span<const Pair> record = population.record(user);
    const size_t places = std::max(record.size(), static_cast<size_t>(items));
    const uint64_t place = UniformBelow(places, random);
    if (place >= record.size()) continue;
    const Pair& pair = record[place];
    ++(IsPlus(pair.value, random) ? drawn.plus : drawn.minus)[pair.key];
  }
  return drawn;
}

std::vector<Asked> DrawAsked(const Population& population, int groups, Generator& random) {
  TOMBOLA_CHECK(groups >= 1);
  const std::vector<int64_t> zeros(population.keys(), 0);
  std::vector<Asked> drawn(groups, Asked{zeros, zeros, zeros});
  for (int64_t user = 0; user < population.users(); ++user) {
    Asked& group = drawn[groups == 1 ? 0 : UniformBelow(groups, random)];
    const int32_t key = static_cast<int32_t>(UniformBelow(population.keys(), random));
    ++group.users[key];
    const Pair* pair = Find(population.record(user), key);
    if (pair != nullptr) ++(IsPlus(pair->value, random) ? group.plus : group.minus)[key];
  }
  return drawn;
}

int64_t Kept::holders(int64_t key) const {
  const auto first = cells.begin() + key * levels;
  return std::accumulate(first, first + levels, int64_t{0});
}

Kept DrawKept(const Population& population, int64_t items, int levels, Generator& random) {
  TOMBOLA_CHECK(items >= 1 && levels >= 1);
  Kept drawn = {.users = population.users(),
                .levels = levels,
                .cells = std::vector<int64_t>(population.keys() * levels, 0),
                .sums = std::vector<double>(population.keys(), 0)};
  const Levels rounding = LevelsOf(levels);
  for (int64_t user = 0; user < population.users(); ++user) {
    const absl::Span<const Pair> record = population.record(user);
    // Selection sampling: of the pairs that are left, so many are still wanted.
    uint64_t wanted = std::min(record.size(), static_cast<size_t>(items));
    for (size_t at = 0; at < record.size() && wanted > 0; ++at) {
      const size_t left = record.size() - at;
      if (wanted < left && UniformBelow(left, random) >= wanted) continue;
      --wanted;
      const Pair& pair = record[at];
      int64_t level = 0;
      if (levels > 1) {
        const Levels::Place place = rounding.PlaceOf(pair.value);
        level = place.below + (Uniform(random) < place.above ? 1 : 0);
      }
      ++drawn.cells[static_cast<int64_t>(pair.key) * levels + level];
      drawn.sums[pair.key] += pair.value;
    }
  }
  return drawn;
}

Pilot DrawPilot(const Population& population, double share, Generator& random) {
  Pilot pilot = {.members = std::vector<uint8_t>(population.users(), 0),
                 .lengths = std::vector<int64_t>(population.keys() + 1, 0)};
  for (int64_t user = 0; user < population.users(); ++user) {
    if (Uniform(random) >= share) continue;
    pilot.members[user] = 1;
    ++pilot.lengths[population.record(user).size()];
  }
  return pilot;
}

}  // namespace tombola::lab
