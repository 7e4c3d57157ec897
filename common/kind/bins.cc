#include "common/kind/bins.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/kind/levels.h"

namespace tombola {

absl::StatusOr<Bins> Bins::Read(const v1::Numbers& wire, int64_t count) {
  return Read(wire.edges(), count, "task.numbers.edges");
}

absl::StatusOr<Bins> Bins::Read(absl::Span<const double> edges, int64_t count,
                                absl::string_view field) {
  const auto given = static_cast<int64_t>(edges.size());
  if (given != 2 && given != count + 1) {
    return absl::InvalidArgumentError(absl::StrCat(field, " has ", given,
                                                   " of them; it must have 2, or ", count + 1,
                                                   ", one more than there are bins"));
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!(std::abs(edges[i]) <= kFarthestNumber) || (i > 0 && !(edges[i - 1] < edges[i]))) {
      return absl::InvalidArgumentError(absl::StrCat(
          field, " has ", edges[i], "; they must be in [-1e100, 1e100] and ascending"));
    }
  }
  if (edges.back() - edges.front() < kNarrowestRange) {
    return absl::InvalidArgumentError(absl::StrCat(field, " must be 1e-100 or more apart"));
  }
  Bins read({edges.begin(), edges.end()}, count);
  for (int64_t i = 0; i < count; ++i) {
    if (!(read.Edge(i) < read.Edge(i + 1))) {
      return absl::InvalidArgumentError(
          absl::StrCat(field, " are too close for ", count, " bins between them"));
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
