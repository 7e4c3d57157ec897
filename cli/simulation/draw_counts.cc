#include "cli/simulation/draw_counts.h"

#include <cmath>
#include <numeric>

#include "cli/simulation/distributions.h"
#include "common/base/check.h"
#include "common/mechanism/aue.h"
#include "common/mechanism/correlated.h"
#include "common/mechanism/dummies.h"
#include "common/mechanism/grr.h"
#include "common/mechanism/local_hash.h"
#include "common/mechanism/mix_dump.h"
#include "common/mechanism/murs.h"
#include "common/mechanism/pure_dump.h"

namespace tombola::simulation {
namespace {

using mechanism::CountModel;
using Counts = std::vector<int64_t>;
using Truth = absl::Span<const int64_t>;

int64_t Users(Truth truth) { return std::accumulate(truth.begin(), truth.end(), int64_t{0}); }

// Who names its own value and who a uniform one.
Counts DrawResponse(const mechanism::Grr& grr, Truth truth, Generator& random) {
  const double gamma = std::ldexp(static_cast<double>(grr.options().blanket_threshold), -64);
  Counts counts(truth.size());
  int64_t kept = 0;
  for (size_t v = 0; v < truth.size(); ++v) {
    counts[v] = truth[v] - Binomial(truth[v], gamma, random);
    kept += counts[v];
  }
  const std::vector<double> alike(truth.size(), 1);
  const Counts blanket = Multinomial(Users(truth) - kept, alike, random);
  for (size_t v = 0; v < truth.size(); ++v) counts[v] += blanket[v];
  return counts;
}

// A Poisson number of uniform dummies is an independent Poisson number for each value.
void AddDummies(const mechanism::Dummies& dummies, int64_t users, Generator& random,
                Counts& counts) {
  const double mean =
      static_cast<double>(users) * dummies.mean() / static_cast<double>(counts.size());
  for (int64_t& count : counts) count += Poisson(mean, random);
}

Counts DrawAue(const mechanism::Aue& aue, Truth truth, Generator& random) {
  const double gamma = std::ldexp(static_cast<double>(aue.options().coin_threshold), -64);
  const int64_t users = Users(truth);
  Counts counts(truth.begin(), truth.end());
  for (int64_t& count : counts) count += Binomial(users, gamma, random);
  return counts;
}

// The flood cancels; what stays is negative binomial of the sum of the devices' shapes, twice.
Counts DrawCorrelated(const mechanism::Correlated& correlated, Truth truth, Generator& random) {
  const double success = std::ldexp(static_cast<double>(correlated.options().noise_success), -64);
  const double shape = static_cast<double>(Users(truth)) * correlated.noise_shape();
  Counts counts(truth.begin(), truth.end());
  for (int64_t& count : counts) {
    count += NegativeBinomial(shape, success, random);
    count -= NegativeBinomial(shape, success, random);
  }
  return counts;
}

Counts DrawSupport(const CountModel& model, int64_t fakes, Truth truth, Generator& random) {
  const int64_t users = Users(truth);
  Counts counts(truth.size());
  for (size_t v = 0; v < truth.size(); ++v) {
    counts[v] = Binomial(truth[v], model.support.holder, random) +
                Binomial(users - truth[v], model.support.other, random) +
                Binomial(fakes, model.fake_support, random);
  }
  return counts;
}

}  // namespace

std::vector<int64_t> DrawCounts(const mechanism::Mechanism& mechanism, Truth truth,
                                Generator& random) {
  TOMBOLA_CHECK(static_cast<int64_t>(truth.size()) == mechanism.domain_size());
  if (const auto* grr = dynamic_cast<const mechanism::Grr*>(&mechanism)) {
    return DrawResponse(*grr, truth, random);
  }
  if (const auto* aue = dynamic_cast<const mechanism::Aue*>(&mechanism)) {
    return DrawAue(*aue, truth, random);
  }
  if (const auto* pure = dynamic_cast<const mechanism::PureDump*>(&mechanism)) {
    Counts counts(truth.begin(), truth.end());
    AddDummies(pure->dummies(), Users(truth), random, counts);
    return counts;
  }
  if (const auto* mix = dynamic_cast<const mechanism::MixDump*>(&mechanism)) {
    Counts counts = DrawResponse(mix->response(), truth, random);
    AddDummies(mix->dummies(), Users(truth), random, counts);
    return counts;
  }
  if (const auto* correlated = dynamic_cast<const mechanism::Correlated*>(&mechanism)) {
    return DrawCorrelated(*correlated, truth, random);
  }
  const bool hashed = dynamic_cast<const mechanism::LocalHash*>(&mechanism) != nullptr ||
                      dynamic_cast<const mechanism::Murs*>(&mechanism) != nullptr;
  TOMBOLA_CHECK(hashed);
  return DrawSupport(mechanism.count_model(), mechanism.fakes(), truth, random);
}

std::vector<double> DrawLaplaceEstimates(Truth truth, double epsilon, Generator& random) {
  const double users = static_cast<double>(Users(truth));
  std::vector<double> estimates(truth.size());
  for (size_t v = 0; v < truth.size(); ++v) {
    estimates[v] = static_cast<double>(truth[v]) / users + Laplace(2 / (epsilon * users), random);
  }
  return estimates;
}

double LaplaceSquaredError(int64_t users, double epsilon) {
  const double scale = 2 / (epsilon * static_cast<double>(users));
  return 2 * scale * scale;
}

}  // namespace tombola::simulation
