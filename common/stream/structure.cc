#include "common/stream/structure.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::stream {
namespace {

// What another P must save, relatively, to be taken: so that rounding does not choose.
constexpr double kWorthwhile = 1e-12;

int64_t LowestBit(int64_t t) { return t & -t; }

absl::Status CheckPeriods(int64_t periods) {
  if (periods >= 1 && periods <= kMostPeriods) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("periods must be in [1, 2^20], is ", periods));
}

absl::Status CheckFirstTotal(int64_t first_total, int64_t periods) {
  if (first_total >= 1 && first_total <= periods) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("first_total must be in [1, ", periods, "], is ", first_total));
}

double Root(Norm norm, double value) {
  return norm == Norm::kL1 ? std::cbrt(value) : std::sqrt(value);
}
double Power(Norm norm, double value) {
  return norm == Norm::kL1 ? value * value * value : value * value;
}

// For each number n of periods the first node (0, P] to reach behind which lie n - P periods.
std::vector<int32_t> BestFirstNodes(int64_t periods, Norm norm) {
  const size_t size = static_cast<size_t>(periods) + 1;
  std::vector<int32_t> chosen(size);
  std::vector<double> error(size), root_of_error(size), root(size);
  for (size_t n = 1; n < size; ++n) {
    root[n] = Root(norm, static_cast<double>(n));
    double least = std::numeric_limits<double>::infinity();
    for (size_t p = 1; p <= n; ++p) {
      const double found = Power(norm, root_of_error[p - 1] + root[n - p + 1]) + error[n - p];
      if (found < least * (1 - kWorthwhile)) {
        least = found;
        chosen[n] = static_cast<int32_t>(p);
      }
    }
    error[n] = least;
    root_of_error[n] = Root(norm, least);
  }
  return chosen;
}

}  // namespace

absl::StatusOr<Structure> Structure::Plain(int64_t periods) {
  TOMBOLA_RETURN_IF_ERROR(CheckPeriods(periods));
  return Structure(Shape::kPlain, periods);
}

absl::StatusOr<Structure> Structure::Fenwick(int64_t periods) {
  TOMBOLA_RETURN_IF_ERROR(CheckPeriods(periods));
  return Structure(Shape::kFenwick, periods);
}

// Periods before first_total - 1 are told apart by no total, so they are one with the first period
// of the best structure of the rest: to leave them out of it only restricts it.
absl::StatusOr<Structure> Structure::Best(int64_t periods, Norm norm, int64_t first_total) {
  TOMBOLA_RETURN_IF_ERROR(CheckPeriods(periods));
  TOMBOLA_RETURN_IF_ERROR(CheckFirstTotal(first_total, periods));
  const int64_t totals = periods - first_total + 1;
  if (totals > kMostSearchedPeriods) {
    return absl::InvalidArgumentError(absl::StrCat("periods of the best structure must be at most ",
                                                   kMostSearchedPeriods, ", are ", totals));
  }
  const std::vector<int32_t> chosen = BestFirstNodes(totals, norm);
  Structure structure(Shape::kListed, periods);
  structure.first_total_ = first_total;
  structure.start_.resize(static_cast<size_t>(periods));
  for (int64_t t = 1; t < first_total; ++t) {
    structure.start_[static_cast<size_t>(t - 1)] = static_cast<int32_t>(t - 1);
  }
  struct Block {
    int64_t begin, size;
  };
  std::vector<Block> blocks = {{0, totals}};
  while (!blocks.empty()) {
    const Block block = blocks.back();
    blocks.pop_back();
    if (block.size == 0) continue;
    const int64_t p = chosen[static_cast<size_t>(block.size)];
    const int64_t node = first_total - 1 + block.begin + p;
    const int64_t start = block.begin == 0 ? 0 : first_total - 1 + block.begin;
    structure.start_[static_cast<size_t>(node - 1)] = static_cast<int32_t>(start);
    blocks.push_back({block.begin, p - 1});
    blocks.push_back({block.begin + p, block.size - p});
  }
  return structure;
}

absl::StatusOr<Structure> Structure::FromStart(absl::Span<const int64_t> start,
                                               int64_t first_total) {
  const auto periods = static_cast<int64_t>(start.size());
  TOMBOLA_RETURN_IF_ERROR(CheckPeriods(periods));
  TOMBOLA_RETURN_IF_ERROR(CheckFirstTotal(first_total, periods));
  Structure structure(Shape::kListed, periods);
  structure.first_total_ = first_total;
  structure.start_.reserve(start.size());
  for (int64_t t = 1; t <= periods; ++t) {
    const int64_t at = start[static_cast<size_t>(t - 1)];
    if (at < 0 || at >= t) {
      return absl::InvalidArgumentError(
          absl::StrCat("start of node ", t, " must be in [0, ", t - 1, "], is ", at));
    }
    if (t >= first_total && at > 0 && at < first_total) {
      return absl::InvalidArgumentError(absl::StrCat("start of node ", t, " must be 0 or at least ",
                                                     first_total,
                                                     ", where the first node ends, is ", at));
    }
    structure.start_.push_back(static_cast<int32_t>(t < first_total ? t - 1 : at));
  }
  return structure;
}

int64_t Structure::start(int64_t t) const {
  TOMBOLA_CHECK(t >= 1 && t <= periods_);
  switch (shape_) {
    case Shape::kPlain:
      return t - 1;
    case Shape::kFenwick:
      return t - LowestBit(t);
    case Shape::kListed:
      break;
  }
  return start_[static_cast<size_t>(t - 1)];
}

std::vector<int64_t> Structure::Cover(int64_t t) const {
  TOMBOLA_CHECK(t >= 1 && t <= periods_);
  if (shape_ == Shape::kPlain) return {t};
  std::vector<int64_t> nodes;
  if (shape_ == Shape::kFenwick) {
    for (int64_t node = t; node <= periods_; node += LowestBit(node)) nodes.push_back(node);
    return nodes;
  }
  for (int64_t node = std::max(t, first_total_); node <= periods_; ++node) {
    if (start(node) < t) nodes.push_back(node);
  }
  return nodes;
}

std::vector<int64_t> Structure::Chain(int64_t t) const {
  TOMBOLA_CHECK(t >= first_total_ && t <= periods_);
  std::vector<int64_t> nodes;
  for (int64_t node = t; node > 0; node = start(node)) nodes.push_back(node);
  return nodes;
}

std::vector<SignedNode> Structure::Range(int64_t first, int64_t last) const {
  return Range(first, last, [](int64_t) { return true; }).nodes;
}

TotalParts Structure::Total(int64_t t, Released released) const {
  TOMBOLA_CHECK(t >= 0 && t <= periods_);
  TotalParts parts;
  while (t > 0) {
    if (t >= first_total_ && released(t)) {
      parts.nodes.push_back(t);
      t = start(t);
    } else {
      parts.missing.push_back(t);
      --t;
    }
  }
  return parts;
}

RangeParts Structure::Range(int64_t first, int64_t last, Released released) const {
  TOMBOLA_CHECK(first >= 1 && first <= last && last <= periods_);
  const TotalParts with = Total(last, released);
  const TotalParts without = Total(first - 1, released);
  RangeParts parts;
  // What both lists have is left out; both descend.
  const auto differ = [](const std::vector<int64_t>& plus, const std::vector<int64_t>& minus,
                         auto take) {
    size_t i = 0, j = 0;
    while (i < plus.size() || j < minus.size()) {
      const int64_t here = i < plus.size() ? plus[i] : 0;
      const int64_t there = j < minus.size() ? minus[j] : 0;
      if (here != there) take(std::max(here, there), here > there ? 1 : -1);
      i += here >= there ? 1 : 0;
      j += there >= here ? 1 : 0;
    }
  };
  differ(with.nodes, without.nodes, [&](int64_t node, int sign) {
    parts.nodes.push_back({node, sign});
  });
  differ(with.missing, without.missing, [&](int64_t period, int sign) {
    if (period >= first) {
      parts.missing.push_back(period);
    } else {
      parts.strange.push_back({period, -sign});
    }
  });
  return parts;
}

// After node t no later one may start strictly inside of it.
bool Structure::IsNested() const {
  if (shape_ != Shape::kListed) return true;
  std::vector<int64_t> starts = {0};  // where later nodes may start, ascending
  for (int64_t t = first_total_; t <= periods_; ++t) {
    while (starts.back() > start(t)) starts.pop_back();
    if (starts.back() != start(t)) return false;
    starts.push_back(t);
  }
  return true;
}

int64_t Structure::Depth() const {
  if (shape_ == Shape::kPlain) return 1;
  if (shape_ == Shape::kFenwick) return std::bit_width(static_cast<uint64_t>(periods_));
  std::vector<int32_t> change(static_cast<size_t>(periods_) + 1);
  for (int64_t t = first_total_; t <= periods_; ++t) {
    ++change[static_cast<size_t>(start(t))];
    --change[static_cast<size_t>(t)];
  }
  int64_t nodes = 0, most = 0;
  for (const int32_t step : change) most = std::max(most, nodes += step);
  return most;
}

}  // namespace tombola::stream
