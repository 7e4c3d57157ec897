#include "common/table/tables.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace tombola::mechanism {

Tables::Tables(std::vector<std::shared_ptr<const Table>> tables) : tables_(std::move(tables)) {
  TOMBOLA_CHECK(!tables_.empty() && tables_.size() <= 256);
  size_t longest = 0;
  for (const auto& table : tables_) longest = std::max(longest, table->report_bytes());
  report_bytes_ = prefix_bytes() + longest;
}

}  // namespace tombola::mechanism
