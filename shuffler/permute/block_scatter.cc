#include "shuffler/permute/block_scatter.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "common/base/check.h"

namespace tombola::shuffler {
namespace {

constexpr size_t kDrawnAtOnce = size_t{1} << 13;
constexpr size_t kLine = 64;
constexpr size_t kSmall = 16;  // the record size that is laid down by whole lines
constexpr size_t kPerLine = kLine / kSmall;

struct alignas(kLine) Line {
  uint8_t bytes[kLine];
};

// Past the caches: the line is not read from memory first, and does not push out what is in use.
void StoreLine(const Line& line, uint8_t* to) {
#if defined(__x86_64__)
  const auto* from = reinterpret_cast<const __m128i*>(line.bytes);
  auto* const out = reinterpret_cast<__m128i*>(to);
  for (int i = 0; i < 4; ++i) _mm_stream_si128(out + i, _mm_load_si128(from + i));
#else
  std::memcpy(to, line.bytes, kLine);
#endif
}

void FinishLines() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// Records of 16 bytes: each block collects a line of its records before they go to memory.
void LayByLines(absl::Span<const uint16_t> drawn, const uint8_t* from, uint8_t* to,
                absl::Span<size_t> cursors) {
  std::vector<Line> lines(cursors.size());
  const std::vector<size_t> firsts(cursors.begin(), cursors.end());
  for (const uint16_t block : drawn) {
    const size_t at = cursors[block]++;
    std::memcpy(lines[block].bytes + at % kPerLine * kSmall, from, kSmall);
    from += kSmall;
    if (at % kPerLine != kPerLine - 1) continue;
    const size_t line = at - (kPerLine - 1);
    if (line >= firsts[block]) [[likely]] {
      StoreLine(lines[block], to + line * kSmall);
    } else {  // the line begins with records of another part or block
      const size_t skipped = firsts[block] - line;
      std::memcpy(to + firsts[block] * kSmall, lines[block].bytes + skipped * kSmall,
                  (kPerLine - skipped) * kSmall);
    }
  }
  for (size_t block = 0; block < cursors.size(); ++block) {
    const size_t end = cursors[block];
    const size_t begin = std::max(end - end % kPerLine, firsts[block]);
    if (begin == end) continue;  // memcpy of nothing, from anywhere
    std::memcpy(to + begin * kSmall, lines[block].bytes + begin % kPerLine * kSmall,
                (end - begin) * kSmall);
  }
  FinishLines();
}

void LayOneByOne(absl::Span<const uint16_t> drawn, const uint8_t* from, uint8_t* to,
                 size_t record_bytes, absl::Span<size_t> cursors) {
  for (const uint16_t block : drawn) {
    std::memcpy(to + cursors[block]++ * record_bytes, from, record_bytes);
    from += record_bytes;
  }
}

}  // namespace

BlockScatter::BlockScatter(size_t n, size_t parts, size_t blocks)
    : n_(n),
      parts_(parts),
      blocks_(blocks),
      drawn_(n * sizeof(uint16_t)),
      cursors_(parts * blocks),
      starts_(blocks + 1) {
  TOMBOLA_CHECK(parts >= 1);
  TOMBOLA_CHECK(blocks >= 1 && blocks <= size_t{1} << 16 && (blocks & (blocks - 1)) == 0);
}

absl::Span<const uint16_t> BlockScatter::DrawnFor(size_t part) const {
  return absl::MakeConstSpan(reinterpret_cast<const uint16_t*>(drawn_.bytes().data()), n_)
      .subspan(begin(part), begin(part + 1) - begin(part));
}

void BlockScatter::Draw(size_t part, RandomSource& random) {
  const absl::Span<size_t> counts = Cursors(part);
  const uint16_t mask = static_cast<uint16_t>(blocks_ - 1);
  auto* const drawn = reinterpret_cast<uint16_t*>(drawn_.bytes().data());
  for (size_t at = begin(part), end = begin(part + 1); at < end;) {
    const size_t count = std::min(kDrawnAtOnce, end - at);
    random.Fill(absl::MakeSpan(reinterpret_cast<uint8_t*>(drawn + at), count * sizeof(uint16_t)));
    for (const size_t stop = at + count; at < stop; ++at) {
      drawn[at] &= mask;
      ++counts[drawn[at]];
    }
  }
}

void BlockScatter::Place() {
  size_t next = 0;
  for (size_t block = 0; block < blocks_; ++block) {
    starts_[block] = next;
    for (size_t part = 0; part < parts_; ++part) {
      size_t& cursor = Cursors(part)[block];
      const size_t count = cursor;
      cursor = next;
      next += count;
    }
  }
  starts_[blocks_] = next;
  TOMBOLA_CHECK(next == n_);
}

void BlockScatter::Lay(size_t part, absl::Span<const uint8_t> from, absl::Span<uint8_t> to,
                       size_t record_bytes) {
  const absl::Span<const uint16_t> drawn = DrawnFor(part);
  const uint8_t* const first = from.data() + begin(part) * record_bytes;
  if (record_bytes == kSmall && reinterpret_cast<uintptr_t>(to.data()) % kLine == 0) {
    LayByLines(drawn, first, to.data(), Cursors(part));
  } else {
    LayOneByOne(drawn, first, to.data(), record_bytes, Cursors(part));
  }
}

}  // namespace tombola::shuffler
