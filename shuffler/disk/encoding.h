// Little-endian numbers and byte strings in the store's files.
#ifndef TOMBOLA_SHUFFLER_DISK_ENCODING_H_
#define TOMBOLA_SHUFFLER_DISK_ENCODING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tombola::shuffler {

inline absl::Span<const uint8_t> AsBytes(absl::string_view text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

inline absl::string_view AsView(absl::Span<const uint8_t> bytes) {
  return absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

template <typename T>
void PutNumber(T value, std::string& out) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(value);
  for (size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>(bits >> (8 * i) & 0xFF));
}

template <size_t N>
void PutBytes(const std::array<uint8_t, N>& value, std::string& out) {
  out.append(reinterpret_cast<const char*>(value.data()), N);
}

// Takes values off the front of `bytes`. Once they run out everything reads as zero and ok() is
// false: check it once, at the end.
class Decoder {
 public:
  explicit Decoder(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}

  template <typename T>
  T Number() {
    std::make_unsigned_t<T> value = 0;
    const absl::Span<const uint8_t> taken = Take(sizeof(T));
    for (size_t i = taken.size(); i-- > 0;) {
      value = static_cast<std::make_unsigned_t<T>>(static_cast<uint64_t>(value) << 8 | taken[i]);
    }
    return static_cast<T>(value);
  }

  template <size_t N>
  std::array<uint8_t, N> Bytes() {
    std::array<uint8_t, N> value{};
    const absl::Span<const uint8_t> taken = Take(N);
    for (size_t i = 0; i < taken.size(); ++i) value[i] = taken[i];
    return value;
  }

  // `size` bytes, or none.
  absl::Span<const uint8_t> Take(size_t size) {
    if (size > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const absl::Span<const uint8_t> taken = bytes_.first(size);
    bytes_.remove_prefix(size);
    return taken;
  }

  size_t left() const { return bytes_.size(); }
  bool ok() const { return ok_; }

 private:
  absl::Span<const uint8_t> bytes_;
  bool ok_ = true;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_DISK_ENCODING_H_
