#include "common/mechanism/aue.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/binomial.h"
#include "common/accounting/items.h"
#include "common/accounting/noise_law.h"
#include "common/base/status_macros.h"
#include "common/mechanism/spread_noise.h"
#include "common/table/domain_size.h"
#include "common/table/threshold.h"

namespace tombola::mechanism {
namespace {

constexpr int64_t kMaxHonest = int64_t{1} << 40;
constexpr int64_t kMaxDummies = 65534;

absl::Status Validate(const AueOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDomain(options.domain_size));
  if (options.coin_threshold < 1 || options.coin_threshold > uint64_t{1} << 63) {
    return absl::InvalidArgumentError(absl::StrCat("aue.coin_threshold is ", options.coin_threshold,
                                                   "; it must be in [1, 2^63]"));
  }
  if (options.honest < 1 || options.honest > kMaxHonest) {
    return absl::InvalidArgumentError(
        absl::StrCat("aue.honest is ", options.honest, "; it must be in [1, 2^40]"));
  }
  if (options.max_dummies < 1 || options.max_dummies > kMaxDummies) {
    return absl::InvalidArgumentError(
        absl::StrCat("aue.max_dummies is ", options.max_dummies, "; it must be in [1, 65534]"));
  }
  TOMBOLA_RETURN_IF_ERROR(ValidateFilling(options.filling, options.domain_size));
  TOMBOLA_RETURN_IF_ERROR(ValidateAllSent(options.filling, Aue::kName));
  return ValidateMostReports(options.filling, "aue.max_dummies", options.max_dummies);
}

// The noise on one value. More coins only hide more, so that some of very many may be left out to
// keep the law within what is tabulated.
absl::StatusOr<accounting::NoiseLaw> NoiseOf(double gamma, int64_t honest) {
  if (honest < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("honest is ", honest, "; it must be at least 1"));
  }
  const double widest = accounting::kLargestDeviation * accounting::kLargestDeviation * (1 - 1e-9) /
                        (gamma * (1 - gamma));
  if (static_cast<double>(honest) > widest) honest = static_cast<int64_t>(widest);
  return accounting::BinomialNoise(honest, gamma);
}

// Coins of probability threshold / 2^64, 64 at a time: 64 candidates of probability 2^-halvings,
// each of which is then kept with probability (last + 1) / 2^64.
struct Coins {
  int halvings;
  uint64_t last;

  explicit Coins(uint64_t threshold)
      : halvings(std::countl_zero(threshold - 1)),
        last(halvings == 64 ? ~uint64_t{0} : (threshold << halvings) - 1) {}

  uint64_t Draw(RandomSource& random) const {
    uint64_t candidates = ~uint64_t{0};
    for (int i = 0; i < halvings && candidates != 0; ++i) candidates &= random.Next64();
    return candidates;
  }
  bool Keep(RandomSource& random) const { return random.Next64() <= last; }
};

// A coin for each value of the domain.
class CoinMessages final : public MessageLaw {
 public:
  CoinMessages(const AueOptions& options, double capped)
      : coins_(static_cast<double>(options.domain_size)),
        probability_(std::ldexp(static_cast<double>(options.coin_threshold), -64)),
        capped_(capped) {}

  double LogMgf(double t) const override {
    return coins_ * std::log1p(probability_ * std::expm1(t));
  }
  double Capped() const override { return capped_; }

 private:
  double coins_;
  double probability_;
  double capped_;
};

}  // namespace

double AboveCap(int64_t domain_size, uint64_t coin_threshold, int64_t max_dummies) {
  if (max_dummies >= domain_size) return 0;
  // What a double cannot hold, and the relative error of a tail.
  constexpr double kUnderflow = 1e-300;
  constexpr double kRoundUp = 1 + 1e-9;
  const double gamma = std::nextafter(FractionRoundedDown(coin_threshold), 1.0);
  const double tail =
      accounting::BinomialUpperTail({domain_size, gamma, 1 - gamma}, max_dummies + 1);
  return std::min(1.0, (tail + kUnderflow) * kRoundUp);
}

absl::StatusOr<Aue> Aue::Create(const AueOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(Validate(options));
  Aue aue(options);
  // A device that draws again and again must come to an end.
  if (aue.above_cap_ > 0.5) {
    return absl::InvalidArgumentError(
        absl::StrCat("aue.max_dummies is ", options.max_dummies, "; with ",
                     static_cast<double>(options.domain_size) * aue.gamma_,
                     " dummies expected it is exceeded with probability ", aue.above_cap_,
                     ", which must be at most 1/2"));
  }
  return aue;
}

Aue::Aue(const AueOptions& options)
    : options_(options),
      gamma_(FractionRoundedDown(options.coin_threshold)),
      above_cap_(AboveCap(options.domain_size, options.coin_threshold, options.max_dummies)) {}

double Aue::expected_reports_per_submission() const {
  return static_cast<double>(options_.filling.sent) +
         static_cast<double>(options_.domain_size) * gamma_;
}

std::unique_ptr<MessageLaw> Aue::message_law() const {
  return std::make_unique<CoinMessages>(options_, above_cap_);
}

Parameters Aue::parameters() const {
  Parameters parameters{.dummies = static_cast<double>(options_.honest) * gamma_,
                        .honest = options_.honest};
  SayFilling(options_.filling, &parameters);
  return parameters;
}

double Aue::local_epsilon() const { return std::numeric_limits<double>::infinity(); }

double Aue::Difference(int64_t honest) const { return static_cast<double>(honest) * above_cap_; }

absl::StatusOr<double> Aue::CellsDelta(const accounting::NoiseLaw& law, double epsilon) const {
  return accounting::CellsDelta(law, options_.filling.cells(), epsilon, options_.filling.units);
}

absl::StatusOr<double> Aue::Delta(int64_t honest, double epsilon) const {
  const int64_t counted = std::min(honest, options_.honest);
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, NoiseOf(gamma_, counted));
  return DeltaDespiteDifference([&](double at) { return CellsDelta(law, at); }, Difference(counted),
                                epsilon);
}

absl::StatusOr<double> Aue::EpsilonAt(int64_t honest, double delta) const {
  const int64_t counted = std::min(honest, options_.honest);
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, NoiseOf(gamma_, counted));
  return EpsilonDespiteDifference([&](double at) { return CellsDelta(law, at); },
                                  Difference(counted), delta);
}

absl::StatusOr<int64_t> Aue::SmallestHonest(double epsilon, double delta) const {
  return SizedHonest(*this, options_.honest, epsilon, delta);
}

CountModel Aue::count_model() const {
  const double variance = gamma_ * (1 - gamma_);
  return {.support = {.holder = 1, .other = 0, .separation = 1},
          .noise = CountModel::Noise::kCoins,
          .noise_mean = gamma_,
          .noise_variance = variance,
          .noise_third = variance * (1 - 2 * gamma_)};
}

void Aue::DrawFake(RandomSource& random, absl::Span<uint8_t> report) const {
  const uint64_t value = UniformBelow(static_cast<uint64_t>(options_.domain_size), random);
  Write(ValueReport{static_cast<uint32_t>(value)}, report);
}

void Aue::DrawNoise(RandomSource& random, std::vector<SignedReport>* noise) const {
  const Coins coins(options_.coin_threshold);
  const auto values = static_cast<uint64_t>(options_.domain_size);
  const auto most = static_cast<size_t>(options_.max_dummies);
  do {
    noise->clear();
    for (uint64_t first = 0; first < values && noise->size() <= most; first += 64) {
      uint64_t candidates = coins.Draw(random);
      if (values - first < 64) candidates &= (uint64_t{1} << (values - first)) - 1;
      for (; candidates != 0; candidates &= candidates - 1) {
        if (!coins.Keep(random)) continue;
        noise->push_back({static_cast<int32_t>(first) + std::countr_zero(candidates) + 1});
      }
    }
  } while (noise->size() > most);
}

absl::StatusOr<accounting::SubmissionLoss> Aue::Loss(int64_t honest, double) const {
  const int64_t counted = std::min(honest, options_.honest);
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, NoiseOf(gamma_, counted));
  return accounting::SubmissionLoss{
      .parts = accounting::SeveralCells(law, options_.filling.cells(), options_.filling.units),
      .difference = Difference(counted)};
}

}  // namespace tombola::mechanism
