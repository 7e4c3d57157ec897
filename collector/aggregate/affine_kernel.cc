#include "collector/aggregate/affine_kernel.h"

#include <cstddef>
#include <limits>
#include <type_traits>

#include "common/base/check.h"

namespace tombola::collector {
namespace {

// Forced into each of the functions below, and so compiled for each one's instruction set.
// Comparisons are signed, after a shift by half the lane, because SSE2 and AVX2 have no other.
template <typename Word>
[[gnu::always_inline]] inline void CountBelowHere(const AffineLine<Word>* lines, size_t line_count,
                                                  Word limit, Word first, Word* counts,
                                                  size_t count) {
  using Signed = std::make_signed_t<Word>;
  constexpr Word kHalf = Word{1} << (std::numeric_limits<Word>::digits - 1);
  const Signed signed_limit = static_cast<Signed>(limit ^ kHalf);
  for (size_t line = 0; line < line_count; ++line) {
    const Word step = lines[line].step;
    Word at = lines[line].start + step * first + kHalf;
    for (size_t i = 0; i < count; ++i) {
      counts[i] += static_cast<Word>(static_cast<Signed>(at) < signed_limit);
      at += step;
    }
  }
}

template <typename Word>
void CountBelowPortable(const AffineLine<Word>* lines, size_t line_count, Word limit, Word first,
                        Word* counts, size_t count) {
  CountBelowHere(lines, line_count, limit, first, counts, count);
}

#if defined(__x86_64__)
template <typename Word>
[[gnu::target("avx2")]] void CountBelowAvx2(const AffineLine<Word>* lines, size_t line_count,
                                            Word limit, Word first, Word* counts, size_t count) {
  CountBelowHere(lines, line_count, limit, first, counts, count);
}

template <typename Word>
[[gnu::target("avx512f")]] void CountBelowAvx512(const AffineLine<Word>* lines, size_t line_count,
                                                 Word limit, Word first, Word* counts,
                                                 size_t count) {
  CountBelowHere(lines, line_count, limit, first, counts, count);
}
#endif

}  // namespace

bool Supported(Vectors vectors) {
  switch (vectors) {
    case Vectors::kPortable:
      return true;
#if defined(__x86_64__)
    case Vectors::kAvx2:
      return __builtin_cpu_supports("avx2");
    case Vectors::kAvx512:
      return __builtin_cpu_supports("avx512f");
#else
    default:
      return false;
#endif
  }
  return false;
}

Vectors WidestVectors() {
  for (const Vectors vectors : {Vectors::kAvx512, Vectors::kAvx2}) {
    if (Supported(vectors)) return vectors;
  }
  return Vectors::kPortable;
}

template <typename Word>
void CountBelow(Vectors vectors, absl::Span<const AffineLine<Word>> lines, Word limit,
                uint64_t first, absl::Span<Word> counts) {
  auto* kernel = CountBelowPortable<Word>;
#if defined(__x86_64__)
  if (vectors == Vectors::kAvx2) kernel = CountBelowAvx2<Word>;
  if (vectors == Vectors::kAvx512) kernel = CountBelowAvx512<Word>;
#endif
  TOMBOLA_CHECK(Supported(vectors));
  kernel(lines.data(), lines.size(), limit, static_cast<Word>(first), counts.data(), counts.size());
}

template void CountBelow<uint32_t>(Vectors, absl::Span<const AffineLine<uint32_t>>, uint32_t,
                                   uint64_t, absl::Span<uint32_t>);
template void CountBelow<uint64_t>(Vectors, absl::Span<const AffineLine<uint64_t>>, uint64_t,
                                   uint64_t, absl::Span<uint64_t>);

}  // namespace tombola::collector
