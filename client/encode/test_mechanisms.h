// One small mechanism of every name, for tests.
#ifndef TOMBOLA_CLIENT_ENCODE_TEST_MECHANISMS_H_
#define TOMBOLA_CLIENT_ENCODE_TEST_MECHANISMS_H_

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/mechanism/count_table.h"
#include "common/mechanism/every.h"
#include "common/mechanism/mechanism.h"

namespace tombola::client {

inline uint64_t TestThreshold(double probability) {
  return static_cast<uint64_t>(std::ldexp(probability, 64));
}

inline uint64_t TestRate(double mean) {
  return static_cast<uint64_t>(std::ldexp(mean, mechanism::kRateBits));
}

// Of `honest` submissions: noise of shape 1.05 and a flood of shape 3 on each value.
inline mechanism::CorrelatedOptions TestCorrelated(int64_t domain_size, int64_t honest) {
  constexpr double kNoise = 0.8;
  constexpr double kFlood = 0.9;
  const double share = static_cast<double>(domain_size) / static_cast<double>(honest);
  return {.noise_success = TestThreshold(kNoise),
          .flood_success = TestThreshold(kFlood),
          .noise_rate = TestRate(1.05 * share * -std::log(1 - kNoise)),
          .flood_rate = TestRate(3 * share * -std::log(1 - kFlood)),
          .honest = honest,
          .max_noise = 4000,
          .domain_size = domain_size};
}

// Whose reports are at most kappa + 1 times as likely for one value as for another.
inline std::shared_ptr<const mechanism::LocalHash> TestLocalHash(mechanism::HashFamily family,
                                                                 uint64_t range, double kappa,
                                                                 int64_t domain_size) {
  const double g = static_cast<double>(range);
  return std::make_shared<const mechanism::LocalHash>(
      mechanism::LocalHash::Create(
          {.family = family,
           .range = range,
           .blanket_threshold = static_cast<uint64_t>(std::ceil(std::ldexp(g / (kappa + g), 64))),
           .lane_bits = family == mechanism::HashFamily::kPlane ? 0u : 32u,
           .domain_size = domain_size})
          .value());
}

// One of each, with noise enough to be seen; domain_size at most 256, and honest not much below it.
template <typename M>
absl::StatusOr<M> Example(int64_t domain_size, int64_t honest);

inline mechanism::GrrOptions TestResponse(int64_t domain_size) {
  return {.blanket_threshold = TestThreshold(0.3), .domain_size = domain_size};
}

inline mechanism::DummyOptions TestDummies(int64_t honest) {
  return {.rate = TestRate(1.25), .honest = honest, .max = 64};
}

template <>
inline absl::StatusOr<mechanism::LocalHash> Example(int64_t domain_size, int64_t) {
  return mechanism::LocalHash::Create({.family = mechanism::HashFamily::kPlane,
                                       .range = 17,
                                       .blanket_threshold = TestThreshold(0.36),
                                       .lane_bits = 0,
                                       .domain_size = domain_size});
}

template <>
inline absl::StatusOr<mechanism::Grr> Example(int64_t domain_size, int64_t) {
  return mechanism::Grr::Create(TestResponse(domain_size));
}

template <>
inline absl::StatusOr<mechanism::Aue> Example(int64_t domain_size, int64_t honest) {
  return mechanism::Aue::Create({.coin_threshold = TestThreshold(0.05),
                                 .honest = honest,
                                 .max_dummies = domain_size,
                                 .domain_size = domain_size});
}

template <>
inline absl::StatusOr<mechanism::PureDump> Example(int64_t domain_size, int64_t honest) {
  return mechanism::PureDump::Create(TestDummies(honest), domain_size);
}

template <>
inline absl::StatusOr<mechanism::MixDump> Example(int64_t domain_size, int64_t honest) {
  return mechanism::MixDump::Create(TestResponse(domain_size), TestDummies(honest));
}

template <>
inline absl::StatusOr<mechanism::Murs> Example(int64_t domain_size, int64_t honest) {
  return mechanism::Murs::Create({.family = mechanism::HashFamily::kAffine,
                                  .range = 16,
                                  .blanket_threshold = TestThreshold(0.4),
                                  .lane_bits = 32,
                                  .domain_size = domain_size},
                                 /*fakes=*/honest / 4);
}

template <>
inline absl::StatusOr<mechanism::Correlated> Example(int64_t domain_size, int64_t honest) {
  return mechanism::Correlated::Create(TestCorrelated(domain_size, honest));
}

template <>
inline absl::StatusOr<mechanism::Rappor> Example(int64_t domain_size, int64_t) {
  return mechanism::Rappor::Create({.bits = (domain_size + 7) / 8 * 8,
                                    .hashes = 1,
                                    .prr_threshold = TestThreshold(0.3),
                                    .irr_p_threshold = TestThreshold(0.1),
                                    .irr_q_threshold = TestThreshold(0.9),
                                    .domain_size = domain_size});
}

inline std::vector<std::shared_ptr<const mechanism::Mechanism>> EveryMechanism(int64_t domain_size,
                                                                               int64_t honest) {
  const auto every = mechanism::ForEvery(
      [&]<typename M>(std::type_identity<M>) -> std::shared_ptr<const mechanism::Mechanism> {
        return std::make_shared<const M>(Example<M>(domain_size, honest).value());
      });
  return {every.begin(), every.end()};
}

// For ::testing::ValuesIn and its names.
template <typename Info>
std::string MechanismName(const Info& info) {
  return std::string(info.param->name());
}

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_TEST_MECHANISMS_H_
