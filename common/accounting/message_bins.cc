#include "common/accounting/message_bins.h"

#include <algorithm>
#include <cmath>

namespace tombola::accounting {
namespace {

constexpr double kWindowNats = 69.1;     // ln 1e30
constexpr double kRelativeWidth = 2e-4;  // of a fine bin, as a share of the number of messages
// So few values, of so few messages, are worth a bin each.
constexpr int64_t kNarrowWindow = 512;
constexpr double kFewMessages = 1e5;
constexpr int64_t kCoarser = 8;
// The weight of small numbers of messages grows by their larger divergence: the fine part reaches
// further down than up. In standard deviations.
constexpr double kFineBelow = 6;
constexpr double kFineAbove = 4;

BinPlan Window(int64_t low, int64_t high, double mean, double deviation) {
  BinPlan plan{.low = low, .high = high};
  const auto fine_low = static_cast<int64_t>(mean - kFineBelow * deviation);
  const auto fine_high = static_cast<int64_t>(mean + kFineAbove * deviation) + 1;
  plan.fine_low = std::clamp(fine_low, plan.low, plan.high);
  plan.fine_high = std::clamp(fine_high, plan.fine_low, plan.high);
  return plan;
}

BinPlan Window(const Binomial& blankets) {
  return Window(BinomialLowPoint(blankets, kWindowNats),
                BinomialHighPoint(blankets, kWindowNats) + 1, blankets.mean(),
                std::sqrt(blankets.variance()));
}

BinPlan WithFineBins(BinPlan plan, double messages) {
  if (plan.high - plan.low <= kNarrowWindow && messages <= kFewMessages) {
    plan.fine_low = plan.low;
    plan.fine_high = plan.high;
    return plan;
  }
  plan.width = std::max<int64_t>(1, static_cast<int64_t>(kRelativeWidth * messages));
  return plan;
}

}  // namespace

BinPlan PlanFineBins(const Binomial& blankets, int64_t fakes) {
  return WithFineBins(Window(blankets), blankets.mean() + static_cast<double>(fakes));
}

BinPlan PlanFineBins(int64_t low, int64_t high, double mean, double deviation) {
  return WithFineBins(Window(low, high, mean, deviation), mean);
}

std::vector<int64_t> BinEdges(const BinPlan& plan) {
  std::vector<int64_t> edges;
  for (int64_t k = plan.low; k < plan.high;) {
    edges.push_back(k);
    const bool fine = k >= plan.fine_low && k < plan.fine_high;
    int64_t end = k + (fine ? plan.width : kCoarser * plan.width);
    if (k < plan.fine_low) end = std::min(end, plan.fine_low);
    k = std::min(end, plan.high);
  }
  edges.push_back(plan.high);
  return edges;
}

std::vector<MessageBin> BinMessages(const Binomial& blankets, int64_t fakes, const BinPlan& plan) {
  const int64_t fixed = fakes + 1;
  if (blankets.trials == 0 || blankets.success <= 0) return {{fixed, 1.0}};
  const std::vector<int64_t> edges = BinEdges(plan);
  std::vector<MessageBin> bins;
  bins.reserve(edges.size() + 1);
  if (plan.low > 0) bins.push_back({fixed, BinomialLowerTail(blankets, plan.low - 1)});
  double pmf = 0;
  int steps = kPmfStepsPerAnchor;
  for (size_t i = 0; i + 1 < edges.size(); ++i) {
    double mass = 0;
    for (int64_t k = edges[i]; k < edges[i + 1]; ++k) {
      const bool anchor = steps >= kPmfStepsPerAnchor || pmf < kLeastSteppedPmf;
      pmf = anchor ? BinomialPmf(blankets, k) : PmfOneAbove(blankets, k - 1, pmf);
      steps = anchor ? 1 : steps + 1;
      mass += pmf;
    }
    bins.push_back({fixed + edges[i], mass});
  }
  const double rest = BinomialUpperTail(blankets, plan.high);
  if (rest > 0) bins.push_back({fixed + plan.high, rest});
  return bins;
}

}  // namespace tombola::accounting
