#include "lab/joins/star.h"

#include <algorithm>

namespace tombola::lab {

void StarData::Add(uint8_t profile, absl::Span<const JoinedTuple> tuples) {
  profiles_.push_back(profile);
  tuples_.insert(tuples_.end(), tuples.begin(), tuples.end());
  ends_.push_back(tuples_.size());
  most_ = std::max(most_, static_cast<int64_t>(tuples.size()));
}

JoinTruth TruthOf(const StarData& data, const JoinQuery& query) {
  JoinTruth truth;
  for (int64_t user = 0; user < data.users(); ++user) {
    if (!query.box[0].Holds(data.profile(user))) continue;
    for (const JoinedTuple& tuple : data.joined(user)) {
      if (!Holds(query.box, CellOf(data.profile(user), tuple, query.asked))) continue;
      truth.count += 1;
      truth.sum += tuple.amount;
    }
  }
  return truth;
}

JoinTruth TotalOf(const StarData& data) {
  JoinTruth total = {.count = static_cast<double>(data.tuples())};
  for (int64_t user = 0; user < data.users(); ++user) {
    for (const JoinedTuple& tuple : data.joined(user)) total.sum += tuple.amount;
  }
  return total;
}

}  // namespace tombola::lab
