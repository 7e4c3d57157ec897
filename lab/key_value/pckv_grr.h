// PCKV-GRR (Gu, Li, Cheng, Xiong, Cao, "PCKV: Locally Differentially Private Correlated Key-Value
// Data Collection with Optimized Utility", 2020): padding and sampling, then randomised response
// over all 2 (keys + items) signed keys, dummies included.
#ifndef TOMBOLA_LAB_KEY_VALUE_PCKV_GRR_H_
#define TOMBOLA_LAB_KEY_VALUE_PCKV_GRR_H_

#include <vector>

#include "lab/key_value/ternary.h"

namespace tombola::lab {

// What epsilon is spent on. A device's pair is one of `items`, so a response with budget e to the
// pair leaves ln(1 + (e^e - 1)/items) of the whole record.
enum class PairBudget {
  kPair,  // the response to a pair has epsilon: private, and wasteful; what HISKV was compared with
  kTight,  // the record has epsilon: the pair's is ln(1 + items (e^epsilon - 1))
};

class PckvGrr final : public PaddedTernary {
 public:
  PckvGrr(const Setting& setting, PairBudget budget);

  // Of the response to one pair.
  double pair_epsilon() const { return pair_epsilon_; }
  LocalLaw law() const override;
  std::vector<double> ReportLaw(absl::Span<const Pair> record) const override;

 private:
  double pair_epsilon_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_PCKV_GRR_H_
