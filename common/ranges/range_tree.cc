#include "common/ranges/range_tree.h"

#include "common/base/check.h"

namespace tombola {

RangeTree::RangeTree(int64_t leaves, int64_t branching, bool apart)
    : leaves_(leaves), branching_(branching), apart_(apart) {
  TOMBOLA_CHECK((leaves >= 2 || (leaves == 1 && apart)) && (branching == 0 || branching >= 2));
  for (int64_t width = 1; width == 1 || width < leaves; width *= branching) {
    const Row row{.width = width, .nodes = (leaves + width - 1) / width, .first = cells_};
    rows_.push_back(row);
    cells_ += row.nodes + (apart ? 1 : 0);
    if (branching == 0 || width > leaves / branching) break;
  }
}

}  // namespace tombola
