#include "common/mechanism/correlated.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/items.h"
#include "common/base/status_macros.h"
#include "common/mechanism/cluster_tail.h"
#include "common/mechanism/spread_noise.h"
#include "common/table/domain_size.h"

namespace tombola::mechanism {
namespace {

constexpr uint64_t kLeastSuccess = uint64_t{1} << 44;
// A table for more would take tens of megabytes; no plan comes near.
constexpr uint64_t kMostSuccess = -(uint64_t{1} << 52);
constexpr uint64_t kMaxRate = uint64_t{1} << (14 + kRateBits);
constexpr int64_t kMaxHonest = int64_t{1} << 40;
constexpr int64_t kMaxNoise = 65534;
constexpr double kRoundUp = 1 + 16 * std::numeric_limits<double>::epsilon();
constexpr double kRoundDown = 1 - 16 * std::numeric_limits<double>::epsilon();

double RateOf(uint64_t rate) { return std::ldexp(static_cast<double>(rate), -kRateBits); }

// A Poisson number of clusters of logarithmic size, of mean `rate` over the whole domain, is
// negative binomial on each value, of this shape.
double ShapeAtOneValue(uint64_t rate, uint64_t success, int64_t domain_size) {
  const double log_rest = LogarithmicSuccess::Of(success).log_rest;
  return RateOf(rate) / (static_cast<double>(domain_size) * -log_rest);
}

absl::Status ValidateSuccess(absl::string_view field, uint64_t success) {
  if (success >= kLeastSuccess && success <= kMostSuccess) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("correlated.", field, " is ", success, "; it must be in [2^44, 2^64 - 2^52]"));
}

absl::Status ValidateRate(absl::string_view field, uint64_t rate) {
  if (rate >= 1 && rate <= kMaxRate) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("correlated.", field, " is ", rate, "; it must be in [1, 2^54]"));
}

// Below 1 the difference of the noise is not discrete Laplace, and the flood not log-concave.
absl::Status ValidateShape(absl::string_view field, uint64_t rate, uint64_t success,
                           const CorrelatedOptions& options) {
  const double shape = ShapeAtOneValue(rate, success, options.domain_size) *
                       static_cast<double>(options.honest) * kRoundDown;
  if (shape >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "correlated.", field, " is ", rate, "; ", options.honest,
      " honest submissions must make a shape of at least 1 on each value, and make ", shape));
}

absl::Status Validate(const CorrelatedOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDomain(options.domain_size));
  TOMBOLA_RETURN_IF_ERROR(ValidateSuccess("noise_success", options.noise_success));
  TOMBOLA_RETURN_IF_ERROR(ValidateSuccess("flood_success", options.flood_success));
  TOMBOLA_RETURN_IF_ERROR(ValidateRate("noise_rate", options.noise_rate));
  TOMBOLA_RETURN_IF_ERROR(ValidateRate("flood_rate", options.flood_rate));
  if (options.honest < 1 || options.honest > kMaxHonest) {
    return absl::InvalidArgumentError(
        absl::StrCat("correlated.honest is ", options.honest, "; it must be in [1, 2^40]"));
  }
  if (options.max_noise < 1 || options.max_noise > kMaxNoise) {
    return absl::InvalidArgumentError(
        absl::StrCat("correlated.max_noise is ", options.max_noise, "; it must be in [1, 65534]"));
  }
  TOMBOLA_RETURN_IF_ERROR(ValidateFilling(options.filling, options.domain_size));
  TOMBOLA_RETURN_IF_ERROR(ValidateDistinct(options.filling, Correlated::kName));
  TOMBOLA_RETURN_IF_ERROR(ValidateAllSent(options.filling, Correlated::kName));
  TOMBOLA_RETURN_IF_ERROR(
      ValidateMostReports(options.filling, "correlated.max_noise", options.max_noise));
  TOMBOLA_RETURN_IF_ERROR(
      ValidateShape("noise_rate", options.noise_rate, options.noise_success, options));
  TOMBOLA_RETURN_IF_ERROR(
      ValidateShape("flood_rate", options.flood_rate, options.flood_success, options));
  // A device that draws again and again must come to an end.
  const double above = AboveCap(options);
  if (above <= 0.5) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("correlated.max_noise is ", options.max_noise,
                                                 "; it may be exceeded with probability ", above,
                                                 ", which must be at most 1/2"));
}

accounting::CorrelatedNoise NoiseOf(const CorrelatedOptions& options) {
  const LogarithmicSuccess noise = LogarithmicSuccess::Of(options.noise_success);
  const LogarithmicSuccess flood = LogarithmicSuccess::Of(options.flood_success);
  const double shape =
      ShapeAtOneValue(options.flood_rate, options.flood_success, options.domain_size) *
      static_cast<double>(options.honest) * kRoundDown;
  // A smaller shape hides less: of a flood too wide to be tabulated a part is accounted for.
  const double widest = accounting::kLargestDeviation * accounting::kLargestDeviation * (1 - 1e-9) *
                        flood.rest * flood.rest / flood.p;
  return {
      .noise_epsilon = -noise.log_p * kRoundUp, .shape = std::min(shape, widest), .flood = flood.p};
}

double MeanOf(double shape, uint64_t success) {
  const LogarithmicSuccess sizes = LogarithmicSuccess::Of(success);
  return shape * sizes.p / sizes.rest;
}

// Clusters of +1, of -1 and of pairs: compound Poisson (cluster_tail.h).
class ClusterMessages final : public MessageLaw {
 public:
  ClusterMessages(const CorrelatedOptions& options, double capped)
      : noise_rate_(2 * RateOf(options.noise_rate)),
        flood_rate_(RateOf(options.flood_rate)),
        noise_(LogarithmicSuccess::Of(options.noise_success)),
        flood_(LogarithmicSuccess::Of(options.flood_success)),
        capped_(capped) {}

  double LogMgf(double t) const override {
    return Part(noise_rate_, noise_, t) + Part(flood_rate_, flood_, 2 * t);
  }
  double Largest() const override { return std::fmin(-noise_.log_p, -flood_.log_p / 2); }
  double Capped() const override { return capped_; }

 private:
  static double Part(double rate, const LogarithmicSuccess& sizes, double t) {
    return rate * (std::log1p(-sizes.p * std::exp(t)) / sizes.log_rest - 1);
  }

  double noise_rate_, flood_rate_;
  LogarithmicSuccess noise_, flood_;
  double capped_;
};

}  // namespace

double AboveCap(const CorrelatedOptions& options) {
  const Clusters clusters[] = {// As many again of the other sign.
                               {.rate = 2 * RateOf(options.noise_rate),
                                .sizes = LogarithmicSuccess::Of(options.noise_success),
                                .weight = 1},
                               {.rate = RateOf(options.flood_rate),
                                .sizes = LogarithmicSuccess::Of(options.flood_success),
                                .weight = 2}};
  return ClusterTail(clusters, options.max_noise);
}

absl::StatusOr<Correlated> Correlated::Create(const CorrelatedOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(Validate(options));
  return Correlated(options);
}

Correlated::Correlated(const CorrelatedOptions& options)
    : options_(options),
      noise_clusters_(CountTable::Poisson(options.noise_rate)),
      flood_clusters_(CountTable::Poisson(options.flood_rate)),
      noise_sizes_(CountTable::Logarithmic(options.noise_success)),
      flood_sizes_(CountTable::Logarithmic(options.flood_success)),
      noise_(NoiseOf(options)),
      noise_shape_(ShapeAtOneValue(options.noise_rate, options.noise_success, options.domain_size)),
      above_cap_(AboveCap(options)) {}

double Correlated::expected_reports_per_submission() const {
  const double flood_shape =
      ShapeAtOneValue(options_.flood_rate, options_.flood_success, options_.domain_size);
  const double at_one_value =
      MeanOf(noise_shape_, options_.noise_success) + MeanOf(flood_shape, options_.flood_success);
  return static_cast<double>(options_.filling.sent) +
         2 * static_cast<double>(options_.domain_size) * at_one_value;
}

std::unique_ptr<MessageLaw> Correlated::message_law() const {
  return std::make_unique<ClusterMessages>(options_, above_cap_);
}

Parameters Correlated::parameters() const {
  Parameters parameters{.noise_epsilon = noise_.noise_epsilon,
                        .shape = noise_.shape,
                        .flood = noise_.flood,
                        .honest = options_.honest};
  SayFilling(options_.filling, &parameters);
  return parameters;
}

double Correlated::local_epsilon() const { return std::numeric_limits<double>::infinity(); }

// The draws of one submission are those of the laws but for kError each: three numbers of clusters,
// and the sizes of so many. Drawing again where the cap is exceeded, which the tables do with
// probability above_cap_ plus that, makes it twice that.
double Correlated::Difference() const {
  const double draws = 3 + 2 * RateOf(options_.noise_rate) + RateOf(options_.flood_rate);
  const double one = above_cap_ + 2 * CountTable::kError * draws;
  return std::min(1.0, static_cast<double>(options_.honest) * one * kRoundUp);
}

absl::StatusOr<double> Correlated::CellsDelta(const accounting::NoiseLaw& lesser,
                                              double epsilon) const {
  return accounting::CorrelatedCellsDelta(lesser, noise_.noise_epsilon, options_.filling.sent,
                                          epsilon);
}

absl::StatusOr<double> Correlated::Delta(int64_t honest, double epsilon) const {
  if (honest < options_.honest) {
    return absl::FailedPreconditionError(
        absl::StrCat("correlated noise is sized for ", options_.honest,
                     " honest submissions and nothing is proven for fewer: ", honest));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw lesser, accounting::LesserCount(noise_));
  return DeltaDespiteDifference([&](double at) { return CellsDelta(lesser, at); }, Difference(),
                                epsilon);
}

absl::StatusOr<double> Correlated::EpsilonAt(int64_t honest, double delta) const {
  if (honest < options_.honest) return Delta(honest, 1).status();
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw lesser, accounting::LesserCount(noise_));
  return EpsilonDespiteDifference([&](double at) { return CellsDelta(lesser, at); }, Difference(),
                                  delta);
}

absl::StatusOr<int64_t> Correlated::SmallestHonest(double epsilon, double delta) const {
  return SizedHonest(*this, options_.honest, epsilon, delta);
}

CountModel Correlated::count_model() const {
  const LogarithmicSuccess sizes = LogarithmicSuccess::Of(options_.noise_success);
  return {.support = {.holder = 1, .other = 0, .separation = 1},
          .noise = CountModel::Noise::kDifference,
          .noise_variance = 2 * noise_shape_ * sizes.p / (sizes.rest * sizes.rest),
          .difference_shape = noise_shape_,
          .difference_success = sizes.p};
}

void Correlated::DrawFake(RandomSource& random, absl::Span<uint8_t> report) const {
  const uint64_t drawn = UniformBelow(2 * static_cast<uint64_t>(options_.domain_size), random);
  const auto change = static_cast<int32_t>(drawn / 2) + 1;
  Write(SignedReport{drawn % 2 == 0 ? change : -change}, report);
}

void Correlated::DrawNoise(RandomSource& random, std::vector<SignedReport>* noise) const {
  while (!TryDrawNoise(random, noise)) {
  }
}

bool Correlated::TryDrawNoise(RandomSource& random, std::vector<SignedReport>* reports) const {
  const auto values = static_cast<uint64_t>(options_.domain_size);
  const auto most = static_cast<size_t>(options_.max_noise);
  reports->clear();
  const auto add = [&](const CountTable& clusters, const CountTable& sizes, bool more, bool less) {
    for (uint32_t left = clusters.Draw(random); left > 0; --left) {
      const auto change = static_cast<int32_t>(UniformBelow(values, random)) + 1;
      const size_t size = sizes.Draw(random);
      if (size * (more + less) > most - reports->size()) return false;
      if (more) reports->insert(reports->end(), size, SignedReport{change});
      if (less) reports->insert(reports->end(), size, SignedReport{-change});
    }
    return true;
  };
  return add(noise_clusters_, noise_sizes_, true, false) &&
         add(noise_clusters_, noise_sizes_, false, true) &&
         add(flood_clusters_, flood_sizes_, true, true);
}

absl::StatusOr<accounting::SubmissionLoss> Correlated::Loss(int64_t honest, double) const {
  if (honest < options_.honest) return Delta(honest, 1).status();
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw lesser, accounting::LesserCount(noise_));
  return accounting::SubmissionLoss{.parts = accounting::SeveralCorrelatedCells(
                                        lesser, noise_.noise_epsilon, options_.filling.sent),
                                    .difference = Difference()};
}

}  // namespace tombola::mechanism
