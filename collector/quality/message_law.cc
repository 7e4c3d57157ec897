#include "collector/quality/message_law.h"

#include <cmath>

#include "collector/quality/chernoff.h"

namespace tombola::collector {
namespace {

using mechanism::MessageLaw;

double Surprise(const MessageLaw& law, int64_t submissions, int64_t messages, double largest) {
  const double n = static_cast<double>(submissions);
  return Chernoff([&](double t) { return n * law.LogMgf(t); }, static_cast<double>(messages) - n,
                  largest);
}

}  // namespace

double MessagesAbove(const MessageLaw& law, int64_t submissions, int64_t messages) {
  return Surprise(law, submissions, messages, law.Largest());
}

// Fewer than the uncapped law gives come also about by a cap.
double MessagesBelow(const MessageLaw& law, int64_t submissions, int64_t messages) {
  const double uncapped = std::exp(-Surprise(law, submissions, messages, -MessageLaw::kLargestT));
  const double capped = static_cast<double>(submissions) * law.Capped();
  return std::fmax(0, -std::log(uncapped + capped));
}

}  // namespace tombola::collector
