// One count for what ends without having been counted, wherever it ends.
#ifndef TOMBOLA_SHUFFLER_STORE_EXPIRED_H_
#define TOMBOLA_SHUFFLER_STORE_EXPIRED_H_

#include <cstdint>

#include "common/metrics/metrics.h"

namespace tombola::shuffler {

enum class ExpiryCause {
  kGuarantee,     // the task, or the window of the batch's key, ended with too few
  kPeriod,        // its period did
  kKeyDestroyed,  // nobody could open it
};

inline const char* NameOf(ExpiryCause cause) {
  switch (cause) {
    case ExpiryCause::kGuarantee:
      return "guarantee";
    case ExpiryCause::kPeriod:
      return "period";
    case ExpiryCause::kKeyDestroyed:
      break;
  }
  return "key_destroyed";
}

inline void CountExpired(Metrics& metrics, ExpiryCause cause, int64_t submissions) {
  metrics
      .Counter("tombola_shuffler_submissions_expired_total",
               "Submissions whose batch never met its guarantee, or whose key was destroyed.",
               {{"cause", NameOf(cause)}})
      .Increment(static_cast<double>(submissions));
}

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_EXPIRED_H_
