#include "collector/answer/bin_range.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace tombola::collector {
namespace {

// Of a bin's width: what decimals and divisions are off by at edges.
constexpr double kRounding = 1e-9;

double PositionOf(const Bins& bins, double number) {
  const int64_t bin = bins.BinOf(number).value_or(0);
  const double low = bins.Edge(bin);
  const double position = static_cast<double>(bin) + (number - low) / (bins.Edge(bin + 1) - low);
  const double edge = std::round(position);
  return std::abs(position - edge) < kRounding ? edge : position;
}

}  // namespace

absl::StatusOr<BinRange> BinRange::Read(const Bins& bins, const v1::NumberRange& wire) {
  const auto refuse = [&](absl::string_view bound) {
    return absl::InvalidArgumentError(
        absl::StrCat("where is ", wire.low(), " to ", wire.high(), "; ", bound));
  };
  if (!(wire.low() < wire.high())) {
    return refuse(absl::StrCat("its lower end must be below its upper one, both within ",
                               bins.low(), " to ", bins.high(), ", the task's range"));
  }
  if (!(wire.low() >= bins.low() && wire.high() <= bins.high())) {
    return refuse(
        absl::StrCat("it must be within ", bins.low(), " to ", bins.high(), ", the task's range"));
  }
  const BinRange range{PositionOf(bins, wire.low()), PositionOf(bins, wire.high())};
  if (!(range.first < range.last)) return refuse("it is too narrow a part of one bin");
  return range;
}

int64_t BinRange::begin() const { return static_cast<int64_t>(std::floor(first)); }

int64_t BinRange::end() const { return static_cast<int64_t>(std::ceil(last)); }

BinRange::Part BinRange::PartOf(const Bins& bins, int64_t bin) const {
  const double low = bins.Edge(bin), high = bins.Edge(bin + 1);
  const double from = std::max(first - static_cast<double>(bin), 0.0);
  const double to = std::min(last - static_cast<double>(bin), 1.0);
  return {.low = low + from * (high - low),
          .high = to < 1 ? low + to * (high - low) : high,
          .share = to - from};
}

std::vector<WeightedRun> RunsOf(const BinRange& range, int64_t leaves, Cut cut, double less) {
  std::vector<WeightedRun> runs;
  const auto add = [&](int64_t end, double weight) {
    const int64_t begun = runs.empty() ? 0 : runs.back().end;
    if (end > begun) runs.push_back({end, weight - less});
  };
  const auto cut_weight = [cut](double share) {
    return cut == Cut::kItsShare ? share : cut == Cut::kWhole ? 1.0 : 0.0;
  };
  const int64_t begin = range.begin(), end = range.end();
  add(begin, 0);
  const double first_share = std::min(range.last, static_cast<double>(begin + 1)) - range.first;
  if (first_share < 1) add(begin + 1, cut_weight(first_share));
  const double last_share = range.last - static_cast<double>(end - 1);
  if (last_share < 1) {
    add(end - 1, 1);
    add(end, cut_weight(last_share));
  }
  add(end, 1);
  add(leaves, 0);
  return runs;
}

}  // namespace tombola::collector
