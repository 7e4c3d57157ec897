// What bytes from outside turn out to be.
#ifndef TOMBOLA_COMMON_TABLE_REPORT_STATE_H_
#define TOMBOLA_COMMON_TABLE_REPORT_STATE_H_

namespace tombola::mechanism {

enum class ReportState {
  kValid,
  kMalformed,   // wrong length or tag bytes
  kOutOfRange,  // well formed, but no device that follows the mechanism sends it
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_REPORT_STATE_H_
