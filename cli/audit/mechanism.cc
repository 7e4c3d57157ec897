#include "cli/audit/mechanism.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/base/status_macros.h"
#include "common/mechanism/count_table.h"
#include "common/mechanism/every.h"
#include "common/table/domain_size.h"
#include "common/table/hash_family.h"
#include "common/table/threshold.h"

namespace tombola::cli {
namespace {

using mechanism::DummyOptions;
using mechanism::GrrOptions;
using mechanism::LocalHashOptions;
using mechanism::Mechanism;
using Made = absl::StatusOr<std::shared_ptr<const Mechanism>>;

constexpr int64_t kMostNoise = 65534;

template <typename M>
Made Share(absl::StatusOr<M> made) {
  if (!made.ok()) return made.status();
  return std::make_shared<const M>(*std::move(made));
}

absl::Status Positive(double value, absl::string_view flag) {
  if (value > 0 && std::isfinite(value)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(flag, " must be finite and greater than 0, is ", value));
}

// A number in units of 2^-bits, rounded up, at most the largest that fits.
uint64_t Scaled(double value, int bits) {
  const double scaled = std::ceil(std::ldexp(value, bits));
  return scaled >= 0x1p64 ? ~uint64_t{0} : static_cast<uint64_t>(scaled);
}

double PerUser(const AuditParameters& flags, double per_value) {
  return per_value * static_cast<double>(flags.domain) / static_cast<double>(flags.users);
}

absl::StatusOr<uint64_t> Threshold(const AuditParameters& flags, double range) {
  TOMBOLA_RETURN_IF_ERROR(Positive(flags.local_epsilon, "--local-epsilon"));
  return mechanism::BlanketThreshold(range, std::expm1(flags.local_epsilon));
}

absl::StatusOr<LocalHashOptions> HashOf(const AuditParameters& flags) {
  LocalHashOptions options{.range = flags.range, .domain_size = flags.domain};
  TOMBOLA_ASSIGN_OR_RETURN(options.blanket_threshold,
                           Threshold(flags, static_cast<double>(flags.range)));
  const auto domain = static_cast<uint64_t>(flags.domain);
  if (mechanism::IsPrime(flags.range) && flags.range >= mechanism::CeilSqrt(domain)) {
    return options;
  }
  options.family = mechanism::HashFamily::kAffine;
  const int needed = std::bit_width(domain - 1) + std::countr_zero(flags.range);
  options.lane_bits = needed <= 32 ? 32 : 64;
  return options;
}

// The mechanism of these flags.
template <typename M>
Made Make(const AuditParameters& flags);

template <>
Made Make<mechanism::LocalHash>(const AuditParameters& flags) {
  TOMBOLA_ASSIGN_OR_RETURN(const LocalHashOptions options, HashOf(flags));
  return Share(mechanism::LocalHash::Create(options));
}

template <>
Made Make<mechanism::Murs>(const AuditParameters& flags) {
  TOMBOLA_ASSIGN_OR_RETURN(const LocalHashOptions options, HashOf(flags));
  return Share(mechanism::Murs::Create(options, flags.fakes));
}

absl::StatusOr<GrrOptions> ResponseOf(const AuditParameters& flags) {
  TOMBOLA_ASSIGN_OR_RETURN(const uint64_t threshold,
                           Threshold(flags, static_cast<double>(flags.domain)));
  return GrrOptions{.blanket_threshold = threshold, .domain_size = flags.domain};
}

template <>
Made Make<mechanism::Grr>(const AuditParameters& flags) {
  TOMBOLA_ASSIGN_OR_RETURN(const GrrOptions options, ResponseOf(flags));
  return Share(mechanism::Grr::Create(options));
}

template <>
Made Make<mechanism::Aue>(const AuditParameters& flags) {
  TOMBOLA_RETURN_IF_ERROR(Positive(flags.dummies, "--dummies"));
  if (flags.dummies > static_cast<double>(flags.users) / 2) {
    return absl::InvalidArgumentError("--dummies must be at most half of --users for aue");
  }
  return Share(mechanism::Aue::Create(
      {.coin_threshold = Scaled(flags.dummies / static_cast<double>(flags.users), 64),
       .honest = flags.users,
       .max_dummies = std::min(flags.domain, kMostNoise),
       .domain_size = flags.domain}));
}

// The cap is so far above the mean that what it costs in delta is beyond notice.
absl::StatusOr<DummyOptions> DummiesOf(const AuditParameters& flags) {
  TOMBOLA_RETURN_IF_ERROR(Positive(flags.dummies, "--dummies"));
  const double mean = PerUser(flags, flags.dummies);
  if (mean > 16384) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--dummies times --domain must be at most 16384 for each of --users, is ", mean));
  }
  const double cap = std::min(std::ceil(mean + 12 * std::sqrt(mean)) + 40, double{kMostNoise});
  return DummyOptions{.rate = Scaled(mean, mechanism::kRateBits),
                      .honest = flags.users,
                      .max = static_cast<int64_t>(cap)};
}

template <>
Made Make<mechanism::PureDump>(const AuditParameters& flags) {
  TOMBOLA_ASSIGN_OR_RETURN(const DummyOptions options, DummiesOf(flags));
  return Share(mechanism::PureDump::Create(options, flags.domain));
}

template <>
Made Make<mechanism::MixDump>(const AuditParameters& flags) {
  TOMBOLA_ASSIGN_OR_RETURN(const GrrOptions response, ResponseOf(flags));
  TOMBOLA_ASSIGN_OR_RETURN(const DummyOptions dummies, DummiesOf(flags));
  return Share(mechanism::MixDump::Create(response, dummies));
}

// Clusters of one submission that make this shape at every value over all users: rounded up by far
// more than the mechanism rounds down, so that a shape of 1 stays one.
uint64_t ClusterRate(const AuditParameters& flags, double shape, double success) {
  return Scaled(PerUser(flags, -shape * std::log1p(-success)) * (1 + 1e-9), mechanism::kRateBits);
}

template <>
Made Make<mechanism::Correlated>(const AuditParameters& flags) {
  TOMBOLA_RETURN_IF_ERROR(Positive(flags.noise_epsilon, "--noise-epsilon"));
  TOMBOLA_RETURN_IF_ERROR(Positive(flags.shape, "--shape"));
  if (!(flags.flood > 0 && flags.flood < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("--flood must be in (0, 1), is ", flags.flood));
  }
  const double noise = std::exp(-flags.noise_epsilon);
  return Share(
      mechanism::Correlated::Create({.noise_success = Scaled(noise, 64),
                                     .flood_success = Scaled(flags.flood, 64),
                                     .noise_rate = ClusterRate(flags, 1, noise),
                                     .flood_rate = ClusterRate(flags, flags.shape, flags.flood),
                                     .honest = flags.users,
                                     .max_noise = kMostNoise,
                                     .domain_size = flags.domain}));
}

template <>
Made Make<mechanism::Rappor>(const AuditParameters& flags) {
  const accounting::Rappor responses = {.f = flags.prr,
                                        .p = flags.irr_p,
                                        .q = flags.irr_q,
                                        .hashes = flags.hashes,
                                        .bits = flags.bits};
  const absl::Status valid = accounting::Validate(responses);
  if (!valid.ok()) {
    return absl::InvalidArgumentError(
        absl::StrReplaceAll(valid.message(), {{"rappor.f ", "--prr "},
                                              {"rappor.p ", "--irr-p "},
                                              {"rappor.q ", "--irr-q "},
                                              {"rappor.", "--"}}));
  }
  mechanism::BloomOptions options{
      .bits = flags.bits, .hashes = flags.hashes, .domain_size = flags.domain};
  options = mechanism::WithResponses(options, responses);
  Made made = Share(mechanism::Rappor::Create(options));
  for (options.seed = 1; !made.ok() && options.seed < 64; ++options.seed) {
    made = Share(mechanism::Rappor::Create(options));
  }
  return made;
}

struct Known {
  absl::string_view name;
  Made (*make)(const AuditParameters&);
};

}  // namespace

Made MakeAudited(const AuditParameters& parameters) {
  TOMBOLA_RETURN_IF_ERROR(mechanism::ValidateDomain(parameters.domain));
  if (parameters.users < 1 || parameters.users > int64_t{1} << 40) {
    return absl::InvalidArgumentError(
        absl::StrCat("--users must be in [1, 2^40], is ", parameters.users));
  }
  const auto every = mechanism::ForEvery(
      []<typename M>(std::type_identity<M>) { return Known{.name = M::kName, .make = &Make<M>}; });
  std::string names;
  for (const Known& known : every) {
    if (parameters.mechanism == known.name) return known.make(parameters);
    absl::StrAppend(&names, names.empty() ? "" : ", ", known.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--mechanism must be one of ", names, "; is ", parameters.mechanism));
}

}  // namespace tombola::cli
