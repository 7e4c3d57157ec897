#include "common/mechanism/pure_dump.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/accounting/epsilon_search.h"
#include "common/accounting/items.h"
#include "common/accounting/product.h"
#include "common/accounting/two_bucket.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/mechanism/spread_noise.h"
#include "common/table/domain_size.h"

namespace tombola::mechanism {
namespace {

constexpr double kRoundDown = 1 - 8 * std::numeric_limits<double>::epsilon();

absl::Status CheckHonest(int64_t honest) {
  if (honest >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("honest is ", honest, "; it must be at least 1"));
}

// Each of a batch's dummies of a level names one of its cells.
double ChanceOf(const DummyLevel& level, uint64_t rate) {
  return static_cast<double>(level.rate) / static_cast<double>(rate) /
         static_cast<double>(level.cells);
}

}  // namespace

absl::StatusOr<PureDump> PureDump::Create(const DummyOptions& options, int64_t domain_size,
                                          const Filling& filling) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDomain(domain_size));
  TOMBOLA_RETURN_IF_ERROR(ValidateFilling(filling, domain_size));
  TOMBOLA_ASSIGN_OR_RETURN(Dummies dummies, Dummies::Create(options, "pure_dump.dummies."));
  TOMBOLA_RETURN_IF_ERROR(ValidateMostReports(filling, "pure_dump.dummies.max", options.max));
  return PureDump(std::move(dummies), domain_size, filling);
}

// Where rates are within their bounds their sum does not overflow: kMostNoiseLevels times 2^54.
absl::StatusOr<PureDump> PureDump::Create(DummyOptions options, std::vector<DummyLevel> levels) {
  const auto count = static_cast<int64_t>(levels.size());
  if (count < 2 || count > accounting::kMostNoiseLevels) {
    return absl::InvalidArgumentError(absl::StrCat("pure_dump.level_rates has ", count,
                                                   " rates; there must be 2 to ",
                                                   accounting::kMostNoiseLevels, ", or none"));
  }
  if (options.rate != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("pure_dump.dummies.rate is ", options.rate,
                     "; it must be absent beside level_rates, which add up to it"));
  }
  int64_t cells = 0;
  std::vector<uint64_t> rates;
  for (const DummyLevel& level : levels) {
    if (level.rate < 1 || level.rate > Dummies::kLargestRate) {
      return absl::InvalidArgumentError(absl::StrCat("pure_dump.level_rates[", rates.size(),
                                                     "] is ", level.rate,
                                                     "; it must be in [1, 2^54]"));
    }
    TOMBOLA_CHECK(level.cells >= 1 && level.cells <= kLargestDomain);
    cells += level.cells;
    rates.push_back(options.rate += level.rate);
  }
  TOMBOLA_ASSIGN_OR_RETURN(PureDump made,
                           Create(options, cells, Filling{.held = count, .sent = count}));
  made.levels_ = std::move(levels);
  made.rates_ = std::move(rates);
  return made;
}

PureDump::PureDump(Dummies dummies, int64_t domain_size, const Filling& filling)
    : dummies_(std::move(dummies)), domain_size_(domain_size), filling_(filling) {}

Parameters PureDump::parameters() const {
  const int64_t honest = dummies_.options().honest;
  Parameters parameters{.dummies = dummies_.TotalMean(honest) / static_cast<double>(domain_size_),
                        .honest = honest};
  SayFilling(filling_, &parameters);
  parameters.level_dummies = LevelMeans(honest);
  return parameters;
}

// The number of a batch's dummies for one value: independent Poisson numbers for the values, since
// the total is Poisson and each dummy uniform.
absl::StatusOr<accounting::NoiseLaw> PureDump::NoiseOf(int64_t honest) const {
  TOMBOLA_RETURN_IF_ERROR(CheckHonest(honest));
  const double mean = dummies_.TotalMean(honest) / static_cast<double>(domain_size_);
  return accounting::SampledPoisson(mean, filling_.held, filling_.sent);
}

// Of a Poisson number each dummy is of a level, and of a cell there, by itself: so the numbers of
// all cells are independent and Poisson.
std::vector<double> PureDump::LevelMeans(int64_t honest) const {
  std::vector<double> means;
  for (const DummyLevel& level : levels_) {
    means.push_back(std::ldexp(static_cast<double>(level.rate), -kRateBits) *
                    static_cast<double>(honest) / static_cast<double>(level.cells) * kRoundDown);
  }
  return means;
}

absl::StatusOr<std::vector<accounting::LossPart>> PureDump::Parts(int64_t honest) const {
  TOMBOLA_RETURN_IF_ERROR(CheckHonest(honest));
  if (!levels_.empty()) return accounting::CellOnEachLevel(LevelMeans(honest));
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, NoiseOf(honest));
  return accounting::SeveralCells(law, filling_.cells(), filling_.units);
}

double PureDump::local_epsilon() const { return std::numeric_limits<double>::infinity(); }

absl::StatusOr<double> PureDump::Delta(int64_t honest, double epsilon) const {
  const int64_t counted = std::min(honest, dummies_.options().honest);
  double delta = 1;
  if (levels_.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, NoiseOf(counted));
    TOMBOLA_ASSIGN_OR_RETURN(
        delta, accounting::CellsDelta(law, filling_.cells(), epsilon, filling_.units));
  } else {
    TOMBOLA_RETURN_IF_ERROR(accounting::ValidateEpsilon(epsilon));
    TOMBOLA_ASSIGN_OR_RETURN(const auto parts, Parts(counted));
    TOMBOLA_ASSIGN_OR_RETURN(delta, accounting::ProductDelta(parts, epsilon));
  }
  return std::min(1.0, delta + dummies_.Charge(counted));
}

absl::StatusOr<double> PureDump::EpsilonAt(int64_t honest, double delta) const {
  const int64_t counted = std::min(honest, dummies_.options().honest);
  TOMBOLA_RETURN_IF_ERROR(CheckHonest(counted));
  const double charge = dummies_.Charge(counted);
  if (filling_.sent > 1) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto parts, Parts(counted));
    return accounting::ProductEpsilon(parts, delta, [&](double) { return charge; });
  }
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, NoiseOf(counted));
  return accounting::SmallestEpsilon(
      [&](double epsilon) -> absl::StatusOr<double> {
        TOMBOLA_ASSIGN_OR_RETURN(const double value, accounting::TwoBucketDelta(law, epsilon));
        return value + charge;
      },
      delta);
}

absl::StatusOr<int64_t> PureDump::SmallestHonest(double epsilon, double delta) const {
  return SizedHonest(*this, dummies_.options().honest, epsilon, delta);
}

CountModel PureDump::ModelOf(double chance) const {
  const double said = static_cast<double>(filling_.sent) / static_cast<double>(filling_.held);
  CountModel model{.support = {.holder = said, .other = 0, .separation = said}};
  dummies_.AddByChance(model, chance);
  return model;
}

CountModel PureDump::count_model() const {
  return ModelOf(levels_.empty() ? 1 / static_cast<double>(domain_size_)
                                 : ChanceOf(levels_.front(), dummies_.options().rate));
}

std::vector<ModelledCells> PureDump::count_models() const {
  if (levels_.empty()) return Mechanism::count_models();
  std::vector<ModelledCells> models;
  int64_t end = 0;
  for (const DummyLevel& level : levels_) {
    end += level.cells;
    models.push_back({.end = end, .model = ModelOf(ChanceOf(level, dummies_.options().rate))});
  }
  return models;
}

void PureDump::DrawNoise(RandomSource& random, std::vector<SignedReport>* noise) const {
  if (levels_.empty()) return dummies_.DrawUniform(domain_size_, random, noise);
  noise->resize(static_cast<size_t>(dummies_.Draw(random)));
  for (SignedReport& dummy : *noise) {
    const uint64_t drawn = UniformBelow(rates_.back(), random);
    size_t level = 0;
    uint64_t first = 0;
    for (; drawn >= rates_[level]; ++level) first += static_cast<uint64_t>(levels_[level].cells);
    const uint64_t cell = first + UniformBelow(static_cast<uint64_t>(levels_[level].cells), random);
    dummy.change = static_cast<int32_t>(cell) + 1;
  }
}

void PureDump::DrawFake(RandomSource& random, absl::Span<uint8_t> report) const {
  const uint64_t value = UniformBelow(static_cast<uint64_t>(domain_size_), random);
  Write(ValueReport{static_cast<uint32_t>(value)}, report);
}

absl::StatusOr<accounting::SubmissionLoss> PureDump::Loss(int64_t honest, double) const {
  const int64_t counted = std::min(honest, dummies_.options().honest);
  TOMBOLA_ASSIGN_OR_RETURN(auto parts, Parts(counted));
  return accounting::SubmissionLoss{.parts = std::move(parts), .charge = dummies_.Charge(counted)};
}

}  // namespace tombola::mechanism
