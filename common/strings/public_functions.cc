#include "common/strings/public_functions.h"

#include <cstddef>

#include "absl/strings/string_view.h"
#include "common/base/check.h"
#include "common/base/encoding.h"
#include "common/crypto/sha256.h"

namespace tombola::strings {
namespace {

uint64_t BigEndian(absl::Span<const uint8_t> bytes) {
  uint64_t number = 0;
  for (const uint8_t byte : bytes.first(8)) number = number << 8 | byte;
  return number;
}

}  // namespace

PublicFunctions::PublicFunctions(const TaskId& task, const Shape& shape)
    : task_(task), shape_(shape) {
  for (size_t j = 0; j < functions_.size(); ++j) {
    const std::array<uint8_t, 2> number = {static_cast<uint8_t>(j >> 8),
                                           static_cast<uint8_t>(j & 0xFF)};
    const crypto::Sha256Digest digest =
        crypto::Sha256({"tombola/v1/function", AsView(task), AsView(number)});
    const absl::Span<const uint8_t> bytes(digest);
    functions_[j] = {.multiplier = BigEndian(bytes), .offset = BigEndian(bytes.subspan(8))};
  }
}

uint64_t PublicFunctions::FirstKey(int64_t level, absl::Span<const uint8_t> parent) const {
  TOMBOLA_CHECK(level >= 0 && level < shape_.levels() &&
                static_cast<int64_t>(parent.size()) == shape_.Before(level));
  const std::array<uint8_t, 2> place = {static_cast<uint8_t>(level),
                                        static_cast<uint8_t>(parent.size())};
  return BigEndian(
      crypto::Sha256({"tombola/v1/prefix", AsView(task_), AsView(place), AsView(parent)}));
}

uint64_t PublicFunctions::Key(int64_t level, absl::Span<const uint8_t> symbols) const {
  const auto step = static_cast<size_t>(shape_.step());
  const auto before = static_cast<size_t>(shape_.Before(level));
  return FirstKey(level, symbols.first(before)) +
         OwnNumber(symbols.subspan(before, step), shape_.symbols());
}

uint64_t OwnNumber(absl::Span<const uint8_t> own, int64_t symbols) {
  uint64_t number = 0;
  for (const uint8_t symbol : own) number = number * static_cast<uint64_t>(symbols) + symbol;
  return number;
}

void OwnSymbols(uint64_t number, int64_t symbols, absl::Span<uint8_t> own) {
  const auto base = static_cast<uint64_t>(symbols);
  for (size_t i = own.size(); i-- > 0; number /= base) {
    own[i] = static_cast<uint8_t>(number % base);
  }
}

}  // namespace tombola::strings
