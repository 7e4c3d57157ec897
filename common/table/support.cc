#include "common/table/support.h"

namespace tombola::mechanism {
namespace {

Support SupportOf(double range, double truthful, double collision) {
  const double uniform = (1 - truthful) / range;
  return {.holder = truthful + uniform,
          .other = truthful * collision + uniform,
          .separation = truthful * (1 - collision)};
}

}  // namespace

Support UniversalSupport(double range, double truthful) {
  return SupportOf(range, truthful, 1 / range);
}

Support PlaneSupport(double range, double truthful) {
  return SupportOf(range, truthful, 1 / (range + 1));
}

Support ResponseSupport(double range, double truthful) { return SupportOf(range, truthful, 0); }

double EstimateVariance(const Support& support, double frequency, int64_t reports) {
  const double spread = (1 - frequency) * support.other * (1 - support.other) +
                        frequency * support.holder * (1 - support.holder);
  return spread / (static_cast<double>(reports) * support.separation * support.separation);
}

double AverageSquaredError(const Support& support, int64_t domain_size, int64_t reports) {
  return EstimateVariance(support, 1 / static_cast<double>(domain_size), reports);
}

}  // namespace tombola::mechanism
