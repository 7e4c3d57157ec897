// LRR_KV (Zhang et al. 2021, Algorithm 2; docs/errata.md has the full title): padding and sampling,
// then a response that favours both signs of the picked key.
//
// NOT private as published: the report has more than epsilon where items = 1, and wastes much of it
// where items is large. docs/errata.md says why.
#ifndef TOMBOLA_LAB_KEY_VALUE_LRR_KV_H_
#define TOMBOLA_LAB_KEY_VALUE_LRR_KV_H_

#include <vector>

#include "lab/key_value/ternary.h"

namespace tombola::lab {

// With c = 2 (keys + items) signed keys, dummies included.
struct LrrProbabilities {
  double own = 0;       // p1 = e^eps / (e^eps + c - 1): the picked key with its own sign
  double opposite = 0;  // q1 = e^eps q2: the picked key with the other sign
  double other = 0;     // q2 = (c - 1) / ((e^eps + c - 1)(e^eps + c - 2)): each other signed key
};
LrrProbabilities LrrProbabilitiesOf(const Setting& setting);

class LrrKv final : public PaddedTernary {
 public:
  explicit LrrKv(const Setting& setting);

  // Of the response to one pair: epsilon + ln(1 + (e^epsilon - 1)/(c - 1)), although Theorem 2 says
  // epsilon.
  double pair_epsilon() const;
  LocalLaw law() const override;
  std::vector<double> ReportLaw(absl::Span<const Pair> record) const override;

 private:
  LrrProbabilities probabilities_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_LRR_KV_H_
