#include "lab/data/population.h"

#include <algorithm>
#include <numeric>

#include "common/base/check.h"

namespace tombola::lab {

Population::Population(int64_t keys) : keys_(keys) { TOMBOLA_CHECK(keys >= 1); }

void Population::Add(absl::Span<const Pair> record) {
  int64_t before = -1;
  for (const Pair& pair : record) {
    TOMBOLA_CHECK(pair.key > before && pair.key < keys_);
    TOMBOLA_CHECK(pair.value >= -1 && pair.value <= 1);
    before = pair.key;
  }
  pairs_.insert(pairs_.end(), record.begin(), record.end());
  ends_.push_back(pairs_.size());
}

std::vector<KeyTruth> TruthOf(const Population& population) {
  std::vector<KeyTruth> truth(population.keys());
  for (int64_t user = 0; user < population.users(); ++user) {
    for (const Pair& pair : population.record(user)) {
      truth[pair.key].frequency += 1;
      truth[pair.key].mean += pair.value;
    }
  }
  for (KeyTruth& key : truth) {
    if (key.frequency > 0) key.mean /= key.frequency;
    key.frequency /= static_cast<double>(population.users());
  }
  return truth;
}

std::vector<int64_t> MostHeld(absl::Span<const KeyTruth> truth, int64_t top) {
  std::vector<int64_t> keys;
  for (size_t key = 0; key < truth.size(); ++key) {
    if (truth[key].frequency > 0) keys.push_back(static_cast<int64_t>(key));
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [&](int64_t a, int64_t b) { return truth[a].frequency > truth[b].frequency; });
  if (static_cast<int64_t>(keys.size()) > top) keys.resize(top);
  return keys;
}

std::vector<int64_t> LengthsOf(const Population& population) {
  std::vector<int64_t> lengths(population.keys() + 1, 0);
  for (int64_t user = 0; user < population.users(); ++user) {
    ++lengths[population.record(user).size()];
  }
  return lengths;
}

int64_t LengthQuantile(absl::Span<const int64_t> lengths, double share) {
  const double users =
      static_cast<double>(std::accumulate(lengths.begin(), lengths.end(), int64_t{0}));
  int64_t within = 0, length = 0;
  for (; length + 1 < static_cast<int64_t>(lengths.size()); ++length) {
    within += lengths[length];
    if (length >= 1 && static_cast<double>(within) >= share * users) break;
  }
  return length;
}

std::vector<KeyShare> SharesOf(const Population& population, int64_t items) {
  TOMBOLA_CHECK(items >= 1);
  std::vector<KeyShare> shares(population.keys());
  for (int64_t user = 0; user < population.users(); ++user) {
    const absl::Span<const Pair> record = population.record(user);
    const double length = static_cast<double>(record.size());
    const double kept = std::min(1.0, static_cast<double>(items) / length);
    for (const Pair& pair : record) {
      KeyShare& share = shares[pair.key];
      share.holders += 1;
      share.kept += kept;
      share.kept_squares += kept * kept;
      share.mean += pair.value;
    }
  }
  for (KeyShare& share : shares) {
    share.users = static_cast<double>(population.users());
    if (share.holders > 0) share.mean /= share.holders;
  }
  return shares;
}

}  // namespace tombola::lab
