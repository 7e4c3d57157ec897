// RAPPOR with Harmony (Erlingsson et al. 2014, one bit; Nguyen et al. 2016): the two baselines of
// the key-value papers, the one for frequencies and the other for means. Half of the devices, by a
// fair coin, send whether they hold a uniform key, the others the key's value, 0 if they do not
// hold it, as one bit; either with all of epsilon.
#ifndef TOMBOLA_LAB_KEY_VALUE_RAPPOR_HARMONY_H_
#define TOMBOLA_LAB_KEY_VALUE_RAPPOR_HARMONY_H_

#include <optional>
#include <vector>

#include "lab/key_value/method.h"

namespace tombola::lab {

class RapporHarmony final : public LocalMethod {
 public:
  explicit RapporHarmony(const Setting& setting);

  int64_t items() const override { return setting().keys; }
  Estimates Run(Trial& trial, simulation::Generator& noise) const override;
  std::optional<double> FrequencyVariance(const KeyShare& key) const override;
  std::optional<double> DifferenceVariance(const KeyShare& key) const override;
  LocalLaw law() const override;
  std::vector<double> ReportLaw(absl::Span<const Pair> record) const override;

 private:
  double keep_;  // e^eps / (e^eps + 1)
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_RAPPOR_HARMONY_H_
