#include "lab/key_value/pckv_ue.h"

#include <cmath>

namespace tombola::lab {
namespace {

Ternary UeTernary(double epsilon) {
  const double odds = std::exp(epsilon);
  return {.holder = 0.5, .other = 2 / (odds + 3), .tilt = 0.5 * (odds - 1) / (odds + 1)};
}

}  // namespace

PckvUe::PckvUe(const Setting& setting) : PaddedTernary(setting, UeTernary(setting.epsilon)) {}

std::vector<double> PckvUe::ReportLaw(absl::Span<const Pair> record) const {
  const std::vector<double> picks = PaddedPickLaw(setting(), record);
  const size_t places = picks.size() / 2;
  // By state 0 (none), 1 (own sign of the pick, or + elsewhere), 2 (the other sign, or -).
  const double own[3] = {1 - ternary().holder, (ternary().holder + ternary().tilt) / 2,
                         (ternary().holder - ternary().tilt) / 2};
  const double other[3] = {1 - ternary().other, ternary().other / 2, ternary().other / 2};
  size_t reports = 1;
  for (size_t place = 0; place < places; ++place) reports *= 3;
  std::vector<double> law(reports, 0);
  for (size_t report = 0; report < reports; ++report) {
    for (size_t cell = 0; cell < picks.size(); ++cell) {
      double probability = picks[cell];
      for (size_t place = 0, rest = report; place < places; ++place, rest /= 3) {
        const size_t state = rest % 3, flipped = state == 0 ? 0 : 3 - state;
        const bool picked = place == cell / 2;
        probability *= picked ? own[cell % 2 == 0 ? state : flipped] : other[state];
      }
      law[report] += probability;
    }
  }
  return law;
}

}  // namespace tombola::lab
