#include "common/mechanism/value_report.h"

#include "common/base/check.h"
#include "common/mechanism/fixed_fields.h"

namespace tombola::mechanism {
namespace {

constexpr uint8_t kTag = Fixed32Tag(1);

void WriteWord(uint32_t word, absl::Span<uint8_t> out) {
  TOMBOLA_CHECK(out.size() == 1 + sizeof(word));
  out[0] = kTag;
  PutWord(word, &out[1]);
}

bool ReadWord(absl::Span<const uint8_t> bytes, uint32_t* word) {
  if (bytes.size() != 1 + sizeof(*word) || bytes[0] != kTag) return false;
  *word = GetWord<uint32_t>(&bytes[1]);
  return true;
}

}  // namespace

void Write(const ValueReport& report, absl::Span<uint8_t> out) { WriteWord(report.value, out); }

void Write(const SignedReport& report, absl::Span<uint8_t> out) {
  WriteWord(static_cast<uint32_t>(report.change), out);
}

bool Read(absl::Span<const uint8_t> bytes, ValueReport* report) {
  return ReadWord(bytes, &report->value);
}

bool Read(absl::Span<const uint8_t> bytes, SignedReport* report) {
  uint32_t word = 0;
  if (!ReadWord(bytes, &word)) return false;
  report->change = static_cast<int32_t>(word);
  return true;
}

}  // namespace tombola::mechanism
