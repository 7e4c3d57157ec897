// HISKV (Zhang et al. 2021, Algorithm 1; docs/errata.md has the full title):
// a pilot group of a tenth of the devices chooses the length, all others answer by LRR_KV.
//
// NOT private as published, as LRR_KV. The two groups are disjoint, so a device gives away the
// larger of what OETL and LRR_KV leave, not their sum.
#ifndef TOMBOLA_LAB_KEY_VALUE_HISKV_H_
#define TOMBOLA_LAB_KEY_VALUE_HISKV_H_

#include <cstdint>
#include <optional>

#include "lab/key_value/method.h"

namespace tombola::lab {

enum class LengthRule {
  kOetl,       // as published
  kThreshold,  // threshold responses instead
};

class Hiskv final : public Method {
 public:
  // setting.items is not looked at.
  Hiskv(const Setting& setting, LengthRule rule) : setting_(setting), rule_(rule) {}

  // Every trial has a length of its own: nothing is known before.
  int64_t items() const override { return setting_.keys; }
  Estimates Run(Trial& trial, simulation::Generator& noise) const override;
  std::optional<double> FrequencyVariance(const KeyShare&) const override { return std::nullopt; }
  std::optional<double> DifferenceVariance(const KeyShare&) const override { return std::nullopt; }

 private:
  Setting setting_;
  LengthRule rule_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_HISKV_H_
