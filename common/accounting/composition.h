// What several uses of one guarantee amount to.
#ifndef TOMBOLA_COMMON_ACCOUNTING_COMPOSITION_H_
#define TOMBOLA_COMMON_ACCOUNTING_COMPOSITION_H_

#include <cstdint>

namespace tombola::accounting {

struct EpsilonDelta {
  double epsilon = 0;
  double delta = 0;
};

// Group privacy: what holds for neighbours that differ in `k` >= 1 submissions of one batch when
// `single` holds for one. k epsilon, and delta (e^{k epsilon} - 1) / (e^epsilon - 1), at most 1.
// Because that sum is superadditive in k it also bounds the k submissions spread over batches in
// any way, composed.
EpsilonDelta GroupPrivacy(const EpsilonDelta& single, int64_t k);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_COMPOSITION_H_
