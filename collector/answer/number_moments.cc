#include "collector/answer/number_moments.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tombola::collector {
namespace {

v1::Estimate MakeEstimate(double value, double standard_error, double low, double high) {
  v1::Estimate estimate;
  estimate.set_value(value);
  estimate.set_standard_error(standard_error);
  estimate.set_low(low);
  estimate.set_high(high);
  return estimate;
}

// The numbers of one bin that are in the range: so many devices' part of all, each taken to have
// `number`, which lies between `low` and `high`.
struct Held {
  double devices = 0;  // in the bin; what is in the range is `share` of them
  double share = 1;
  double number = 0, low = 0, high = 0;

  // How far off the sum of (number - origin) over the bin may be, per device in it: none or all of
  // a cut bin's devices may be in the range, and anywhere in the part of it.
  double Off(double origin) const {
    if (share == 1) return (high - low) / 2;
    const double taken = share * (number - origin);
    return std::max(
        {std::abs(taken), std::abs(low - origin - taken), std::abs(high - origin - taken)});
  }
};

}  // namespace

NumberMoments::NumberMoments(const CountedNumbers& numbers, const NumberCells& cells,
                             const BinRange& range)
    : numbers_(numbers), cells_(cells), range_(range) {}

v1::Estimate NumberMoments::Share(const BinRange& range, bool of_all) const {
  const BinRange all = BinRange::All(cells_.bins);
  if (range.first == all.first && range.last == all.last && !(of_all && numbers_.missing())) {
    return MakeEstimate(1, 0, 1, 1);
  }
  const double divisor = of_all ? 1 : numbers_.WithNumber();
  const auto share = [&](Cut cut) {
    double sum = 0;
    int64_t begin = 0;
    for (const WeightedRun& run : RunsOf(range, numbers_.bins(), cut, /*less=*/0)) {
      sum += run.weight * (numbers_.Below(run.end) - numbers_.Below(begin));
      begin = run.end;
    }
    return sum / divisor;
  };
  const auto error = [&](Cut cut) {
    const double less = of_all ? 0 : share(cut);
    CountedNumbers::Error found = numbers_.ErrorOf(RunsOf(range, numbers_.bins(), cut, less));
    return CountedNumbers::Error{found.standard / divisor, found.half_width / divisor};
  };
  const CountedNumbers::Error own = error(Cut::kItsShare);
  const double value = share(Cut::kItsShare);
  if (range.first == std::floor(range.first) && range.last == std::floor(range.last)) {
    return MakeEstimate(value, own.standard, value - own.half_width, value + own.half_width);
  }
  // Noise may leave a bin that is cut with less than nothing.
  const double none = share(Cut::kNothing), whole = share(Cut::kWhole);
  const double off = error(Cut::kNothing).half_width;
  const double low = std::min(none - off, value);
  const double high = std::max({none + off, whole + error(Cut::kWhole).half_width, value});
  return MakeEstimate(value, own.standard, low, high);
}

double NumberMoments::Partial() const {
  double sum = 0;
  const auto add = [&](int64_t bin) {
    if (range_.PartOf(cells_.bins, bin).cut()) sum += std::max(numbers_.Share(bin), 0.0);
  };
  add(range_.begin());
  if (range_.end() - range_.begin() > 1) add(range_.end() - 1);
  return sum * numbers_.devices();
}

void NumberMoments::Fill(v1::Distribution* body) const {
  const bool dithered = cells_.levels.has_value();
  std::vector<Held> all;
  double devices = 0, whole = 0, sum = 0, widest = 0;
  for (int64_t bin = range_.begin(); bin < range_.end(); ++bin) {
    Held held{.devices = numbers_.Share(bin)};
    if (dithered) {
      held.number = held.low = held.high = cells_.levels->At(bin);
    } else {
      const BinRange::Part part = range_.PartOf(cells_.bins, bin);
      held = {held.devices, part.share, (part.low + part.high) / 2, part.low, part.high};
    }
    devices += held.share * held.devices;
    sum += held.share * held.devices * held.number;
    if (held.share == 1) {
      whole += held.devices;
      widest = std::max(widest, held.Off(0));
    }
    all.push_back(held);
  }
  const double low = all.front().low, high = all.back().high;
  const double mean = std::clamp(sum / devices, low, high);

  // Of sums of (number - origin): what numbers within bins may make of it at most, and its error.
  const auto off = [&](double origin) {
    double within = 0, at_ends = 0;
    for (const Held& held : all) {
      if (held.share == 1) {
        within += held.devices * held.Off(origin);
      } else {
        at_ends += std::max(held.devices, 0.0) * held.Off(origin);
      }
    }
    return std::clamp(within, 0.0, std::max(whole, 0.0) * widest) + at_ends;
  };
  double rounding = 0;
  if (dithered) {
    const double step = cells_.levels->step();
    rounding = std::min(step * step / 4, (high - mean) * (mean - low)) * devices;
  }
  const auto error = [&](double origin) {
    std::vector<double> weights(static_cast<size_t>(numbers_.bins()));
    for (size_t i = 0; i < all.size(); ++i) {
      weights[static_cast<size_t>(range_.begin()) + i] = all[i].share * (all[i].number - origin);
    }
    return numbers_.ErrorOfEach(weights, rounding / numbers_.devices());
  };

  // The true mean divides by the devices that are there, which may be those of whole bins alone.
  const double farthest = std::max(mean - low, high - mean);
  const double spread =
      whole > 0 ? std::min(off(mean) / std::min(whole, devices), farthest) : farthest;
  const CountedNumbers::Error of_mean = error(mean);
  const double half = of_mean.half_width / devices + spread;
  *body->mutable_mean() = MakeEstimate(mean, of_mean.standard / devices, std::max(mean - half, low),
                                       std::min(mean + half, high));
  body->set_spread(spread);
  const CountedNumbers::Error of_sum = error(0);
  const double n = numbers_.devices();
  const double sum_half = (of_sum.half_width + off(0)) * n;
  *body->mutable_sum() =
      MakeEstimate(sum * n, of_sum.standard * n, sum * n - sum_half, sum * n + sum_half);
}

}  // namespace tombola::collector
