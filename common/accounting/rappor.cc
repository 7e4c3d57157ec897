#include "common/accounting/rappor.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "common/accounting/clones.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

// ln of the likelihood that all of `reports` draws of one bit come out one way: with `same` if the
// memo is the bit itself, with probability 1 - f/2, else with `other`.
double LogAll(double f, double same, double other, double reports) {
  const double larger = std::max(same, other);
  const double smaller = std::min(same, other);
  const double of_larger = larger == same ? 1 - f / 2 : f / 2;
  const double ratio = std::pow(smaller / larger, reports);
  return reports * std::log(larger) + std::log(of_larger + (1 - of_larger) * ratio);
}

}  // namespace

absl::Status Validate(const Rappor& rappor) {
  const auto refused = [](absl::string_view field, absl::string_view bound, auto value) {
    return absl::InvalidArgumentError(
        absl::StrCat("rappor.", field, " must be ", bound, ", is ", value));
  };
  if (!(rappor.f > 0 && rappor.f < 1)) return refused("f", "in (0, 1)", rappor.f);
  if (!(rappor.p >= 0 && rappor.p < 1)) return refused("p", "in [0, 1)", rappor.p);
  if (!(rappor.q > rappor.p && rappor.q <= 1)) {
    return refused("q", absl::StrCat("in (", rappor.p, ", 1]"), rappor.q);
  }
  if (rappor.bits < 1 || rappor.bits > kMostBloomBits) {
    return refused("bits", absl::StrCat("in [1, ", kMostBloomBits, "]"), rappor.bits);
  }
  if (rappor.hashes < 1 || rappor.hashes > rappor.bits) {
    return refused("hashes", absl::StrCat("in [1, ", rappor.bits, "]"), rappor.hashes);
  }
  return absl::OkStatus();
}

UnaryReports OneReport(const Rappor& rappor, int64_t honest) {
  const double half = rappor.f * (rappor.p + rappor.q) / 2;
  return {.honest = honest,
          .hashes = rappor.hashes,
          .risen = half + (1 - rappor.f) * rappor.p,
          .kept = half + (1 - rappor.f) * rappor.q};
}

// The likelihood ratio of a number of ones grows with it, so the extremes are all ones and all
// zeros: ones on the bits of one value, zeros on those of the other.
double LocalEpsilonOf(const Rappor& rappor, int64_t reports) {
  const double times = static_cast<double>(reports);
  const auto [f, p, q] = std::tuple(rappor.f, rappor.p, rappor.q);
  const double ones = LogAll(f, q, p, times) - LogAll(f, p, q, times);
  const double zeros = LogAll(f, 1 - p, 1 - q, times) - LogAll(f, 1 - q, 1 - p, times);
  return static_cast<double>(rappor.hashes) * (ones + zeros);
}

double LocalEpsilonOfMemo(const Rappor& rappor) {
  return 2 * static_cast<double>(rappor.hashes) * std::log((1 - rappor.f / 2) / (rappor.f / 2));
}

absl::StatusOr<ShuffledRappor> ShuffledEpsilon(const Rappor& rappor, int64_t honest, double delta) {
  TOMBOLA_RETURN_IF_ERROR(Validate(rappor));
  const UnaryReports reports = OneReport(rappor, honest);
  ShuffledRappor shuffled;
  TOMBOLA_ASSIGN_OR_RETURN(shuffled.blanket, UnaryEpsilon(reports, delta));
  TOMBOLA_ASSIGN_OR_RETURN(shuffled.clones, ClonesEpsilon(honest, LocalEpsilon(reports), delta));
  shuffled.epsilon = std::min({shuffled.blanket, shuffled.clones, LocalEpsilon(reports)});
  return shuffled;
}

}  // namespace tombola::accounting
