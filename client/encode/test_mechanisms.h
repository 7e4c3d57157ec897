// One small mechanism of every kind, for tests.
#ifndef TOMBOLA_CLIENT_ENCODE_TEST_MECHANISMS_H_
#define TOMBOLA_CLIENT_ENCODE_TEST_MECHANISMS_H_

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/mechanism/aue.h"
#include "common/mechanism/correlated.h"
#include "common/mechanism/count_table.h"
#include "common/mechanism/grr.h"
#include "common/mechanism/local_hash.h"
#include "common/mechanism/mechanism.h"
#include "common/mechanism/mix_dump.h"
#include "common/mechanism/murs.h"
#include "common/mechanism/pure_dump.h"

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

// Each with noise enough to be seen; domain_size at most 289, and honest not much below it.
inline std::vector<std::shared_ptr<const mechanism::Mechanism>> EveryMechanism(int64_t domain_size,
                                                                               int64_t honest) {
  const auto share = [](auto made) -> std::shared_ptr<const mechanism::Mechanism> {
    return std::make_shared<const typename decltype(made)::value_type>(std::move(made).value());
  };
  const mechanism::GrrOptions response = {.blanket_threshold = TestThreshold(0.3),
                                          .domain_size = domain_size};
  const mechanism::DummyOptions dummies = {.rate = TestRate(1.25), .honest = honest, .max = 64};
  return {share(mechanism::LocalHash::Create({.family = mechanism::HashFamily::kPlane,
                                              .range = 17,
                                              .blanket_threshold = TestThreshold(0.36),
                                              .lane_bits = 0,
                                              .domain_size = domain_size})),
          share(mechanism::Grr::Create(response)),
          share(mechanism::Aue::Create({.coin_threshold = TestThreshold(0.05),
                                        .honest = honest,
                                        .max_dummies = domain_size,
                                        .domain_size = domain_size})),
          share(mechanism::PureDump::Create(dummies, domain_size)),
          share(mechanism::MixDump::Create(response, dummies)),
          share(mechanism::Murs::Create({.family = mechanism::HashFamily::kAffine,
                                         .range = 16,
                                         .blanket_threshold = TestThreshold(0.4),
                                         .lane_bits = 32,
                                         .domain_size = domain_size},
                                        /*fakes=*/honest / 4)),
          share(mechanism::Correlated::Create(TestCorrelated(domain_size, honest)))};
}

// For ::testing::ValuesIn and its names.
template <typename Info>
std::string MechanismName(const Info& info) {
  return std::string(info.param->name());
}

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_TEST_MECHANISMS_H_
