#include "lab/key_value/collision.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "cli/simulation/distributions.h"
#include "common/base/check.h"

namespace tombola::lab {
namespace {

using simulation::Binomial;
using simulation::Generator;

// The buckets of this choice of pairs (a bit each) with these signs (a bit each, set for -).
std::set<int64_t> BucketsOf(absl::Span<const Pair> record, uint32_t chosen, uint32_t minus,
                            absl::Span<const int64_t> function) {
  std::set<int64_t> buckets;
  for (size_t at = 0; at < record.size(); ++at) {
    if ((chosen >> at & 1) == 0) continue;
    buckets.insert(function[2 * record[at].key + (minus >> at & 1)]);
  }
  return buckets;
}

}  // namespace

double CollisionLaw::omega() const {
  return static_cast<double>(items) * std::expm1(epsilon) + static_cast<double>(buckets);
}

double CollisionLaw::hit() const { return std::exp(epsilon) / omega(); }

double CollisionLaw::gain() const {
  return static_cast<double>(buckets - items) * std::expm1(epsilon) /
         (static_cast<double>(buckets) * omega());
}

double CollisionLaw::RareVariance() const { return other() * (1 - other()) / (gain() * gain()); }

LocalLaw CollisionLaw::local() const {
  const double t = static_cast<double>(buckets);
  return {.epsilon = epsilon, .gamma = t / omega(), .range = t / static_cast<double>(items)};
}

CollisionLaw BestCollision(int64_t items, double epsilon) {
  CollisionLaw best = {.items = items, .buckets = items + 1, .epsilon = epsilon};
  // The variance falls to one least value and rises again.
  for (CollisionLaw next = best;; best = next) {
    ++next.buckets;
    if (next.RareVariance() >= best.RareVariance()) return best;
  }
}

Collision::Collision(const Setting& setting)
    : Collision(setting, BestCollision(setting.items, setting.epsilon).buckets) {}

Collision::Collision(const Setting& setting, int64_t buckets)
    : LocalMethod(setting), law_{setting.items, buckets, setting.epsilon} {
  TOMBOLA_CHECK(buckets > setting.items && setting.levels >= 1 && setting.levels <= 2);
}

// Under a random function a report supports a thing of the set with probability hit() whatever else
// is in the set, and any other thing with 1/t, independently of the first.
Estimates Collision::Run(Trial& trial, Generator& noise) const {
  const Kept& kept = trial.kept(setting().items, setting().levels);
  const double users = static_cast<double>(kept.users);
  const auto share = [&](int64_t holders) {
    const int64_t support =
        Binomial(holders, law_.hit(), noise) + Binomial(kept.users - holders, law_.other(), noise);
    return (static_cast<double>(support) / users - law_.other()) / law_.gain();
  };
  Estimates estimates;
  for (int64_t key = 0; key < setting().keys; ++key) {
    const double minus = share(kept.at(key, 0));
    if (setting().levels == 1) {
      estimates.frequencies.push_back(minus);
      continue;
    }
    const double plus = share(kept.at(key, 1));
    estimates.frequencies.push_back(plus + minus);
    estimates.means.push_back(MeanOf(plus - minus, plus + minus, users));
  }
  return estimates;
}

// Of a key's counts a holder's pair is in one, with probability t (kept), and supports the other,
// if there is one, by chance.
std::optional<double> Collision::FrequencyVariance(const KeyShare& key) const {
  const double other = law_.other(), gain = law_.gain();
  const double of_count = setting().levels * key.users * other * (1 - other) +
                          (1 - 2 * other) * gain * key.kept - gain * gain * key.kept_squares;
  return of_count / (key.users * key.users * gain * gain);
}

std::optional<double> Collision::DifferenceVariance(const KeyShare& key) const {
  if (setting().levels == 1) return std::nullopt;
  const double other = law_.other(), gain = law_.gain();
  const double of_difference = 2 * key.users * other * (1 - other) +
                               (1 - 2 * other) * gain * key.kept -
                               gain * gain * key.kept_squares * key.mean * key.mean;
  return of_difference / (key.users * key.users * gain * gain);
}

std::vector<double> Collision::ReportLaw(absl::Span<const Pair> record) const {
  const int64_t things = 2 * setting().keys, t = law_.buckets;
  const size_t wanted = std::min(record.size(), static_cast<size_t>(law_.items));
  int64_t functions = 1;
  for (int64_t thing = 0; thing < things; ++thing) functions *= t;
  std::vector<double> law(functions * t, 0);
  std::vector<int64_t> function(things);
  double choices = 0;
  for (uint32_t chosen = 0; chosen < 1u << record.size(); ++chosen) {
    if (static_cast<size_t>(std::popcount(chosen)) == wanted) ++choices;
  }
  for (int64_t number = 0; number < functions; ++number) {
    int64_t rest = number;
    for (int64_t& bucket : function) {
      bucket = rest % t;
      rest /= t;
    }
    for (uint32_t chosen = 0; chosen < 1u << record.size(); ++chosen) {
      if (static_cast<size_t>(std::popcount(chosen)) != wanted) continue;
      for (uint32_t minus = 0; minus < 1u << record.size(); ++minus) {
        double weight = 1 / (choices * static_cast<double>(functions));
        for (size_t at = 0; at < record.size(); ++at) {
          const double value = record[at].value;
          weight *= (minus >> at & 1) != 0 ? (1 - value) / 2 : (1 + value) / 2;
        }
        const std::set<int64_t> own = BucketsOf(record, chosen, minus, function);
        const double c = static_cast<double>(own.size());
        const double rest_each = (1 - c * law_.hit()) / (static_cast<double>(t) - c);
        for (int64_t bucket = 0; bucket < t; ++bucket) {
          law[number * t + bucket] += weight * (own.contains(bucket) ? law_.hit() : rest_each);
        }
      }
    }
  }
  return law;
}

}  // namespace tombola::lab
