#include "common/kind/bins.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/kind/levels.h"

namespace tombola {

absl::StatusOr<Bins> Bins::Read(const v1::Numbers& wire, int64_t count) {
  const int edges = wire.edges_size();
  if (edges != 2 && edges != count + 1) {
    return absl::InvalidArgumentError(absl::StrCat("task.numbers.edges has ", edges,
                                                   " of them; it must have 2, or ", count + 1,
                                                   ", one more than the domain has bins"));
  }
  for (int i = 0; i < edges; ++i) {
    const double edge = wire.edges(i);
    if (!(std::abs(edge) <= kFarthestNumber) || (i > 0 && !(wire.edges(i - 1) < edge))) {
      return absl::InvalidArgumentError(absl::StrCat(
          "task.numbers.edges has ", edge, "; they must be in [-1e100, 1e100] and ascending"));
    }
  }
  if (wire.edges(edges - 1) - wire.edges(0) < kNarrowestRange) {
    return absl::InvalidArgumentError("task.numbers.edges must be 1e-100 or more apart");
  }
  Bins read({wire.edges().begin(), wire.edges().end()}, count);
  for (int64_t i = 0; i < count; ++i) {
    if (!(read.Edge(i) < read.Edge(i + 1))) {
      return absl::InvalidArgumentError(
          absl::StrCat("task.numbers.edges are too close for ", count, " bins between them"));
    }
  }
  return read;
}

Bins::Bins(std::vector<double> edges, int64_t count) : edges_(std::move(edges)), count_(count) {}

std::optional<int64_t> Bins::BinOf(double number) const {
  if (!(number >= low() && number <= high())) return std::nullopt;
  if (edges_.size() > 2) {
    const auto above = std::upper_bound(edges_.begin(), edges_.end(), number) - edges_.begin();
    return std::min<int64_t>(above - 1, count_ - 1);
  }
  const double steps = (number - low()) / (high() - low()) * static_cast<double>(count_);
  auto bin = std::clamp<int64_t>(static_cast<int64_t>(steps), 0, count_ - 1);
  // The edges decide, and not how they were divided.
  while (bin > 0 && number < Edge(bin)) --bin;
  while (bin + 1 < count_ && number >= Edge(bin + 1)) ++bin;
  return bin;
}

}  // namespace tombola
