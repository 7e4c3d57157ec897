#include "common/scheme/scheme.h"

namespace tombola::mechanism {

absl::StatusOr<accounting::SubmissionLoss> Scheme::Loss(int64_t honest, double negligible) const {
  return accounting::LossFromCurve([&](double epsilon) { return Delta(honest, epsilon); },
                                   negligible);
}

}  // namespace tombola::mechanism
