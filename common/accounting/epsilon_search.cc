#include "common/accounting/epsilon_search.h"

#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/accounting/crossing.h"
#include "common/accounting/search.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kGrid = 5e-7;  // in ln epsilon
constexpr double kLargestEpsilon = 700;
constexpr double kGuess = 0.5;

double EpsilonOf(int64_t index) { return kGuess * std::exp(static_cast<double>(index) * kGrid); }

int64_t IndexOf(double epsilon) {
  return static_cast<int64_t>(std::floor(std::log(epsilon / kGuess) / kGrid));
}

}  // namespace

absl::StatusOr<double> SmallestEpsilon(DeltaAt delta_at, double delta) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(delta));
  absl::Status failure;
  const GridRange grid{.good_end = IndexOf(kLargestEpsilon),
                       .bad_end = IndexOf(kSmallestEpsilon) + 1,
                       .start = 0,
                       .step = IndexOf(2 * kGuess)};
  const std::optional<int64_t> found = FindCrossing(
      [&](int64_t index) {
        const absl::StatusOr<double> value = delta_at(EpsilonOf(index));
        if (!value.ok()) {
          failure = value.status();
          return std::numeric_limits<double>::infinity();
        }
        return std::log(*value / delta);
      },
      grid);
  TOMBOLA_RETURN_IF_ERROR(failure);
  if (found.has_value()) return EpsilonOf(*found);
  return absl::FailedPreconditionError(
      absl::StrCat("no epsilon up to ", kLargestEpsilon, " meets delta ", delta));
}

}  // namespace tombola::accounting
