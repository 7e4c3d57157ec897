#include "common/plan/records_limit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/kind/records.h"
#include "common/plan/records.h"
#include "common/table/filling.h"

namespace tombola::mechanism {
namespace {

// Of many multiples so many are tried at once.
constexpr int64_t kLimitsAtOnce = 24;

class LimitSearch {
 public:
  LimitSearch(const RecordSizes& sizes, int64_t step, int64_t last,
              absl::FunctionRef<absl::StatusOr<LimitNoise>(int64_t)> noise)
      : sizes_(sizes), step_(step), last_(last), noise_(noise) {}

  // `times` the step, unless it was tried. What cannot be cannot be with more either.
  absl::Status Try(int64_t times) {
    if (times >= too_many_ || tried_.contains(times)) return absl::OkStatus();
    const absl::StatusOr<LimitNoise> noise = noise_(times * step_);
    if (absl::IsFailedPrecondition(noise.status()) && times > 1) {
      too_many_ = times;
      return absl::OkStatus();
    }
    TOMBOLA_RETURN_IF_ERROR(noise.status());
    const double cut = sizes_.Cut(times * step_);
    tried_[times] = {.max_records = times * step_,
                     .cut = cut,
                     .of = *noise,
                     .error = std::hypot(cut, noise->noise)};
    return absl::OkStatus();
  }

  // Some in [low, high], both of them too: by equal ratios, or where they are close by equal steps.
  absl::Status TrySome(int64_t low, int64_t high) {
    const double ratio = static_cast<double>(high) / static_cast<double>(low);
    for (int64_t i = 0; i < kLimitsAtOnce; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(kLimitsAtOnce - 1);
      const double at = ratio > 2
                            ? static_cast<double>(low) * std::pow(ratio, part)
                            : static_cast<double>(low) + static_cast<double>(high - low) * part;
      TOMBOLA_RETURN_IF_ERROR(Try(std::clamp<int64_t>(std::llround(at), low, high)));
    }
    return absl::OkStatus();
  }

  // What was tried next to the best on either side, or might be above it; the best itself where
  // there is nothing.
  std::pair<int64_t, int64_t> AroundBest() const {
    const auto best = std::min_element(tried_.begin(), tried_.end(), Better);
    const auto next = std::next(best);
    const int64_t largest = std::min(last_, too_many_ - 1);
    return {best == tried_.begin() ? best->first : std::prev(best)->first,
            next == tried_.end() ? largest : next->first};
  }

  LimitChoice Choice() const {
    LimitChoice choice;
    for (const auto& [times, limit] : tried_) choice.tried.push_back(limit);
    const auto best =
        std::min_element(choice.tried.begin(), choice.tried.end(),
                         [](const auto& a, const auto& b) { return a.error < b.error; });
    choice.best = static_cast<size_t>(best - choice.tried.begin());
    return choice;
  }

 private:
  using Tried = std::map<int64_t, RecordLimit>;
  static bool Better(const Tried::value_type& a, const Tried::value_type& b) {
    return a.second.error < b.second.error;
  }

  const RecordSizes& sizes_;
  const int64_t step_;
  const int64_t last_;  // in steps, as all that follow
  const absl::FunctionRef<absl::StatusOr<LimitNoise>(int64_t)> noise_;
  Tried tried_;  // and feasible
  int64_t too_many_ = std::numeric_limits<int64_t>::max();
};

absl::StatusOr<LimitNoise> NoiseOf(const v1::Records& asked, const RecordSizes& sizes,
                                   const PlanRequest& request, absl::string_view only) {
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Records planned, PlanViews(asked, request));
  TOMBOLA_ASSIGN_OR_RETURN(const RecordCells cells, RecordCells::Read(planned));
  TOMBOLA_ASSIGN_OR_RETURN(const auto candidates, PlanRecords(cells, request, only));
  TOMBOLA_ASSIGN_OR_RETURN(const Candidate* const best, BestForRecords(candidates));
  const std::string refused = RefusedByUsualDevices(*best->mechanism);
  if (!std::isfinite(request.max_messages) && !refused.empty()) {
    return absl::FailedPreconditionError(refused);
  }
  const double records = sizes.mean() * static_cast<double>(request.submissions);
  const std::vector<ViewCost> costs = CostsOf(cells, *best->mechanism, request.submissions);
  double sum = 0;
  for (const ViewCost& cost : costs) {
    const double relative = cost.range_deviation / (cost.range_share * records);
    sum += relative * relative;
  }
  return LimitNoise{.noise = std::sqrt(sum / static_cast<double>(costs.size())),
                    .cells = cells.cells,
                    .messages = best->mechanism->expected_reports_per_submission()};
}

}  // namespace

absl::StatusOr<LimitChoice> ChooseLimit(
    const RecordSizes& sizes, int64_t step,
    absl::FunctionRef<absl::StatusOr<LimitNoise>(int64_t max_records)> noise) {
  const int64_t last =
      std::max<int64_t>(1, std::min((sizes.most() + step - 1) / step, kMostHeld / step));
  LimitSearch search(sizes, step, last, noise);
  if (last <= kAllLimits) {
    for (int64_t times = 1; times <= last; ++times) TOMBOLA_RETURN_IF_ERROR(search.Try(times));
    return search.Choice();
  }
  std::pair<int64_t, int64_t> around = {1, last};
  for (int64_t width = last + 1; around.second - around.first < width;) {
    width = around.second - around.first;
    TOMBOLA_RETURN_IF_ERROR(search.TrySome(around.first, around.second));
    around = search.AroundBest();
  }
  return search.Choice();
}

absl::StatusOr<LimitChoice> PlanLimit(const v1::Records& asked, const RecordSizes& sizes,
                                      const PlanRequest& request, absl::string_view only) {
  const int64_t step = std::max<int64_t>(1, asked.max_alike());
  return ChooseLimit(sizes, step, [&](int64_t max_records) -> absl::StatusOr<LimitNoise> {
    v1::Records limited = asked;
    limited.set_max_records(static_cast<uint32_t>(max_records));
    absl::StatusOr<LimitNoise> noise = NoiseOf(limited, sizes, request, only);
    // What is wrong with the schema is wrong with the least number too.
    if (absl::IsInvalidArgument(noise.status()) && max_records > step) {
      return absl::FailedPreconditionError(noise.status().message());
    }
    return noise;
  });
}

}  // namespace tombola::mechanism
