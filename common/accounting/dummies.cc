#include "common/accounting/dummies.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/accounting/binomial.h"
#include "common/accounting/epsilon_search.h"
#include "common/accounting/message_bins.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kRoundingMargin = 1e-9;
constexpr double kLargestEpsilon = 700;

// The masses of a law's window, added up: Mass(from, to) is Pr[from <= X < to] in it.
class Cumulative {
 public:
  explicit Cumulative(const NoiseLaw& law) : low_(law.low), sums_(law.pmf.size() + 1, 0.0) {
    for (size_t i = 0; i < law.pmf.size(); ++i) sums_[i + 1] = sums_[i] + law.pmf[i];
  }
  double Mass(int64_t from, int64_t to) const { return At(to) - At(from); }

 private:
  double At(int64_t k) const {
    const auto last = static_cast<int64_t>(sums_.size()) - 1;
    return sums_[static_cast<size_t>(std::clamp<int64_t>(k - low_, 0, last))];
  }
  int64_t low_;
  std::vector<double> sums_;
};

double MeanOf(const NoiseLaw& law) {
  double sum = 0;
  for (size_t i = 0; i < law.pmf.size(); ++i) sum += law.pmf[i] * static_cast<double>(i);
  return sum + static_cast<double>(law.low);
}

double VarianceOf(const NoiseLaw& law, double mean) {
  double sum = 0;
  for (size_t i = 0; i < law.pmf.size(); ++i) {
    const double off = static_cast<double>(law.low) + static_cast<double>(i) - mean;
    sum += law.pmf[i] * off * off;
  }
  return sum;
}

// The number of messages, the victim's included, as bins of which each is taken at its lower end.
// The divergence falls with the number, so wherever the bins are cut their sum is an upper bound;
// where they are cut decides only by how much.
std::vector<MessageBin> BinAll(const Blanket& blanket, const NoiseLaw& dummies) {
  const Binomial blankets{blanket.honest - 1, blanket.gamma, 1 - blanket.gamma};
  const std::vector<MessageBin> others =
      BinMessages(blankets, blanket.fakes, PlanFineBins(blankets, blanket.fakes));
  const double dummy_mean = MeanOf(dummies);
  const double mean = 1 + static_cast<double>(blanket.fakes) + blankets.mean() + dummy_mean;
  const double deviation = std::sqrt(blankets.variance() + VarianceOf(dummies, dummy_mean));
  // The first of `others` is all that lies below its window, next to nothing: bins between it and
  // the second would be wasted.
  const int64_t least = others[std::min<size_t>(1, others.size() - 1)].messages + dummies.low;
  std::vector<MessageBin> bins = {{others.front().messages + dummies.low, 0}};
  const int64_t most = others.back().messages + dummies.high();
  for (const int64_t edge : BinEdges(PlanFineBins(least, most + 1, mean, deviation))) {
    bins.push_back({edge, 0});
  }
  const Cumulative cumulative(dummies);
  for (const MessageBin& other : others) {
    for (size_t i = 0; i < bins.size(); ++i) {
      const int64_t end =
          i + 1 < bins.size() ? bins[i + 1].messages : other.messages + dummies.high() + 1;
      const double mass = cumulative.Mass(bins[i].messages - other.messages, end - other.messages);
      bins[i].mass += other.mass * mass;
    }
  }
  return bins;
}

absl::StatusOr<double> DeltaOver(const Blanket& blanket, const std::vector<MessageBin>& bins,
                                 double missing, double epsilon) {
  TOMBOLA_ASSIGN_OR_RETURN(const double alone, Delta({.honest = 1,
                                                      .range = blanket.range,
                                                      .gamma = blanket.gamma,
                                                      .collision = blanket.collision},
                                                     epsilon));
  if (alone == 0) return 0;
  double sum = missing;
  for (const MessageBin& bin : bins) {
    if (bin.mass <= 0) continue;
    sum += bin.mass * BlanketGivenMessages(bin.messages, blanket, epsilon);
  }
  return std::min(alone, sum * (1 + kRoundingMargin));
}

}  // namespace

absl::StatusOr<double> DummiesDelta(const Blanket& blanket, const NoiseLaw& dummies,
                                    double epsilon) {
  TOMBOLA_RETURN_IF_ERROR(Validate(blanket));
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  return DeltaOver(blanket, BinAll(blanket, dummies), dummies.missing(), epsilon);
}

absl::StatusOr<double> DummiesEpsilon(const Blanket& blanket, const NoiseLaw& dummies,
                                      double delta) {
  TOMBOLA_RETURN_IF_ERROR(Validate(blanket));
  const std::vector<MessageBin> bins = BinAll(blanket, dummies);
  TOMBOLA_ASSIGN_OR_RETURN(
      const double epsilon,
      SmallestEpsilon([&](double at) { return DeltaOver(blanket, bins, dummies.missing(), at); },
                      delta));
  const double local = LocalEpsilon(blanket.range, blanket.gamma);
  return local <= kLargestEpsilon ? std::min(epsilon, local) : epsilon;
}

}  // namespace tombola::accounting
