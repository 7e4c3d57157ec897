// Collision (Wang et al., 2023): a fresh random function maps all signed keys, or of a set the
// keys, to t buckets; a device with at most s = items of them says one bucket, those of its own
// with the highest probability each. One report tells of all pairs at once, so nothing is padded or
// sampled.
#ifndef TOMBOLA_LAB_KEY_VALUE_COLLISION_H_
#define TOMBOLA_LAB_KEY_VALUE_COLLISION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lab/key_value/method.h"

namespace tombola::lab {

// The probabilities of one report, for sets of at most s things and t > s buckets, with
// omega = s e^eps + t - s: a bucket that holds a thing of the set has e^eps / omega, and those that
// do not share the rest, between 1/omega and e^eps / omega each.
struct CollisionLaw {
  int64_t items = 0;    // s
  int64_t buckets = 0;  // t
  double epsilon = 0;

  double omega() const;
  double hit() const;  // of the bucket of a thing of the set
  double other() const { return 1.0 / static_cast<double>(buckets); }  // of that of any other thing
  double gain() const;  // hit() - other(), without cancellation
  // Users times the variance of the share of a thing that nobody holds:
  // (t-1)(s e^eps + t - s)^2 / ((t-s)^2 (e^eps - 1)^2).
  double RareVariance() const;
  LocalLaw local() const;
};
// With the number of buckets that has the least RareVariance.
CollisionLaw BestCollision(int64_t items, double epsilon);

class Collision final : public LocalMethod {
 public:
  // setting.levels is 1 or 2.
  explicit Collision(const Setting& setting);
  // With another number of buckets than the best one without a shuffler.
  Collision(const Setting& setting, int64_t buckets);

  const CollisionLaw& collision() const { return law_; }
  Estimates Run(Trial& trial, simulation::Generator& noise) const override;
  std::optional<double> FrequencyVariance(const KeyShare& key) const override;
  std::optional<double> DifferenceVariance(const KeyShare& key) const override;
  LocalLaw law() const override { return law_.local(); }
  // Reports are a function and a bucket: t^(2 keys) functions. For signed keys.
  std::vector<double> ReportLaw(absl::Span<const Pair> record) const override;

 private:
  CollisionLaw law_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_COLLISION_H_
