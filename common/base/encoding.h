// Numbers and byte strings as they lie in files, in digests and in reports of fixed length: numbers
// are little-endian.
#ifndef TOMBOLA_COMMON_BASE_ENCODING_H_
#define TOMBOLA_COMMON_BASE_ENCODING_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tombola {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

inline absl::Span<const uint8_t> AsBytes(absl::string_view text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

inline absl::string_view AsView(absl::Span<const uint8_t> bytes) {
  return absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// To and from sizeof(T) bytes.
template <typename T>
void StoreNumber(T value, uint8_t* out) {
  static_assert(std::is_integral_v<T>);
  std::memcpy(out, &value, sizeof(T));
}

template <typename T>
T LoadNumber(const uint8_t* in) {
  static_assert(std::is_integral_v<T>);
  T value;
  std::memcpy(&value, in, sizeof(T));
  return value;
}

// Put... append to `out`.
template <typename T>
void PutNumber(T value, std::string& out) {
  static_assert(std::is_integral_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <typename T>
void PutNumbers(const std::vector<T>& values, std::string& out) {
  static_assert(std::is_integral_v<T>);
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
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
    const absl::Span<const uint8_t> taken = Take(sizeof(T));
    return taken.empty() ? T{0} : LoadNumber<T>(taken.data());
  }

  // `count` of them, or none.
  template <typename T>
  std::vector<T> Numbers(size_t count) {
    static_assert(std::is_integral_v<T>);
    const absl::Span<const uint8_t> taken = Take(count * sizeof(T));
    std::vector<T> values(taken.size() / sizeof(T));
    if (!taken.empty()) std::memcpy(values.data(), taken.data(), taken.size());
    return values;
  }

  template <size_t N>
  std::array<uint8_t, N> Bytes() {
    std::array<uint8_t, N> value{};
    const absl::Span<const uint8_t> taken = Take(N);
    if (!taken.empty()) std::memcpy(value.data(), taken.data(), N);
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

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_ENCODING_H_
