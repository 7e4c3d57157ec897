// The bins that a row of numbers is divided into.
#ifndef TOMBOLA_COMMON_KIND_BINS_H_
#define TOMBOLA_COMMON_KIND_BINS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tombola/v1/task.pb.h"

namespace tombola {

// Bin i has the numbers from edge i up to, not including, edge i + 1; the last bin has both its
// edges. Immutable.
class Bins {
 public:
  // InvalidArgument naming the field and its bound. count >= 2.
  static absl::StatusOr<Bins> Read(const v1::Numbers& wire, int64_t count);
  // The same of edges that stand in another field.
  static absl::StatusOr<Bins> Read(absl::Span<const double> edges, int64_t count,
                                   absl::string_view field);

  int64_t size() const { return count_; }
  // Whether all edges were given, and not how many bins of equal widths there are.
  bool unequal() const { return edges_.size() > 2; }
  double low() const { return edges_.front(); }
  double high() const { return edges_.back(); }
  // Of 0 to size().
  double Edge(int64_t i) const {
    if (edges_.size() > 2) return edges_[static_cast<size_t>(i)];
    if (i == 0) return low();
    if (i == count_) return high();
    // So that 14 of 0 to 100 is 14 and not the number beside it: both products are mostly exact.
    const auto below = static_cast<double>(i);
    const auto above = static_cast<double>(count_ - i);
    return (low() * above + high() * below) / static_cast<double>(count_);
  }

  // Absent for what is no number, or outside.
  std::optional<int64_t> BinOf(double number) const;

 private:
  Bins(std::vector<double> edges, int64_t count);

  std::vector<double> edges_;  // all of them, or the first and the last
  int64_t count_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_BINS_H_
