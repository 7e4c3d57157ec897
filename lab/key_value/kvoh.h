// KVOH (Sun et al. 2019): a uniform key, its three states +, - and absent as three bits of which
// one is set, each bit randomised as in optimised unary encoding. The paper that compares with it
// does not define it, and its own could not be had: this is a reconstruction.
#ifndef TOMBOLA_LAB_KEY_VALUE_KVOH_H_
#define TOMBOLA_LAB_KEY_VALUE_KVOH_H_

#include <optional>
#include <vector>

#include "lab/key_value/method.h"

namespace tombola::lab {

// A set bit stays set with 1/2, another is set with q = 1/(e^eps + 1). With unbiased shares s+, s-
// and s0 of the states, which need not sum to one, the frequency is (s+ + s- + 2(1 - s0))/3.
class Kvoh final : public LocalMethod {
 public:
  explicit Kvoh(const Setting& setting);

  int64_t items() const override { return setting().keys; }
  Estimates Run(Trial& trial, simulation::Generator& noise) const override;
  std::optional<double> FrequencyVariance(const KeyShare& key) const override;
  std::optional<double> DifferenceVariance(const KeyShare& key) const override;
  LocalLaw law() const override { return {.epsilon = setting().epsilon}; }
  std::vector<double> ReportLaw(absl::Span<const Pair> record) const override;

 private:
  double StateShare(int64_t held, int64_t users, simulation::Generator& noise) const;
  double BitVariance(double share) const;

  double other_;  // q
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_KVOH_H_
