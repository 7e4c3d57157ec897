#include "collector/quality/message_law.h"

#include <cmath>

#include "collector/quality/chernoff.h"
#include "common/mechanism/aue.h"
#include "common/mechanism/cluster_tail.h"
#include "common/mechanism/correlated.h"
#include "common/mechanism/count_table.h"
#include "common/mechanism/dummies.h"
#include "common/mechanism/mix_dump.h"
#include "common/mechanism/pure_dump.h"

namespace tombola::collector {
namespace {

// Beyond, a moment generating function says nothing that it did not say before.
constexpr double kLargestT = 40;

class PoissonMessages final : public MessageLaw {
 public:
  explicit PoissonMessages(const mechanism::Dummies& dummies)
      : rate_(std::ldexp(static_cast<double>(dummies.options().rate), -mechanism::kRateBits)),
        capped_(dummies.Charge(1)) {}

  double LogMgf(double t) const override { return rate_ * std::expm1(t); }
  double Largest() const override { return kLargestT; }
  double Capped() const override { return capped_; }

 private:
  double rate_;
  double capped_;
};

// A coin for each value of the domain.
class CoinMessages final : public MessageLaw {
 public:
  explicit CoinMessages(const mechanism::Aue& aue)
      : coins_(static_cast<double>(aue.domain_size())),
        probability_(std::ldexp(static_cast<double>(aue.options().coin_threshold), -64)),
        capped_(mechanism::AboveCap(aue.domain_size(), aue.options().coin_threshold,
                                    aue.options().max_dummies)) {}

  double LogMgf(double t) const override {
    return coins_ * std::log1p(probability_ * std::expm1(t));
  }
  double Largest() const override { return kLargestT; }
  double Capped() const override { return capped_; }

 private:
  double coins_;
  double probability_;
  double capped_;
};

// Clusters of +1, of -1 and of pairs: compound Poisson (common/mechanism/cluster_tail.h).
class ClusterMessages final : public MessageLaw {
 public:
  explicit ClusterMessages(const mechanism::CorrelatedOptions& options)
      : noise_rate_(2 * std::ldexp(static_cast<double>(options.noise_rate), -mechanism::kRateBits)),
        flood_rate_(std::ldexp(static_cast<double>(options.flood_rate), -mechanism::kRateBits)),
        noise_(mechanism::LogarithmicSuccess::Of(options.noise_success)),
        flood_(mechanism::LogarithmicSuccess::Of(options.flood_success)),
        capped_(mechanism::AboveCap(options)) {}

  double LogMgf(double t) const override {
    return Part(noise_rate_, noise_, t) + Part(flood_rate_, flood_, 2 * t);
  }
  double Largest() const override { return std::fmin(-noise_.log_p, -flood_.log_p / 2); }
  double Capped() const override { return capped_; }

 private:
  static double Part(double rate, const mechanism::LogarithmicSuccess& sizes, double t) {
    return rate * (std::log1p(-sizes.p * std::exp(t)) / sizes.log_rest - 1);
  }

  double noise_rate_, flood_rate_;
  mechanism::LogarithmicSuccess noise_, flood_;
  double capped_;
};

double Surprise(const MessageLaw& law, int64_t submissions, int64_t messages, double largest) {
  const double n = static_cast<double>(submissions);
  return Chernoff([&](double t) { return n * law.LogMgf(t); }, static_cast<double>(messages) - n,
                  largest);
}

}  // namespace

std::unique_ptr<MessageLaw> MessageLawOf(const mechanism::Mechanism& mechanism) {
  if (const auto* pure = dynamic_cast<const mechanism::PureDump*>(&mechanism)) {
    return std::make_unique<PoissonMessages>(pure->dummies());
  }
  if (const auto* mix = dynamic_cast<const mechanism::MixDump*>(&mechanism)) {
    return std::make_unique<PoissonMessages>(mix->dummies());
  }
  if (const auto* aue = dynamic_cast<const mechanism::Aue*>(&mechanism)) {
    return std::make_unique<CoinMessages>(*aue);
  }
  if (const auto* correlated = dynamic_cast<const mechanism::Correlated*>(&mechanism)) {
    return std::make_unique<ClusterMessages>(correlated->options());
  }
  return nullptr;
}

double MessagesAbove(const MessageLaw& law, int64_t submissions, int64_t messages) {
  return Surprise(law, submissions, messages, law.Largest());
}

// Fewer than the uncapped law gives come also about by a cap.
double MessagesBelow(const MessageLaw& law, int64_t submissions, int64_t messages) {
  const double uncapped = std::exp(-Surprise(law, submissions, messages, -kLargestT));
  const double capped = static_cast<double>(submissions) * law.Capped();
  return std::fmax(0, -std::log(uncapped + capped));
}

}  // namespace tombola::collector
