#include "cli/simulation/draw_counts.h"

#include <cmath>
#include <numeric>

#include "cli/simulation/distributions.h"
#include "common/base/check.h"

namespace tombola::simulation {
namespace {

using mechanism::CountModel;
using Counts = std::vector<int64_t>;
using Truth = absl::Span<const int64_t>;

// Reports are bits, each drawn by itself: the joint law.
Counts DrawBits(const mechanism::Bloom& bloom, const CountModel& model, int64_t users, Truth truth,
                Generator& random) {
  Counts set(static_cast<size_t>(bloom.options().bits), 0);
  for (size_t v = 0; v < truth.size(); ++v) {
    for (const uint8_t bit : bloom.BitsOf(v)) set[bit] += truth[v];
  }
  for (int64_t& ones : set) {
    ones = Binomial(ones, model.support.holder, random) +
           Binomial(users - ones, model.support.other, random);
  }
  Counts counts(truth.size(), 0);
  for (size_t v = 0; v < truth.size(); ++v) {
    for (const uint8_t bit : bloom.BitsOf(v)) counts[v] += set[bit];
  }
  return counts;
}

int64_t Sum(Truth truth) { return std::accumulate(truth.begin(), truth.end(), int64_t{0}); }

// A report names one value: who names its own and who a uniform one, the joint law.
Counts DrawResponse(const CountModel& model, Truth truth, Generator& random) {
  const double gamma = model.support.other * static_cast<double>(truth.size());
  Counts counts(truth.begin(), truth.end());
  if (gamma == 0) return counts;
  int64_t kept = 0;
  for (int64_t& count : counts) {
    count -= Binomial(count, gamma, random);
    kept += count;
  }
  const std::vector<double> alike(truth.size(), 1);
  const Counts blanket = Multinomial(Sum(truth) - kept, alike, random);
  for (size_t v = 0; v < truth.size(); ++v) counts[v] += blanket[v];
  return counts;
}

// A report supports several values, or a device says some of its cells: each count by itself.
Counts DrawSupport(const CountModel& model, int64_t users, int64_t fakes, Truth truth,
                   Generator& random) {
  Counts counts(truth.size());
  for (size_t v = 0; v < truth.size(); ++v) {
    counts[v] = Binomial(truth[v], model.support.holder, random) +
                Binomial(users - truth[v], model.support.other, random) +
                Binomial(fakes, model.fake_support, random);
  }
  return counts;
}

// One value's noise from all users.
int64_t DrawNoise(const CountModel& model, int64_t users, Generator& random) {
  const auto submissions = static_cast<double>(users);
  switch (model.noise) {
    case CountModel::Noise::kNone:
      return 0;
    case CountModel::Noise::kPoisson:
      return Poisson(submissions * model.noise_mean, random);
    case CountModel::Noise::kCoins:
      return Binomial(users * model.coins, model.noise_mean / static_cast<double>(model.coins),
                      random);
    case CountModel::Noise::kDifference: {
      const double shape = submissions * model.difference_shape;
      const int64_t more = NegativeBinomial(shape, model.difference_success, random);
      return more - NegativeBinomial(shape, model.difference_success, random);
    }
  }
  TOMBOLA_CHECK(false && "noise without a law");
  return 0;
}

}  // namespace

std::vector<int64_t> DrawCounts(const mechanism::Mechanism& mechanism, Truth truth,
                                Generator& random) {
  TOMBOLA_CHECK(static_cast<int64_t>(truth.size()) == mechanism.domain_size());
  const CountModel model = mechanism.count_model();
  const mechanism::Filling filling = mechanism.filling();
  const int64_t users = Sum(truth) / filling.held;
  if (const mechanism::Bloom* const bloom = mechanism.bloom()) {
    return DrawBits(*bloom, model, users, truth, random);
  }
  // Every message of a device answers for one of its cells, as if another device had sent it.
  const bool apart = mechanism.hashing() == nullptr && filling.sent == filling.held;
  Counts counts = apart ? DrawResponse(model, truth, random)
                        : DrawSupport(model, users, mechanism.fakes(), truth, random);
  // Coins beside a chance of naming any cell are those messages, drawn already.
  const bool drawn = apart && model.noise == CountModel::Noise::kCoins && model.support.other > 0;
  if (model.noise == CountModel::Noise::kNone || drawn) return counts;
  size_t value = 0;
  for (const mechanism::ModelledCells& run : mechanism.count_models()) {
    for (; value < static_cast<size_t>(run.end); ++value) {
      counts[value] += DrawNoise(run.model, users, random);
    }
  }
  return counts;
}

std::vector<double> DrawLaplaceEstimates(Truth truth, double epsilon, Generator& random) {
  const double users = static_cast<double>(Sum(truth));
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
