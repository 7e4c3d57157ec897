#include "common/table/table.h"

#include "common/base/check.h"
#include "common/table/local_hash_report.h"

namespace tombola::mechanism {

size_t Table::report_bytes() const {
  switch (layout()) {
    case Layout::kValue:
      return ValueReport::kBytes;
    case Layout::kSigned:
      return SignedReport::kBytes;
    case Layout::kPlane:
      return PlaneReport::kBytes;
    case Layout::kAffine:
      return AffineReport::kBytes;
    case Layout::kString:
      return 6;  // strings::StringReport::kBytes
    case Layout::kBits:
      return bloom()->report_bytes();
  }
  TOMBOLA_CHECK(false && "a layout without a length");
  return 0;
}

}  // namespace tombola::mechanism
