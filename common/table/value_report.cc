#include "common/table/value_report.h"

#include "common/base/check.h"
#include "common/base/encoding.h"
#include "common/table/fixed_fields.h"

namespace tombola::mechanism {
namespace {

void WriteWord(uint32_t word, absl::Span<uint8_t> out) {
  TOMBOLA_CHECK(out.size() == 1 + sizeof(word));
  out[0] = Fixed32Tag(1);
  StoreNumber(word, &out[1]);
}

}  // namespace

void Write(const ValueReport& report, absl::Span<uint8_t> out) { WriteWord(report.value, out); }

void Write(const SignedReport& report, absl::Span<uint8_t> out) {
  WriteWord(static_cast<uint32_t>(report.change), out);
}

}  // namespace tombola::mechanism
