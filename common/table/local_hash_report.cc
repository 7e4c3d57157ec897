#include "common/table/local_hash_report.h"

#include "common/base/check.h"
#include "common/base/encoding.h"
#include "common/table/fixed_fields.h"

namespace tombola::mechanism {
void Write(const PlaneReport& report, absl::Span<uint8_t> out) {
  TOMBOLA_CHECK(out.size() == PlaneReport::kBytes);
  out[0] = Fixed32Tag(1);
  StoreNumber(report.function, &out[1]);
  out[5] = Fixed32Tag(2);
  StoreNumber(report.bucket, &out[6]);
}

void Write(const AffineReport& report, absl::Span<uint8_t> out) {
  TOMBOLA_CHECK(out.size() == AffineReport::kBytes);
  out[0] = Fixed64Tag(1);
  StoreNumber(report.multiplier, &out[1]);
  out[9] = Fixed64Tag(2);
  StoreNumber(report.offset, &out[10]);
  out[18] = Fixed32Tag(3);
  StoreNumber(report.bucket, &out[19]);
}

}  // namespace tombola::mechanism
