#include "common/plan/range_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/base/status_macros.h"

namespace tombola::mechanism {
namespace {

using ErrorFunction = std::function<double(double range, double kappa)>;

// The optimum is flat, or at worst a kink where the cap begins: ranges this close (in log) differ
// by far less than 1 % in error.
constexpr double kFineInLog = 0.01;
// The coarse scan goes in steps of a factor of about three.
constexpr double kCoarseInLog = 1.1;

// Minimises over log range on a grid, then on a finer one around its best point.
double BestLogRange(double low, double high, const std::function<double(double)>& error_at) {
  double best = low;
  for (int round = 0; round < 3; ++round) {
    constexpr int kSteps = 256;
    const double step = (high - low) / kSteps;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= kSteps; ++i) {
      const double error = error_at(low + i * step);
      if (error < least) {
        least = error;
        best = low + i * step;
      }
    }
    low = std::max(low, best - step);
    high = std::min(high, best + step);
  }
  return best;
}

class Search {
 public:
  Search(const RangeSearchOptions& options,
         const std::function<absl::StatusOr<double>(double)>& largest_kappa,
         const ErrorFunction& error)
      : options_(options), largest_kappa_(largest_kappa), error_(error) {}

  absl::StatusOr<RangePoint> Run() {
    const double low = std::log(options_.least);
    const double high = std::log(options_.most);
    // What needs no accountant: the local mechanism, good for any number of submissions.
    const double local_kappa = std::min(options_.always, options_.cap);
    const double local_range = std::exp(
        BestLogRange(low, high, [&](double x) { return error_(std::exp(x), local_kappa); }));
    best_ = {local_range, local_kappa, error_(local_range, local_kappa)};
    if (options_.cap <= options_.always) return best_;

    TOMBOLA_RETURN_IF_ERROR(Scan(low, high));
    TOMBOLA_RETURN_IF_ERROR(Refine(low, high));
    return best_;
  }

 private:
  // The optimum of the central limit, g* = sqrt(d) (sqrt(B) + sqrt(d)), or what the cap alone would
  // choose if that is smaller.
  double FirstLogRange(double low, double high) const {
    const double root = std::sqrt(options_.domain_size);
    const double central = std::log(root * (std::sqrt(options_.blanket) + root));
    const double capped =
        BestLogRange(low, high, [&](double x) { return error_(std::exp(x), options_.cap); });
    return std::min(central, capped);
  }

  // Outwards from the first guess in both directions, because a good point rules others out unseen.
  absl::Status Scan(double low, double high) {
    const double first = std::clamp(FirstLogRange(low, high), low, high);
    TOMBOLA_RETURN_IF_ERROR(Evaluate(first));
    for (double away = kCoarseInLog; away < high - low; away += kCoarseInLog) {
      for (const double x : {first - away, first + away}) {
        if (x >= low && x <= high) TOMBOLA_RETURN_IF_ERROR(Evaluate(x));
      }
    }
    return absl::OkStatus();
  }

  // Looks to both sides of the best point in ever smaller steps, down to those that rounding
  // the range to an integer swallows.
  absl::Status Refine(double low, double high) {
    for (double step = kCoarseInLog / 2; step > kFineInLog; step /= 2) {
      if (step * best_.range < 0.1) break;
      const double centre = std::log(best_.range);
      for (const double x : {centre - step, centre + step}) {
        if (x >= low && x <= high) TOMBOLA_RETURN_IF_ERROR(Evaluate(x));
      }
    }
    return absl::OkStatus();
  }

  // Asks the accountant only if the largest kappa of all would make this the best point.
  absl::Status Evaluate(double log_range) {
    const double range = std::exp(log_range);
    if (error_(range, options_.cap) >= best_.error) return absl::OkStatus();
    TOMBOLA_ASSIGN_OR_RETURN(const double kappa, largest_kappa_(range));
    const double allowed = std::min(kappa, options_.cap);
    const double error = error_(range, allowed);
    if (error < best_.error) best_ = {range, allowed, error};
    return absl::OkStatus();
  }

  const RangeSearchOptions& options_;
  const std::function<absl::StatusOr<double>(double)>& largest_kappa_;
  const ErrorFunction& error_;
  RangePoint best_;
};

}  // namespace

absl::StatusOr<RangePoint> SearchRange(
    const RangeSearchOptions& options,
    const std::function<absl::StatusOr<double>(double range)>& largest_kappa,
    const ErrorFunction& error) {
  return Search(options, largest_kappa, error).Run();
}

}  // namespace tombola::mechanism
