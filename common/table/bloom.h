// Reports that are bits, of which a value sets some: RAPPOR as everybody sees it who writes or
// reads its reports. Erlingsson, Pihur, Korolova, "RAPPOR" (2014).
#ifndef TOMBOLA_COMMON_TABLE_BLOOM_H_
#define TOMBOLA_COMMON_TABLE_BLOOM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/random/random_source.h"
#include "common/table/report_state.h"

namespace tombola::mechanism {

inline constexpr int64_t kMostBits = 256;
inline constexpr int64_t kMostBitsOfValue = 16;

// No field has a usable default: zero is refused but for the seed and irr_p_threshold.
struct BloomOptions {
  // Of a report: at least domain_size, at most kMostBits, because fewer could not tell the values
  // apart.
  int64_t bits = 0;
  // So many of them a value sets: 1 to kMostBitsOfValue, at most `bits`.
  int64_t hashes = 0;
  // Which bits beyond a value's first one.
  uint32_t seed = 0;
  // f * 2^64: a bit of the memo is a fair coin instead of what the value says when 64 uniform bits
  // are below this (the permanent response). At least 1.
  uint64_t prr_threshold = 0;
  // p * 2^64 and q * 2^64: a report's bit is 1 when 64 uniform bits are below this, where the
  // memo's is 0 and where it is 1 (the instantaneous response). The former is below the latter.
  uint64_t irr_p_threshold = 0;
  uint64_t irr_q_threshold = 0;
  int64_t domain_size = 0;
};

// The bits that one device says of one value for good; those beyond `bits` are 0.
using BloomMemo = std::array<bool, kMostBits>;

// Value v sets bit v and, with more than one hash, `hashes - 1` further bits: those that the first
// eight bytes of SHA-256("tombola/v1/bloom" | seed | v | j), big-endian, leave as a remainder by
// `bits`, for j = 0, 1, 2, ..., without those it has set already; numbers of four bytes,
// big-endian.
//
// A report is a byte that is 0, the cohort, and the bits: bit j is bit j mod 8 of byte 1 + j div 8.
//
// Immutable and thread-safe, given a RandomSource for each thread.
class Bloom {
 public:
  // InvalidArgument naming the field and its bound; also where counts of the bits could not tell
  // how many hold each value (the design has not full rank).
  static absl::StatusOr<Bloom> Create(const BloomOptions& options);

  const BloomOptions& options() const { return options_; }
  size_t report_bytes() const { return 1 + static_cast<size_t>((options_.bits + 7) / 8); }
  // Distinct, the value's own first. value < domain_size.
  absl::Span<const uint8_t> BitsOf(uint64_t value) const {
    const auto hashes = static_cast<size_t>(options_.hashes);
    return absl::MakeConstSpan(set_).subspan(value * hashes, hashes);
  }

  // The permanent response. Which random words are drawn does not depend on the value.
  BloomMemo DrawMemo(uint64_t value, RandomSource& random) const;
  // A report by the instantaneous response; report.size() == report_bytes(). Likewise.
  void Say(const BloomMemo& memo, RandomSource& random, absl::Span<uint8_t> report) const;
  // A report of uniform bits.
  void DrawUniform(RandomSource& random, absl::Span<uint8_t> report) const;

  // What bytes from outside are; a valid report may be read by Has.
  ReportState Decode(absl::Span<const uint8_t> report) const;
  static bool Has(absl::Span<const uint8_t> report, size_t bit) {
    return ((report[1 + bit / 8] >> (bit % 8)) & 1) != 0;
  }

 private:
  explicit Bloom(const BloomOptions& options);

  BloomOptions options_;
  std::vector<uint8_t> set_;  // by value
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_BLOOM_H_
