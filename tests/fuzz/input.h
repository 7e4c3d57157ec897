// A fuzzer's bytes, taken off from the front.
#ifndef TOMBOLA_TESTS_FUZZ_INPUT_H_
#define TOMBOLA_TESTS_FUZZ_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

// What every target of this folder defines and what both libFuzzer and replay.cc call.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace tombola::fuzz {

class Input {
 public:
  Input(const uint8_t* data, size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  // 0 at the end.
  uint8_t Byte() {
    const absl::string_view taken = Take(1);
    return taken.empty() ? 0 : static_cast<uint8_t>(taken[0]);
  }
  // Two bytes, little-endian.
  size_t Length() {
    const size_t low = Byte();
    return low | static_cast<size_t>(Byte()) << 8;
  }
  // `size` bytes, or what is left.
  absl::string_view Take(size_t size) {
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  absl::string_view Rest() { return Take(rest_.size()); }
  bool empty() const { return rest_.empty(); }

 private:
  absl::string_view rest_;
};

inline absl::Span<const uint8_t> AsSpan(absl::string_view bytes) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace tombola::fuzz

#endif  // TOMBOLA_TESTS_FUZZ_INPUT_H_
