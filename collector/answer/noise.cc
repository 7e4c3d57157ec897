#include "collector/answer/noise.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/half_width.h"
#include "common/kind/number.h"

namespace tombola::collector {
namespace {

double HalfWidthOf(double standard_error) { return kDeviationsOf95 * standard_error; }

// What some numbers with errors add up to, and how much of it stands out.
class Seen {
 public:
  void Add(double value, double standard_error) {
    const double half = HalfWidthOf(standard_error);
    ++count_;
    halves_ += half;
    all_ += std::abs(value);
    if (value > half) {
      clear_ += value;
    } else {
      ++hidden_;
    }
  }

  bool MostlyNoise() const { return all_ > 0 && 2 * clear_ < all_; }
  int64_t count() const { return count_; }
  int64_t hidden() const { return hidden_; }
  double mean_half_width() const { return halves_ / static_cast<double>(count_); }

 private:
  int64_t count_ = 0, hidden_ = 0;
  double all_ = 0, clear_ = 0, halves_ = 0;
};

std::string With(const v1::Answer& answer) {
  return absl::StrCat("with ", answer.reports(), answer.reports() == 1 ? " device " : " devices ");
}

// Of a histogram and what else has its columns.
template <typename Body>
std::string OfShares(const v1::Answer& answer, const Body& body) {
  Seen seen;
  for (int i = 0; i < body.frequencies_size(); ++i) {
    seen.Add(body.frequencies(i), body.standard_errors(i));
  }
  if (!seen.MostlyNoise()) return "";
  return absl::StrFormat(
      "%sthese shares are mostly noise: %d of %d are no larger than the half-widths of their 95 %% "
      "intervals, %.3g %% on average",
      With(answer), seen.hidden(), seen.count(), 100 * seen.mean_half_width());
}

std::string OfStream(const v1::Answer& answer) {
  if (answer.stream().totals().empty()) return "";
  return OfShares(answer, answer.stream().totals(answer.stream().totals_size() - 1).shares());
}

std::string OfNumbers(const Task& task, const v1::Answer& answer) {
  if (task.kind().name() != NumberKind::kName || !answer.number().has_mean()) return "";
  const Bins& bins = static_cast<const NumberKind&>(task.kind()).cells().bins;
  const double half = HalfWidthOf(answer.number().mean().standard_error());
  const double range = bins.high() - bins.low();
  if (2 * half < range) return "";
  return absl::StrFormat(
      "%sthis mean is mostly noise: the half-width of its 95 %% interval is %.3g, and half of the "
      "range %.3g",
      With(answer), half, range / 2);
}

std::string OfRecords(const v1::Answer& answer) {
  const v1::Aggregates& body = answer.records();
  Seen seen;
  for (const v1::AggregateCell& cell : body.cells()) {
    seen.Add(cell.count().value(), cell.count().standard_error());
  }
  if (seen.MostlyNoise()) {
    return absl::StrFormat(
        "%sthese counts are mostly noise: %d of %d are no larger than the half-widths of their 95 "
        "%% intervals, %.3g records on average",
        With(answer), seen.hidden(), seen.count(), seen.mean_half_width());
  }
  const double half = HalfWidthOf(body.count().standard_error());
  if (!body.cells().empty() || body.count().value() > half) return "";
  return absl::StrFormat(
      "%sthis count is mostly noise: it is no larger than the half-width of its 95 %% interval, "
      "%.3g records",
      With(answer), half);
}

}  // namespace

std::string MostlyNoise(const Task& task, const v1::Answer& answer) {
  switch (answer.body_case()) {
    case v1::Answer::kHistogram:
      return OfShares(answer, answer.histogram());
    case v1::Answer::kSet:
      return OfShares(answer, answer.set());
    case v1::Answer::kKeyValue:
      return OfShares(answer, answer.key_value());
    case v1::Answer::kNumber:
      return OfNumbers(task, answer);
    case v1::Answer::kRecords:
      return OfRecords(answer);
    case v1::Answer::kStream:
      return OfStream(answer);
    default:
      return "";
  }
}

}  // namespace tombola::collector
