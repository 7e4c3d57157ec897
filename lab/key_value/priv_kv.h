// PrivKV (Ye, Hu, Meng, Zheng, "PrivKV: Key-Value Data Collection with Local Differential Privacy",
// 2019), in one round: a uniform key; whether it is there by randomised response with half of
// epsilon, and if the answer is yes a sign by one with the other half, a fair one if it is not
// there.
#ifndef TOMBOLA_LAB_KEY_VALUE_PRIV_KV_H_
#define TOMBOLA_LAB_KEY_VALUE_PRIV_KV_H_

#include <vector>

#include "lab/key_value/ternary.h"

namespace tombola::lab {

enum class PrivKvMean {
  // (plus - minus) / ((2 p2 - 1)(plus + minus)): counts who only pretended to hold the key, so it
  // is
  // too near to 0 by the factor MeanShrinkage.
  kPublished,
  kUnbiased,  // by the difference and the frequency, as every other method here
};

class PrivKv final : public AskedTernary {
 public:
  PrivKv(const Setting& setting, PrivKvMean mean);

  // The report has only eps/2 + ln(2/(1 + e^(-eps/2))): less than the epsilon stated, because who
  // does not hold the key says a fair sign.
  LocalLaw law() const override;
  std::vector<double> ReportLaw(absl::Span<const Pair> record) const override;

  // What the expectation of the published mean is multiplied by, for a key of this frequency.
  double MeanShrinkage(double frequency) const;

 private:
  double Mean(const Tally& tally) const override;

  double keep_;  // p1 = p2 = e^(eps/2) / (1 + e^(eps/2))
  PrivKvMean mean_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_PRIV_KV_H_
