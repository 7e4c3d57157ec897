#include "cli/simulation/population.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "cli/simulation/distributions.h"
#include "cli/simulation/generator.h"
#include "common/base/status_macros.h"
#include "common/random/random_source.h"

namespace tombola::simulation {
namespace {

// Draws things from a law, without those that a device has.
class DistinctItems {
 public:
  explicit DistinctItems(std::vector<double> weights)
      : weights_(std::move(weights)), cumulative_(weights_.size()), taken_(weights_.size()) {
    std::partial_sum(weights_.begin(), weights_.end(), cumulative_.begin());
  }

  // As many as record->size().
  void Draw(Generator& random, std::vector<Holding>* record) {
    for (Holding& holding : *record) {
      const size_t item = Next(random);
      taken_[item] = true;
      holding.item = static_cast<uint32_t>(item);
    }
    for (const Holding& holding : *record) taken_[holding.item] = false;
  }

 private:
  // Drawing again and again is fast unless the device has nearly all that the law is made of.
  size_t Next(Generator& random) {
    constexpr int kTries = 200;
    for (int i = 0; i < kTries; ++i) {
      const auto above = std::upper_bound(cumulative_.begin(), cumulative_.end(),
                                          Uniform(random) * cumulative_.back());
      const auto item =
          std::min(static_cast<size_t>(above - cumulative_.begin()), weights_.size() - 1);
      if (!taken_[item]) return item;
    }
    return NextOfTheRest(random);
  }

  size_t NextOfTheRest(Generator& random) const {
    double rest = 0;
    for (size_t i = 0; i < weights_.size(); ++i) rest += taken_[i] ? 0 : weights_[i];
    double left = Uniform(random) * rest;
    size_t last = 0;
    for (size_t i = 0; i < weights_.size(); ++i) {
      if (taken_[i]) continue;
      last = i;
      left -= weights_[i];
      if (left < 0) break;
    }
    return last;
  }

  std::vector<double> weights_, cumulative_;
  std::vector<bool> taken_;
};

// Numbers by hundredths, so that many devices hold the same.
class Numbers {
 public:
  Numbers(const Levels& levels, int64_t keys, Generator& random) : levels_(levels) {
    if (levels.count < 2) return;
    for (int64_t key = 0; key < keys; ++key) {
      centres_.push_back(static_cast<int>(UniformBelow(161, random)) - 80);
    }
  }

  void Draw(Generator& random, std::vector<Holding>* record) const {
    if (centres_.empty()) return;
    for (Holding& holding : *record) {
      const int hundredths =
          centres_[holding.item] + static_cast<int>(UniformBelow(41, random)) - 20;
      const double share = (hundredths + 100) / 200.0;
      holding.number = static_cast<float>(levels_.low + share * (levels_.high - levels_.low));
    }
  }

 private:
  Levels levels_;
  std::vector<int> centres_;
};

}  // namespace

void Population::Add(absl::Span<const Holding> record) {
  holdings_.insert(holdings_.end(), record.begin(), record.end());
  ends_.push_back(holdings_.size());
}

absl::StatusOr<Population> DrawPopulation(const DataRequest& request, int64_t most,
                                          const Levels& levels) {
  TOMBOLA_RETURN_IF_ERROR(ValidateSizes(request));
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<double> weights, Weights(request));
  if (*request.users > Population::kMostHoldings / most) {
    return absl::InvalidArgumentError(
        absl::StrCat("--users times --max-items must be at most ", Population::kMostHoldings));
  }
  Generator random(SeedSequence(request.seed).Add("population").Add(request.source).seed());
  DistinctItems items(std::move(weights));
  const Numbers numbers(levels, *request.domain, random);
  Population population;
  std::vector<Holding> record;
  for (int64_t user = 0; user < *request.users; ++user) {
    record.assign(1 + UniformBelow(static_cast<uint64_t>(most), random), {});
    items.Draw(random, &record);
    numbers.Draw(random, &record);
    population.Add(record);
  }
  return population;
}

}  // namespace tombola::simulation
