#include "common/scheme/scheme.h"

#include <algorithm>

namespace tombola::mechanism {
namespace {

// Beyond, an evaluation takes a large part of a second. Those who are left out hide nobody, which
// is the worse case.
constexpr int64_t kMostAccounted = int64_t{1} << 28;

}  // namespace

absl::StatusOr<accounting::SubmissionLoss> Scheme::Loss(int64_t honest, double negligible) const {
  const int64_t counted = std::min(honest, kMostAccounted);
  return accounting::LossFromCurve([&](double epsilon) { return Delta(counted, epsilon); },
                                   negligible);
}

}  // namespace tombola::mechanism
