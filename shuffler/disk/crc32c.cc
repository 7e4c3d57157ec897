#include "shuffler/disk/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace tombola::shuffler {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;  // 0x1EDC6F41, bits reflected

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kPolynomial : 0);
    }
    table[byte] = remainder;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kTable = MakeTable();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t Crc32cByInstruction(absl::Span<const uint8_t> data,
                                                               uint32_t crc) {
  uint64_t state = ~crc;
  for (; data.size() >= sizeof(uint64_t); data.remove_prefix(sizeof(uint64_t))) {
    uint64_t word;
    std::memcpy(&word, data.data(), sizeof(word));
    state = _mm_crc32_u64(state, word);
  }
  uint32_t rest = static_cast<uint32_t>(state);
  for (const uint8_t byte : data) rest = _mm_crc32_u8(rest, byte);
  return ~rest;
}
#endif

}  // namespace

uint32_t Crc32cByTable(absl::Span<const uint8_t> data, uint32_t crc) {
  uint32_t state = ~crc;
  for (const uint8_t byte : data) state = (state >> 8) ^ kTable[(state ^ byte) & 0xFF];
  return ~state;
}

uint32_t Crc32c(absl::Span<const uint8_t> data, uint32_t crc) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return Crc32cByInstruction(data, crc);
#endif
  return Crc32cByTable(data, crc);
}

}  // namespace tombola::shuffler
