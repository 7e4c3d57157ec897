#include <array>
#include <vector>

#include "collector/database/database.h"
#include "common/base/encoding.h"

namespace tombola::collector {
crypto::Sha256Digest RowDigest(std::initializer_list<Column> columns) {
  std::vector<std::array<uint8_t, sizeof(int64_t)>> numbers;  // integers and lengths
  numbers.reserve(columns.size());
  std::vector<absl::string_view> parts;
  parts.reserve(2 * columns.size());
  for (const Column& column : columns) {
    const auto* const blob = absl::get_if<absl::string_view>(&column);
    StoreNumber(blob != nullptr ? static_cast<int64_t>(blob->size()) : absl::get<int64_t>(column),
                numbers.emplace_back().data());
    parts.push_back(AsView(numbers.back()));
    if (blob != nullptr) parts.push_back(*blob);
  }
  return crypto::Sha256(parts);
}

}  // namespace tombola::collector
