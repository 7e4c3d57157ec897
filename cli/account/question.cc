#include "cli/account/question.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/accounting/clones.h"
#include "common/accounting/composition.h"
#include "common/accounting/correlated.h"
#include "common/accounting/dummies.h"
#include "common/accounting/published.h"
#include "common/accounting/search.h"
#include "common/accounting/two_bucket.h"
#include "common/base/status_macros.h"
#include "common/mechanism/every.h"
#include "common/table/hash_family.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

using accounting::Blanket;
using accounting::NoiseLaw;
using accounting::PublishedBatch;
using Result = absl::StatusOr<double>;

template <typename Number>
absl::StatusOr<double> Need(const std::optional<Number>& value, const std::string& flag,
                            const AccountQuestion& question) {
  if (value.has_value()) return static_cast<double>(*value);
  return absl::InvalidArgumentError(
      absl::StrCat(question.mechanism, " (", question.method, ") needs ", flag));
}

// gamma of the local epsilon, rounded down: less blanket is the worse case.
double GammaRoundedDown(double range, double local_epsilon) {
  const double nearest = range / (range + std::expm1(local_epsilon));
  return std::nextafter(std::nextafter(nearest, 0), 0);
}

// One mechanism's question: honest submissions, and the share that they are of all.
struct Batch {
  const AccountQuestion& question;
  int64_t honest;

  double share() const { return static_cast<double>(honest) / static_cast<double>(question.users); }
  bool published() const { return question.method == "published"; }

  // The epsilon at the question's delta, or the delta at its epsilon.
  template <typename EpsilonOf, typename DeltaOf>
  Result Either(const EpsilonOf& epsilon_of, const DeltaOf& delta_of) const {
    return question.epsilon.has_value() ? delta_of(*question.epsilon) : epsilon_of(question.delta);
  }

  // The blanket of `range` buckets with the local epsilon that the question must have.
  absl::StatusOr<Blanket> Randomised(double range) const {
    TOMBOLA_ASSIGN_OR_RETURN(const double local,
                             Need(question.local_epsilon, "--local-epsilon", question));
    if (!(local > 0) || !std::isfinite(local)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--local-epsilon must be finite and greater than 0, is ", local));
    }
    return Blanket{.honest = honest, .range = range, .gamma = GammaRoundedDown(range, local)};
  }

  Result Published(double range, double dummies) const {
    TOMBOLA_RETURN_IF_ERROR(Randomised(range).status());
    const PublishedBatch batch{honest, range, *question.local_epsilon, dummies};
    return Either([&](double delta) { return accounting::PublishedEpsilon(batch, delta); },
                  [&](double epsilon) { return accounting::PublishedDelta(batch, epsilon); });
  }

  Result ByBlanket(double range, double collision, int64_t fakes) const {
    if (published()) return Published(range, static_cast<double>(fakes));
    TOMBOLA_ASSIGN_OR_RETURN(Blanket blanket, Randomised(range));
    blanket.fakes = fakes;
    blanket.collision = collision;
    return Either([&](double delta) { return accounting::EpsilonAt(blanket, delta); },
                  [&](double epsilon) { return accounting::Delta(blanket, epsilon); });
  }

  Result ByNoise(const absl::StatusOr<NoiseLaw>& law) const {
    TOMBOLA_RETURN_IF_ERROR(law.status());
    return Either([&](double delta) { return accounting::TwoBucketEpsilon(*law, delta); },
                  [&](double epsilon) { return accounting::TwoBucketDelta(*law, epsilon); });
  }
};

// The answer for one mechanism.
template <typename M>
Result Account(const Batch& batch);

template <>
Result Account<mechanism::LocalHash>(const Batch& batch) {
  TOMBOLA_ASSIGN_OR_RETURN(const double range,
                           Need(batch.question.range, "--range", batch.question));
  return batch.ByBlanket(range, mechanism::CollisionOf(range), /*fakes=*/0);
}

template <>
Result Account<mechanism::Grr>(const Batch& batch) {
  TOMBOLA_ASSIGN_OR_RETURN(const double domain,
                           Need(batch.question.domain, "--domain", batch.question));
  return batch.ByBlanket(domain, /*collision=*/0, /*fakes=*/0);
}

template <>
Result Account<mechanism::Murs>(const Batch& batch) {
  TOMBOLA_ASSIGN_OR_RETURN(const double range,
                           Need(batch.question.range, "--range", batch.question));
  if (!batch.question.fakes.has_value()) {
    return absl::InvalidArgumentError("murs needs --fakes");
  }
  return batch.ByBlanket(range, mechanism::CollisionOf(range), *batch.question.fakes);
}

template <>
Result Account<mechanism::Aue>(const Batch& batch) {
  TOMBOLA_ASSIGN_OR_RETURN(const double dummies,
                           Need(batch.question.dummies, "--dummies", batch.question));
  const double gamma = dummies / static_cast<double>(batch.question.users);
  if (!(gamma > 0 && gamma < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--dummies must be in (0, --users) for aue, is ", dummies));
  }
  if (!batch.published()) return batch.ByNoise(accounting::BinomialNoise(batch.honest, gamma));
  return batch.Either(
      [&](double delta) { return accounting::PublishedAueEpsilon(batch.honest, gamma, delta); },
      [&](double epsilon) { return accounting::PublishedAueDelta(batch.honest, gamma, epsilon); });
}

absl::StatusOr<double> HonestDummies(const Batch& batch) {
  TOMBOLA_ASSIGN_OR_RETURN(const double dummies,
                           Need(batch.question.dummies, "--dummies", batch.question));
  if (dummies > 0 && std::isfinite(dummies)) return dummies * batch.share();
  return absl::InvalidArgumentError(
      absl::StrCat("--dummies must be finite and greater than 0, is ", dummies));
}

template <>
Result Account<mechanism::PureDump>(const Batch& batch) {
  TOMBOLA_ASSIGN_OR_RETURN(const double lambda, HonestDummies(batch));
  if (!batch.published()) return batch.ByNoise(accounting::PoissonNoise(lambda));
  TOMBOLA_ASSIGN_OR_RETURN(const double domain,
                           Need(batch.question.domain, "--domain", batch.question));
  const double all = lambda * domain;
  return batch.Either(
      [&](double delta) { return accounting::PublishedPureDumpEpsilon(domain, all, delta); },
      [&](double epsilon) { return accounting::PublishedPureDumpDelta(domain, all, epsilon); });
}

template <>
Result Account<mechanism::MixDump>(const Batch& batch) {
  TOMBOLA_ASSIGN_OR_RETURN(const double domain,
                           Need(batch.question.domain, "--domain", batch.question));
  TOMBOLA_ASSIGN_OR_RETURN(const Blanket blanket, batch.Randomised(domain));
  TOMBOLA_ASSIGN_OR_RETURN(const double lambda, HonestDummies(batch));
  if (batch.published()) return batch.Published(domain, lambda * domain);
  TOMBOLA_RETURN_IF_ERROR(accounting::Validate(blanket));
  TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw law, accounting::PoissonNoise(lambda * domain));
  return batch.Either(
      [&](double delta) { return accounting::DummiesEpsilon(blanket, law, delta); },
      [&](double epsilon) { return accounting::DummiesDelta(blanket, law, epsilon); });
}

template <>
Result Account<mechanism::Correlated>(const Batch& batch) {
  const AccountQuestion& question = batch.question;
  if (batch.published()) {
    return absl::InvalidArgumentError("correlated has no published form; use --method tight");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const double noise_epsilon,
                           Need(question.noise_epsilon, "--noise-epsilon", question));
  TOMBOLA_ASSIGN_OR_RETURN(const double shape, Need(question.shape, "--shape", question));
  TOMBOLA_ASSIGN_OR_RETURN(const double flood, Need(question.flood, "--flood", question));
  if (batch.honest < question.users) {
    return absl::InvalidArgumentError(
        "--colluding must be 0 for correlated: shares planned for all users leave noise that is "
        "not accounted for; plan them for the honest ones and give their number as --users");
  }
  const accounting::CorrelatedNoise noise{noise_epsilon, shape, flood};
  return batch.Either([&](double delta) { return accounting::CorrelatedEpsilon(noise, delta); },
                      [&](double epsilon) { return accounting::CorrelatedDelta(noise, epsilon); });
}

Result Generic(const Batch& batch) {
  const AccountQuestion& question = batch.question;
  TOMBOLA_ASSIGN_OR_RETURN(const double local,
                           Need(question.local_epsilon, "--local-epsilon", question));
  if (!batch.published()) {
    return batch.Either(
        [&](double delta) { return accounting::ClonesEpsilon(batch.honest, local, delta); },
        [&](double epsilon) { return accounting::ClonesDelta(batch.honest, local, epsilon); });
  }
  if (question.epsilon.has_value()) {
    return absl::InvalidArgumentError(
        "--epsilon is not for generic with --method published: the form gives epsilon at a delta");
  }
  return accounting::ClonesClosedEpsilon(batch.honest, local, question.delta);
}

absl::StatusOr<Several> SeveralOf(const AccountAnswer& one, int64_t submissions) {
  const accounting::EpsilonDelta single{one.epsilon, one.delta};
  Several several;
  several.together = accounting::GroupPrivacy(single, submissions);
  // As answers of tasks with periods have it.
  several.apart.delta = accounting::Times(submissions, single.delta);
  if (several.apart.delta >= 1) {
    several.apart.delta = 1;
    return several;
  }
  TOMBOLA_ASSIGN_OR_RETURN(several.apart.epsilon,
                           accounting::ComposedEpsilon(single, submissions, several.apart.delta));
  return several;
}

struct Known {
  absl::string_view name;
  Result (*answer)(const Batch&);
  bool local;  // a message by itself is randomised
};

// All mechanisms, and any that has a local epsilon.
std::vector<Known> EveryKnown() {
  const auto every = mechanism::ForEvery([]<typename M>(std::type_identity<M>) {
    return Known{.name = M::kName, .answer = &Account<M>, .local = M::kHasLocalEpsilon};
  });
  std::vector<Known> known(every.begin(), every.end());
  known.push_back({.name = "generic", .answer = &Generic, .local = true});
  return known;
}

absl::StatusOr<Known> Find(const std::string& mechanism) {
  if (mechanism == "laplace") {
    return absl::InvalidArgumentError(
        "--mechanism laplace is central: there is no shuffled batch to account for");
  }
  std::string names;
  for (const Known& known : EveryKnown()) {
    if (mechanism == known.name) return known;
    absl::StrAppend(&names, names.empty() ? "" : ", ", known.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--mechanism must be one of ", names, "; is ", mechanism));
}

}  // namespace

absl::StatusOr<AccountAnswer> AnswerAccount(const AccountQuestion& question) {
  TOMBOLA_ASSIGN_OR_RETURN(const Known known, Find(question.mechanism));
  if (question.method != "tight" && question.method != "published") {
    return absl::InvalidArgumentError(
        absl::StrCat("--method must be tight or published, is ", question.method));
  }
  if (question.users < 1 || question.users > accounting::kLargestBatch) {
    return absl::InvalidArgumentError(
        absl::StrCat("--users must be in [1, 2^40], is ", question.users));
  }
  if (!(question.colluding >= 0 && question.colluding < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--colluding must be in [0, 1), is ", question.colluding));
  }
  if (question.submissions < 1 || question.submissions > 1000) {
    return absl::InvalidArgumentError(
        absl::StrCat("--submissions must be in [1, 1000], is ", question.submissions));
  }
  TOMBOLA_RETURN_IF_ERROR(accounting::ValidateDelta(question.delta));
  if (question.epsilon.has_value()) {
    TOMBOLA_RETURN_IF_ERROR(accounting::ValidateEpsilon(*question.epsilon));
  }
  const int64_t honest = HonestOf(question.users, question.colluding);
  if (honest < 1) {
    return absl::InvalidArgumentError("--colluding must leave at least one of --users");
  }
  AccountAnswer answer{.epsilon = question.epsilon.value_or(0),
                       .delta = question.delta,
                       .users = question.users,
                       .honest = honest,
                       .method = question.method};
  TOMBOLA_ASSIGN_OR_RETURN(const double result, known.answer(Batch{question, honest}));
  (question.epsilon.has_value() ? answer.delta : answer.epsilon) = result;
  if (known.local) answer.local_epsilon = question.local_epsilon;
  if (question.submissions > 1) {
    TOMBOLA_ASSIGN_OR_RETURN(answer.several, SeveralOf(answer, question.submissions));
  }
  return answer;
}

}  // namespace tombola::cli
