// LDPKV (Zhang et al. 2020), and KVUE (Sun et al., "Conditional Analysis for Key-Value Data with
// Local Differential Privacy", 2019), whose authors' own program does the same: a uniform key, and
// randomised response over its three states +, - and absent.
#ifndef TOMBOLA_LAB_KEY_VALUE_LDPKV_H_
#define TOMBOLA_LAB_KEY_VALUE_LDPKV_H_

#include <vector>

#include "lab/key_value/ternary.h"

namespace tombola::lab {

class Ldpkv final : public AskedTernary {
 public:
  explicit Ldpkv(const Setting& setting);

  LocalLaw law() const override;
  std::vector<double> ReportLaw(absl::Span<const Pair> record) const override;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_LDPKV_H_
