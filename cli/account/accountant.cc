#include "cli/account/accountant.h"

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/accounting/blanket.h"
#include "common/accounting/clones.h"
#include "common/accounting/correlated.h"
#include "common/accounting/dummies.h"
#include "common/accounting/epsilon_search.h"
#include "common/accounting/items.h"
#include "common/accounting/published.h"
#include "common/accounting/rappor.h"
#include "common/accounting/search.h"
#include "common/accounting/two_bucket.h"
#include "common/base/status_macros.h"
#include "common/mechanism/every.h"
#include "common/table/hash_family.h"

namespace tombola::cli {
namespace {

using accounting::Blanket;
using accounting::NoiseLaw;
using accounting::PublishedBatch;
using accounting::SubmissionLoss;
using Result = absl::StatusOr<Accountant>;

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

// The two functions of a published form.
template <typename EpsilonAt, typename DeltaAt>
Accountant Pairs(EpsilonAt epsilon_at, DeltaAt delta_at) {
  return {.epsilon_at = std::move(epsilon_at), .delta_at = std::move(delta_at)};
}

// The same with a curve that bounds both orders of neighbours at every epsilon.
template <typename EpsilonAt, typename DeltaAt>
Accountant Curve(EpsilonAt epsilon_at, DeltaAt delta_at) {
  Accountant accountant = Pairs(std::move(epsilon_at), delta_at);
  accountant.loss = [delta_at](double negligible) {
    return accounting::LossFromCurve([&](double epsilon) { return delta_at(epsilon); }, negligible);
  };
  return accountant;
}

// One mechanism's question: honest submissions, and the share that they are of all.
struct Batch {
  const AccountQuestion& question;
  int64_t honest;

  double share() const { return static_cast<double>(honest) / static_cast<double>(question.users); }
  bool published() const { return question.method == "published"; }

  // What a mechanism says that has no accountant for records of several cells, or for a part of
  // them.
  absl::Status RefuseItems() const {
    if (question.items == 1) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("--items must be 1 for ", question.mechanism,
                     ": aue, pure_dump, correlated and grr count records of several cells"));
  }
  absl::Status RefuseSampling() const {
    if (question.sent.value_or(question.items) == question.items) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("--sent must be --items for ", question.mechanism,
                     ": only pure_dump and grr send some of a device's cells"));
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
    return Pairs([=](double delta) { return accounting::PublishedEpsilon(batch, delta); },
                 [=](double epsilon) { return accounting::PublishedDelta(batch, epsilon); });
  }

  Result ByBlanket(double range, double collision, int64_t fakes) const {
    if (published()) return Published(range, static_cast<double>(fakes));
    TOMBOLA_ASSIGN_OR_RETURN(Blanket blanket, Randomised(range));
    blanket.fakes = fakes;
    blanket.collision = collision;
    return Curve([=](double delta) { return accounting::EpsilonAt(blanket, delta); },
                 [=](double epsilon) { return accounting::Delta(blanket, epsilon); });
  }

  // Noise of this law on each of so many cells.
  Result ByNoise(const absl::StatusOr<NoiseLaw>& law, int64_t cells) const {
    TOMBOLA_RETURN_IF_ERROR(law.status());
    Accountant accountant =
        Pairs([=](double delta) { return accounting::CellsEpsilon(*law, cells, delta); },
              [=](double epsilon) { return accounting::CellsDelta(*law, cells, epsilon); });
    accountant.loss = [=](double) -> absl::StatusOr<SubmissionLoss> {
      return SubmissionLoss{.parts = accounting::SeveralCells(*law, cells)};
    };
    return accountant;
  }
};

// A refusal of responses in the words of the command line.
absl::Status InWordsOfFlags(const absl::Status& status) {
  if (status.ok()) return status;
  return absl::InvalidArgumentError(
      absl::StrReplaceAll(status.message(), {{"rappor.f ", "--prr "},
                                             {"rappor.p ", "--irr-p "},
                                             {"rappor.q ", "--irr-q "},
                                             {"rappor.hashes ", "--hashes "}}));
}

// The accountant of one mechanism.
template <typename M>
Result Account(const Batch& batch);

template <>
Result Account<mechanism::LocalHash>(const Batch& batch) {
  TOMBOLA_RETURN_IF_ERROR(batch.RefuseItems());
  TOMBOLA_ASSIGN_OR_RETURN(const double range,
                           Need(batch.question.range, "--range", batch.question));
  return batch.ByBlanket(range, mechanism::CollisionOf(range), /*fakes=*/0);
}

// Reports of several cells, each by itself.
Result Responses(const Batch& batch, int64_t domain, int64_t sent) {
  TOMBOLA_ASSIGN_OR_RETURN(const Blanket one, batch.Randomised(static_cast<double>(domain)));
  const accounting::Responses responses{.honest = batch.honest,
                                        .cells = domain,
                                        .held = batch.question.items,
                                        .sent = sent,
                                        .gamma = one.gamma};
  Accountant accountant =
      Pairs([=](double delta) { return accounting::ResponsesEpsilon(responses, delta); },
            [=](double epsilon) { return accounting::ResponsesDelta(responses, epsilon); });
  accountant.loss = [=](double negligible) {
    return accounting::ResponsesLoss(responses, negligible);
  };
  accountant.messages = sent;
  return accountant;
}

// A device that holds several cells and sends one of them is hidden by the messages that are
// uniform over as many cells as it may have sent.
template <>
Result Account<mechanism::Grr>(const Batch& batch) {
  const int64_t items = batch.question.items;
  const int64_t sent = batch.question.sent.value_or(items);
  TOMBOLA_ASSIGN_OR_RETURN(const double domain,
                           Need(batch.question.domain, "--domain", batch.question));
  if (domain < 2 * static_cast<double>(items)) {
    return absl::InvalidArgumentError("--domain must be at least twice --items, for grr");
  }
  if (sent > 1) return Responses(batch, *batch.question.domain, sent);
  return batch.ByBlanket(domain / static_cast<double>(items), /*collision=*/0, /*fakes=*/0);
}

template <>
Result Account<mechanism::Murs>(const Batch& batch) {
  TOMBOLA_RETURN_IF_ERROR(batch.RefuseItems());
  TOMBOLA_ASSIGN_OR_RETURN(const double range,
                           Need(batch.question.range, "--range", batch.question));
  if (!batch.question.fakes.has_value()) {
    return absl::InvalidArgumentError("murs needs --fakes");
  }
  return batch.ByBlanket(range, mechanism::CollisionOf(range), *batch.question.fakes);
}

template <>
Result Account<mechanism::Aue>(const Batch& batch) {
  TOMBOLA_RETURN_IF_ERROR(batch.RefuseSampling());
  TOMBOLA_ASSIGN_OR_RETURN(const double dummies,
                           Need(batch.question.dummies, "--dummies", batch.question));
  const double gamma = dummies / static_cast<double>(batch.question.users);
  if (!(gamma > 0 && gamma < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--dummies must be in (0, --users) for aue, is ", dummies));
  }
  const int64_t honest = batch.honest;
  if (!batch.published()) {
    return batch.ByNoise(accounting::BinomialNoise(honest, gamma), batch.question.items);
  }
  return Pairs(
      [=](double delta) { return accounting::PublishedAueEpsilon(honest, gamma, delta); },
      [=](double epsilon) { return accounting::PublishedAueDelta(honest, gamma, epsilon); });
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
  const int64_t items = batch.question.items;
  const int64_t sent = batch.question.sent.value_or(items);
  if (!batch.published()) {
    return batch.ByNoise(sent == items ? accounting::PoissonNoise(lambda)
                                       : accounting::SampledPoisson(lambda, items, sent),
                         sent);
  }
  TOMBOLA_ASSIGN_OR_RETURN(const double domain,
                           Need(batch.question.domain, "--domain", batch.question));
  const double all = lambda * domain;
  return Pairs(
      [=](double delta) { return accounting::PublishedPureDumpEpsilon(domain, all, delta); },
      [=](double epsilon) { return accounting::PublishedPureDumpDelta(domain, all, epsilon); });
}

template <>
Result Account<mechanism::MixDump>(const Batch& batch) {
  TOMBOLA_RETURN_IF_ERROR(batch.RefuseItems());
  TOMBOLA_ASSIGN_OR_RETURN(const double domain,
                           Need(batch.question.domain, "--domain", batch.question));
  TOMBOLA_ASSIGN_OR_RETURN(const Blanket blanket, batch.Randomised(domain));
  TOMBOLA_ASSIGN_OR_RETURN(const double lambda, HonestDummies(batch));
  if (batch.published()) return batch.Published(domain, lambda * domain);
  TOMBOLA_RETURN_IF_ERROR(accounting::Validate(blanket));
  TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw law, accounting::PoissonNoise(lambda * domain));
  return Curve([=](double delta) { return accounting::DummiesEpsilon(blanket, law, delta); },
               [=](double epsilon) { return accounting::DummiesDelta(blanket, law, epsilon); });
}

template <>
Result Account<mechanism::Correlated>(const Batch& batch) {
  const AccountQuestion& question = batch.question;
  if (batch.published()) {
    return absl::InvalidArgumentError("correlated has no published form; use --method tight");
  }
  TOMBOLA_RETURN_IF_ERROR(batch.RefuseSampling());
  TOMBOLA_ASSIGN_OR_RETURN(const double noise_epsilon,
                           Need(question.noise_epsilon, "--noise-epsilon", question));
  TOMBOLA_ASSIGN_OR_RETURN(const double shape, Need(question.shape, "--shape", question));
  TOMBOLA_ASSIGN_OR_RETURN(const double flood, Need(question.flood, "--flood", question));
  if (batch.honest < question.users) {
    return absl::InvalidArgumentError(
        "--colluding must be 0 for correlated: shares planned for all users leave noise that is "
        "not accounted for; plan them for the honest ones and give their number as --users");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw lesser,
                           accounting::LesserCount({noise_epsilon, shape, flood}));
  const int64_t cells = question.items;
  const auto delta_at = [=](double epsilon) {
    return accounting::CorrelatedCellsDelta(lesser, noise_epsilon, cells, epsilon);
  };
  Accountant accountant =
      Pairs([=](double delta) { return accounting::SmallestEpsilon(delta_at, delta); }, delta_at);
  accountant.loss = [=](double) -> absl::StatusOr<SubmissionLoss> {
    return SubmissionLoss{.parts =
                              accounting::SeveralCorrelatedCells(lesser, noise_epsilon, cells)};
  };
  return accountant;
}

template <>
Result Account<mechanism::Rappor>(const Batch& batch) {
  const AccountQuestion& question = batch.question;
  if (batch.published()) {
    return absl::InvalidArgumentError("rappor has no published form; use --method tight");
  }
  TOMBOLA_RETURN_IF_ERROR(batch.RefuseItems());
  TOMBOLA_ASSIGN_OR_RETURN(const double f, Need(question.prr, "--prr", question));
  TOMBOLA_ASSIGN_OR_RETURN(const double p, Need(question.irr_p, "--irr-p", question));
  TOMBOLA_ASSIGN_OR_RETURN(const double q, Need(question.irr_q, "--irr-q", question));
  mechanism::BloomOptions options{
      .bits = mechanism::kMostBits, .hashes = question.hashes.value_or(1), .domain_size = 2};
  const accounting::Rappor asked = {
      .f = f, .p = p, .q = q, .hashes = options.hashes, .bits = options.bits};
  TOMBOLA_RETURN_IF_ERROR(InWordsOfFlags(accounting::Validate(asked)));
  // By the thresholds that a task has; which bits a value sets does not matter.
  const accounting::Rappor rappor =
      mechanism::ResponsesOf(mechanism::WithResponses(options, asked));
  TOMBOLA_RETURN_IF_ERROR(
      InWordsOfFlags(accounting::Validate(accounting::OneReport(rappor, /*honest=*/1))));
  const int64_t honest = batch.honest;
  const double local = mechanism::BudgetOfReports(rappor, /*reports=*/1);
  Accountant accountant =
      Pairs([=](double delta) { return mechanism::ShuffledEpsilonAt(rappor, honest, delta); },
            [=](double epsilon) { return mechanism::ShuffledDeltaAt(rappor, honest, epsilon); });
  accountant.local_epsilon = local;
  accountant.memo = [rappor](int64_t reports) {
    return MemoBudget{.reports = reports,
                      .after = mechanism::BudgetOfReports(rappor, reports),
                      .limit = mechanism::BudgetOfMemo(rappor)};
  };
  return accountant;
}

Result Generic(const Batch& batch) {
  TOMBOLA_RETURN_IF_ERROR(batch.RefuseItems());
  TOMBOLA_ASSIGN_OR_RETURN(const double local,
                           Need(batch.question.local_epsilon, "--local-epsilon", batch.question));
  const int64_t honest = batch.honest;
  if (!batch.published()) {
    return Curve([=](double delta) { return accounting::ClonesEpsilon(honest, local, delta); },
                 [=](double epsilon) { return accounting::ClonesDelta(honest, local, epsilon); });
  }
  return Pairs(
      [=](double delta) { return accounting::ClonesClosedEpsilon(honest, local, delta); },
      [](double) -> absl::StatusOr<double> {
        return absl::InvalidArgumentError(
            "--epsilon is not for generic with --method published: the form gives epsilon at a "
            "delta");
      });
}

struct Known {
  absl::string_view name;
  Result (*account)(const Batch&);
  bool local;  // a message by itself is randomised
};

// All mechanisms, and any that has a local epsilon.
std::vector<Known> EveryKnown() {
  const auto every = mechanism::ForEvery([]<typename M>(std::type_identity<M>) {
    return Known{.name = M::kName, .account = &Account<M>, .local = M::kHasLocalEpsilon};
  });
  std::vector<Known> known(every.begin(), every.end());
  known.push_back({.name = "generic", .account = &Generic, .local = true});
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

Result AccountantOf(const AccountQuestion& question, int64_t honest) {
  TOMBOLA_ASSIGN_OR_RETURN(const Known known, Find(question.mechanism));
  TOMBOLA_ASSIGN_OR_RETURN(Accountant accountant, known.account(Batch{question, honest}));
  accountant.local = known.local;
  return accountant;
}

}  // namespace tombola::cli
