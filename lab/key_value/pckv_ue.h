// PCKV-UE (Gu et al. 2020): padding and sampling, then a vector with +, - or 0 for every key, each
// randomised by itself.
#ifndef TOMBOLA_LAB_KEY_VALUE_PCKV_UE_H_
#define TOMBOLA_LAB_KEY_VALUE_PCKV_UE_H_

#include <vector>

#include "lab/key_value/ternary.h"

namespace tombola::lab {

// a = 1/2, b = 2/(e^eps + 3), p = e^eps/(e^eps + 1): the picked key says its own sign with a p, the
// other with a (1 - p); every other key each sign with b/2. The vector tells as much of l pairs as
// of one, so sampling does not help: the record has epsilon, no less.
class PckvUe final : public PaddedTernary {
 public:
  explicit PckvUe(const Setting& setting);

  LocalLaw law() const override { return {.epsilon = setting().epsilon}; }
  std::vector<double> ReportLaw(absl::Span<const Pair> record) const override;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_PCKV_UE_H_
