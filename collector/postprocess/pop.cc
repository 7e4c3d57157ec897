#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "collector/postprocess/compensated_sum.h"
#include "collector/postprocess/postprocess.h"

namespace tombola::collector {
namespace {

// Each pass usually drops most of what has to go; inputs made to drop little are sorted instead.
constexpr int kMaxPasses = 12;
// Entries read between two looks at how many are kept.
constexpr size_t kBlock = 4096;

// tau if exactly `entries` are positive in the projection; never more than the tau of any set that
// contains them.
double TauOf(absl::Span<const double> entries) {
  return (SumOf(entries) - 1) / static_cast<double>(entries.size());
}

// Copies what is above `bound`, less `base`, to `out`, which has room for all; returns the end.
// Without a branch, because what is kept is as good as random.
double* CopyAbove(absl::Span<const double> entries, double base, double bound, double* out) {
  for (const double x : entries) {
    *out = x - base;
    out += x - base > bound ? 1 : 0;
  }
  return out;
}

// Drops what is not above `bound`.
void KeepAbove(double bound, std::vector<double>* entries) {
  double* const end = CopyAbove(*entries, /*base=*/0, bound, entries->data());
  entries->resize(static_cast<size_t>(end - entries->data()));
}

// Michelot's algorithm: what is not above tau is zero in the projection, and tau only grows. It
// holds for the entries read so far as well, so the bound rises while reading, and of a long input
// most is dropped when first seen. The result contains every positive entry of the projection, all
// less `max`. No entry of the projection exceeds 1, so the first bound is 1 below the maximum.
std::vector<double> Candidates(absl::Span<const double> estimates, double max) {
  std::vector<double> kept;
  double bound = -1;
  size_t needed = kBlock;  // how many to have before the bound is worth raising
  for (size_t at = 0; at < estimates.size(); at += kBlock) {
    const absl::Span<const double> block = estimates.subspan(at, kBlock);
    const size_t before = kept.size();
    kept.resize(before + block.size());
    const double* const end = CopyAbove(block, max, bound, kept.data() + before);
    kept.resize(static_cast<size_t>(end - kept.data()));
    if (kept.size() < needed) continue;
    bound = std::max(bound, TauOf(kept));
    KeepAbove(bound, &kept);
    needed = std::max(kBlock, 2 * kept.size());
  }
  return kept;
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

// Leaves in `entries` no fewer than those above the tau that it returns.
double Tau(std::vector<double>* entries) {
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const double tau = TauOf(*entries);
    const size_t before = entries->size();
    KeepAbove(tau, entries);
    if (entries->size() == before) return tau;
  }
  return TauBySorting(*entries);
}

struct Scan {
  double max = 0;
  bool finite = true;
};

// Several at a time, because each comparison waits for the one before.
Scan ScanOf(absl::Span<const double> entries) {
  constexpr size_t kParts = 8;
  double max[kParts], zero[kParts];
  std::fill(max, max + kParts, entries[0]);
  std::fill(zero, zero + kParts, 0.0);
  const auto look = [&](double x, size_t part) {
    max[part] = x > max[part] ? x : max[part];
    zero[part] += x - x;  // NaN, and for good, unless x is finite
  };
  const size_t whole = entries.size() - entries.size() % kParts;
  for (size_t i = 0; i < whole; i += kParts) {
    for (size_t part = 0; part < kParts; ++part) look(entries[i + part], part);
  }
  for (size_t i = whole; i < entries.size(); ++i) look(entries[i], i - whole);
  return {.max = *std::max_element(max, max + kParts),
          .finite = std::all_of(zero, zero + kParts, [](double x) { return x == 0; })};
}

absl::Status NotFinite(absl::Span<const double> entries) {
  size_t i = 0;
  while (std::isfinite(entries[i])) ++i;
  return absl::InvalidArgumentError(absl::StrCat("estimates[", i, "] is not finite"));
}

}  // namespace

absl::StatusOr<std::vector<double>> Pop(absl::Span<const double> estimates) {
  if (estimates.empty()) return absl::InvalidArgumentError("estimates is empty; it needs an entry");
  const auto [max, finite] = ScanOf(estimates);
  if (!finite) return NotFinite(estimates);
  // Relative to the maximum, which changes nothing but keeps the digits.
  std::vector<double> positive = Candidates(estimates, max);
  const double tau = Tau(&positive);

  std::vector<double> histogram(estimates.size());
  for (size_t i = 0; i < estimates.size(); ++i) {
    histogram[i] = std::max(estimates[i] - max - tau, 0.0);
  }
  // What is not in `positive` adds nothing to the sum.
  for (double& x : positive) x = std::max(x - tau, 0.0);
  const double sum = SumOf(positive);
  if (std::abs(sum - 1) > 1e-12) {
    for (double& x : histogram) x /= sum;
  }
  return histogram;
}

}  // namespace tombola::collector
