// A device of HISKV, step by step as its paper prints it: for an audit, which must not believe
// formulas.
#ifndef TOMBOLA_LAB_AUDIT_LRR_KV_DEVICE_H_
#define TOMBOLA_LAB_AUDIT_LRR_KV_DEVICE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "cli/audit/trial.h"
#include "common/random/random_source.h"
#include "lab/data/population.h"
#include "lab/key_value/method.h"

namespace tombola::lab {

// What a device sends: a key, of which those from keys on are dummies, and a sign.
struct SignedKey {
  int64_t key = 0;
  bool plus = false;
  bool operator==(const SignedKey&) const = default;
};

// Algorithms 3 (padding and sampling), Equation (5) (the sign) and 2 (the response), with dummies
// that are no real keys and a sample that is always drawn. NOT private: never on a device.
class LrrKvDevice {
 public:
  explicit LrrKvDevice(const Setting& setting);  // a valid one

  SignedKey Report(absl::Span<const Pair> record, RandomSource& random) const;

 private:
  Pair PadAndSample(absl::Span<const Pair> record, RandomSource& random) const;

  Setting setting_;
  uint64_t own_, own_or_opposite_;  // thresholds of 2^64
};

// One device that holds the key 0, or the key 1, with the value 1 and nothing else. The score is
// high where its report is the one that LRR_KV makes likeliest for the first and least likely for
// the second.
class LrrKvTrial final : public cli::Trial {
 public:
  explicit LrrKvTrial(const Setting& setting) : device_(setting) {}  // keys >= 2

  absl::StatusOr<cli::Scores> Run(RandomSource& random) override;

 private:
  LrrKvDevice device_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_AUDIT_LRR_KV_DEVICE_H_
