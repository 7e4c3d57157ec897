#include "common/scheme/scheme.h"

#include <algorithm>
#include <cmath>

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

int64_t HonestOf(int64_t submissions, double share) {
  const double foreign = std::ceil(static_cast<double>(submissions) * share);
  return std::max<int64_t>(0, submissions - static_cast<int64_t>(foreign));
}

}  // namespace tombola::mechanism
