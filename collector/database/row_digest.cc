#include "collector/database/row_digest.h"

#include <array>
#include <vector>

namespace tombola::collector {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are digested as they lie");

absl::string_view Bytes(const int64_t& number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

}  // namespace

crypto::Sha256Digest RowDigest(std::initializer_list<Column> columns) {
  std::vector<int64_t> numbers;  // integers and lengths
  numbers.reserve(columns.size());
  std::vector<absl::string_view> parts;
  parts.reserve(2 * columns.size());
  for (const Column& column : columns) {
    const auto* const blob = absl::get_if<absl::string_view>(&column);
    numbers.push_back(blob != nullptr ? static_cast<int64_t>(blob->size())
                                      : absl::get<int64_t>(column));
    parts.push_back(Bytes(numbers.back()));
    if (blob != nullptr) parts.push_back(*blob);
  }
  return crypto::Sha256(parts);
}

}  // namespace tombola::collector
