#include "common/mechanism/rappor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/clones.h"
#include "common/accounting/unary_blanket.h"
#include "common/base/status_macros.h"
#include "common/table/bloom_weights.h"
#include "common/table/domain_size.h"
#include "common/table/threshold.h"

namespace tombola::mechanism {
namespace {

static_assert(kMostBits == accounting::kMostBloomBits);

// Rounding of the logarithms that budgets are made of.
constexpr double kRoundUp = 1 + 1e-12;

// More honest submissions hide nothing less; they are left out, which is the worse case.
int64_t Counted(int64_t honest) { return std::min(honest, accounting::kLargestUnaryBatch); }

// Of so few reports the accountant is exact. Of some more its grid may be far above the truth where
// epsilon is so large that a few rare reports decide; but a batch hides no less than a part of it.
constexpr int64_t kMostNearExact = 4096;
int64_t ExactPart(int64_t hashes) {
  if (hashes == 1) return 300;
  return hashes == 2 ? 44 : 1;
}

uint64_t Scaled(double probability) {
  const double scaled = std::ldexp(probability, 64);
  return scaled >= 0x1p64 ? ~uint64_t{0} : static_cast<uint64_t>(scaled);
}

}  // namespace

double BudgetOfReports(const accounting::Rappor& responses, int64_t reports) {
  return accounting::LocalEpsilonOf(responses, reports) * kRoundUp;
}

double BudgetOfMemo(const accounting::Rappor& responses) {
  return accounting::LocalEpsilonOfMemo(responses) * kRoundUp;
}

absl::StatusOr<double> ShuffledEpsilonAt(const accounting::Rappor& responses, int64_t honest,
                                         double delta) {
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::ShuffledRappor shuffled,
                           accounting::ShuffledEpsilon(responses, Counted(honest), delta));
  return std::min(shuffled.epsilon, BudgetOfReports(responses, /*reports=*/1));
}

absl::StatusOr<double> ShuffledDeltaAt(const accounting::Rappor& responses, int64_t honest,
                                       double epsilon) {
  const double local = BudgetOfReports(responses, /*reports=*/1);
  if (epsilon >= local) return 0;
  accounting::UnaryReports reports = accounting::OneReport(responses, Counted(honest));
  TOMBOLA_ASSIGN_OR_RETURN(double blanket, accounting::UnaryDelta(reports, epsilon));
  if (honest > ExactPart(reports.hashes) && honest <= kMostNearExact) {
    reports.honest = ExactPart(reports.hashes);
    TOMBOLA_ASSIGN_OR_RETURN(const double exact, accounting::UnaryDelta(reports, epsilon));
    blanket = std::min(blanket, exact);
  }
  TOMBOLA_ASSIGN_OR_RETURN(const double clones, accounting::ClonesDelta(honest, local, epsilon));
  return std::min(blanket, clones);
}

accounting::Rappor ResponsesOf(const BloomOptions& options) {
  return {.f = FractionRoundedDown(options.prr_threshold),
          .p = FractionRoundedDown(options.irr_p_threshold),
          .q = std::ldexp(static_cast<double>(options.irr_q_threshold), -64),
          .hashes = options.hashes,
          .bits = options.bits};
}

BloomOptions WithResponses(BloomOptions options, const accounting::Rappor& responses) {
  options.prr_threshold = std::max<uint64_t>(1, Scaled(responses.f));
  options.irr_p_threshold = Scaled(responses.p);
  options.irr_q_threshold = Scaled(responses.q);
  return options;
}

absl::StatusOr<Rappor> Rappor::Create(const BloomOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDomain(options.domain_size));
  TOMBOLA_ASSIGN_OR_RETURN(Bloom bloom, Bloom::Create(options));
  const accounting::Rappor responses = ResponsesOf(options);
  TOMBOLA_RETURN_IF_ERROR(accounting::Validate(responses));
  const absl::Status report = accounting::Validate(accounting::OneReport(responses, /*honest=*/1));
  if (!report.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("rappor's bits: ", report.message()));
  }
  return Rappor(std::move(bloom));
}

Rappor::Rappor(Bloom bloom) : bloom_(std::move(bloom)), responses_(ResponsesOf(bloom_.options())) {}

Parameters Rappor::parameters() const {
  return {.bits = responses_.bits,
          .hashes = responses_.hashes,
          .prr = responses_.f,
          .irr_p = responses_.p,
          .irr_q = responses_.q,
          .memo_epsilon = memo_epsilon()};
}

// Every answer was looked at; that delta falls with the batch matters for its being the smallest.
absl::StatusOr<int64_t> Rappor::SmallestHonest(double epsilon, double delta) const {
  int64_t fails = 0;
  int64_t meets = 1;
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const double at, Delta(meets, epsilon));
    if (at <= delta) break;
    if (meets >= accounting::kLargestUnaryBatch) {
      return absl::FailedPreconditionError(
          absl::StrCat("not even 2^30 honest submissions have delta ", delta));
    }
    fails = meets;
    meets *= 2;
  }
  while (meets - fails > 1) {
    const int64_t middle = fails + (meets - fails) / 2;
    TOMBOLA_ASSIGN_OR_RETURN(const double at, Delta(middle, epsilon));
    (at <= delta ? meets : fails) = middle;
  }
  return meets;
}

CountModel Rappor::count_model() const {
  const accounting::UnaryReports bit = accounting::OneReport(responses_, /*honest=*/1);
  return {.support = {.holder = bit.kept, .other = bit.risen, .separation = bit.kept - bit.risen}};
}

double Rappor::PredictedMse(int64_t submissions) const {
  return AverageSquaredError(bloom_, count_model().support, submissions);
}

void Rappor::DrawFake(RandomSource& random, absl::Span<uint8_t> report) const {
  bloom_.DrawUniform(random, report);
}

}  // namespace tombola::mechanism
