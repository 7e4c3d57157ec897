// What the placers of several things share.
#ifndef TOMBOLA_CLIENT_PLACE_ITEMS_H_
#define TOMBOLA_CLIENT_PLACE_ITEMS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/kind/item_cells.h"
#include "common/random/random_source.h"
#include "common/table/tables.h"
#include "common/task/task.h"

namespace tombola::client {

// The value that a text names, or the domain's "other"; InvalidArgument naming the text.
inline absl::StatusOr<uint64_t> ItemNamed(const Domain& domain, absl::string_view text) {
  absl::StatusOr<uint64_t> value = domain.IndexOf(text);
  if (value.ok()) return value;
  return absl::InvalidArgumentError(absl::StrCat("\"", text, "\": ", value.status().message()));
}

// Makes the first `many` of them, or all, a uniform choice in a uniform order.
template <typename Item>
void DrawFirst(size_t many, RandomSource& random, std::vector<Item>* items) {
  for (size_t i = 0; i < many && i + 1 < items->size(); ++i) {
    std::swap((*items)[i], (*items)[i + UniformBelow(items->size() - i, random)]);
  }
}

// Keeps a uniform choice of `most` of them where there are more.
template <typename Item>
void KeepSome(int64_t most, RandomSource& random, std::vector<Item>* items) {
  const auto kept = static_cast<size_t>(most);
  if (items->size() <= kept) return;
  DrawFirst(kept, random, items);
  items->resize(kept);
}

// Adds the first pads until a device's cells are as many as every device's.
inline void Pad(const ItemCells& cells, mechanism::Cells* filled) {
  for (int64_t j = 0; static_cast<int64_t>(filled->size()) < cells.held(); ++j) {
    filled->push_back({.table = 0, .index = cells.Pad(j)});
  }
}

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_PLACE_ITEMS_H_
