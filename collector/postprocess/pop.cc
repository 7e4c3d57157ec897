#include "collector/postprocess/pop.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "collector/postprocess/compensated_sum.h"

namespace tombola::collector {
namespace {

// Each pass usually drops most of what has to go; inputs made to drop little are sorted instead.
constexpr int kMaxPasses = 12;

// tau if exactly `entries` are positive in the projection.
double TauOf(absl::Span<const double> entries) {
  CompensatedSum sum;
  for (const double x : entries) sum.Add(x);
  return (sum.value() - 1) / static_cast<double>(entries.size());
}

// The largest j with j u_j > u_1 + ... + u_j - 1, u descending, determines tau.
double TauBySorting(std::vector<double> entries) {
  std::sort(entries.begin(), entries.end(), std::greater<>());
  CompensatedSum sum;
  double tau = entries.front() - 1;
  for (size_t j = 0; j < entries.size(); ++j) {
    sum.Add(entries[j]);
    const double candidate = (sum.value() - 1) / static_cast<double>(j + 1);
    if (!(entries[j] > candidate)) break;
    tau = candidate;
  }
  return tau;
}

// Michelot's algorithm: what is not above tau is zero in the projection, and tau only grows.
double Tau(std::vector<double> entries) {
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const double tau = TauOf(entries);
    const auto end =
        std::remove_if(entries.begin(), entries.end(), [tau](double x) { return !(x > tau); });
    if (end == entries.end()) return tau;
    entries.erase(end, entries.end());
  }
  return TauBySorting(std::move(entries));
}

void Renormalise(std::vector<double>* histogram) {
  CompensatedSum sum;
  for (const double x : *histogram) sum.Add(x);
  if (std::abs(sum.value() - 1) <= 1e-12) return;
  for (double& x : *histogram) x /= sum.value();
}

}  // namespace

absl::StatusOr<std::vector<double>> Pop(absl::Span<const double> estimates) {
  if (estimates.empty()) return absl::InvalidArgumentError("estimates is empty; it needs an entry");
  for (size_t i = 0; i < estimates.size(); ++i) {
    if (!std::isfinite(estimates[i])) {
      return absl::InvalidArgumentError(absl::StrCat("estimates[", i, "] is not finite"));
    }
  }
  // Relative to the maximum, which changes nothing but keeps the digits. No entry of the projection
  // exceeds 1, so what is 1 or more below the maximum is zero.
  const double max = *std::max_element(estimates.begin(), estimates.end());
  std::vector<double> candidates;
  for (const double x : estimates) {
    if (x - max > -1) candidates.push_back(x - max);
  }
  const double tau = Tau(std::move(candidates));

  std::vector<double> histogram(estimates.size());
  for (size_t i = 0; i < estimates.size(); ++i) {
    histogram[i] = std::max(estimates[i] - max - tau, 0.0);
  }
  Renormalise(&histogram);
  return histogram;
}

}  // namespace tombola::collector
