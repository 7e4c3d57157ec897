// Sums along the chains of totals, as periods go by.
#ifndef TOMBOLA_COMMON_STREAM_CHAIN_SUM_H_
#define TOMBOLA_COMMON_STREAM_CHAIN_SUM_H_

#include <cstdint>
#include <vector>

#include "common/base/check.h"
#include "common/stream/structure.h"

namespace tombola::stream {

// Of a nested structure all of whose totals can be had. Keeps as much as total(t) has nodes, but
// for plain ones, where a later node never begins before the last: of them one number.
template <typename Number>
class ChainSum {
 public:
  // The structure must outlive this object.
  explicit ChainSum(const Structure& structure)
      : structure_(structure), plain_(structure.Depth() == 1) {
    TOMBOLA_CHECK(structure.first_total() == 1 && structure.IsNested());
  }

  // What the nodes of total(t) add up to, `value` being node t's. For t = 1, 2, ... in turn.
  Number Next(Number value) {
    const int64_t start = structure_.start(++t_);
    while (!ends_.empty() && ends_.back().at > start) ends_.pop_back();
    const Number sum = value + (ends_.empty() ? Number{} : ends_.back().sum);
    TOMBOLA_CHECK(start == (ends_.empty() ? 0 : ends_.back().at));
    if (plain_) ends_.clear();
    ends_.push_back({t_, sum});
    return sum;
  }

 private:
  struct End {
    int64_t at;  // where a node of the chain ends
    Number sum;
  };

  const Structure& structure_;
  const bool plain_;
  int64_t t_ = 0;
  std::vector<End> ends_;
};

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_STREAM_CHAIN_SUM_H_
