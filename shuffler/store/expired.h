// One count for what ends without having been counted, wherever it ends.
#ifndef TOMBOLA_SHUFFLER_STORE_EXPIRED_H_
#define TOMBOLA_SHUFFLER_STORE_EXPIRED_H_

#include <cstdint>

#include "common/metrics/metrics.h"

namespace tombola::shuffler {

enum class ExpiryCause { kGuarantee, kKeyDestroyed };

inline void CountExpired(Metrics& metrics, ExpiryCause cause, int64_t submissions) {
  metrics
      .Counter("tombola_shuffler_submissions_expired_total",
               "Submissions whose batch never met its guarantee, or whose key was destroyed.",
               {{"cause", cause == ExpiryCause::kGuarantee ? "guarantee" : "key_destroyed"}})
      .Increment(static_cast<double>(submissions));
}

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_EXPIRED_H_
