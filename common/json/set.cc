#include "common/json/set.h"

#include "common/json/columns.h"
#include "common/json/items.h"

namespace tombola {

void AppendSetJson(const v1::Set& set, const std::vector<double>& truth, std::string* out) {
  AppendItemsHead(set, out);
  AppendBins(set, truth, out);
}

std::string SetCsv(const v1::Set& set, const std::vector<double>& truth) {
  return ColumnsCsv(set, truth);
}

void Sort(BinOrder order, v1::Set& set) { SortColumns(order, set); }

}  // namespace tombola
