#include "common/accounting/crossing.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tombola::accounting {
namespace {

constexpr int kGrowth = 4;
constexpr int kProbesBeforeHalving = 3;

struct Probe {
  int64_t at = 0;
  double value = 0;
  bool good() const { return value <= 0; }
};

struct Bracket {
  Probe good;
  Probe bad;
  int64_t width() const { return std::llabs(good.at - bad.at); }
  int64_t Inside(int64_t at) const {
    return std::clamp(at, std::min(good.at, bad.at) + 1, std::max(good.at, bad.at) - 1);
  }
  int64_t Middle() const { return Inside(good.at + (bad.at - good.at) / 2); }
};

// Where the line through two probes is zero; the middle of the bracket if that says nothing.
int64_t Secant(const Probe& a, const Probe& b, const Bracket& bracket) {
  const double root =
      static_cast<double>(b.at) - b.value * static_cast<double>(b.at - a.at) / (b.value - a.value);
  const double low = static_cast<double>(std::min(bracket.good.at, bracket.bad.at));
  const double high = static_cast<double>(std::max(bracket.good.at, bracket.bad.at));
  if (!(root > low && root < high)) return bracket.Middle();
  return static_cast<int64_t>(std::llround(root));
}

// Walks from the guess with growing steps until the other kind of point is met.
std::optional<Bracket> FindBracket(GridFunction function, const GridRange& range) {
  Probe probe{range.start, function(range.start)};
  const bool began_good = probe.good();
  const int64_t end = began_good ? range.bad_end : range.good_end;
  const int64_t sign = end > range.start ? 1 : -1;
  for (int64_t step = range.step;; step *= kGrowth) {
    const int64_t left = std::llabs(end - probe.at);
    if (left == 0) return began_good ? std::make_optional(Bracket{probe, probe}) : std::nullopt;
    const Probe last = probe;
    probe.at += sign * std::min(step, left);
    probe.value = function(probe.at);
    if (probe.good() != began_good) {
      return began_good ? Bracket{last, probe} : Bracket{probe, last};
    }
  }
}

}  // namespace

// The secant's root, pushed past the crossing as seen from the last probe, so that the bracket
// closes from both sides; every third probe halves if the others did not.
std::optional<int64_t> FindCrossing(GridFunction function, const GridRange& range) {
  std::optional<Bracket> bracket = FindBracket(function, range);
  if (!bracket.has_value()) return std::nullopt;
  Probe before = bracket->bad;
  Probe last = bracket->good;
  int64_t push = 1;
  int probes = 0;
  int64_t width_to_halve = bracket->width();
  while (bracket->width() > 1) {
    const int64_t towards_bad = bracket->bad.at > bracket->good.at ? 1 : -1;
    const int64_t side = last.good() ? towards_bad : -towards_bad;
    int64_t at = Secant(before, last, *bracket) + side * push;
    if (++probes == kProbesBeforeHalving) {
      if (bracket->width() > width_to_halve / 2) at = bracket->Middle();
      probes = 0;
      width_to_halve = bracket->width();
    }
    at = bracket->Inside(at);
    const Probe probe{at, function(at)};
    push = probe.good() == last.good() ? std::min(push * kGrowth, bracket->width()) : 1;
    (probe.good() ? bracket->good : bracket->bad) = probe;
    before = last;
    last = probe;
  }
  return bracket->good.at;
}

}  // namespace tombola::accounting
