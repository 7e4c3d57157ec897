#include "common/json/plan.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_format.h"
#include "common/base/decimal.h"
#include "common/crypto/hpke_suite.h"
#include "common/json/mechanism.h"
#include "common/kind/key_value.h"

namespace tombola {

using mechanism::Candidate;
using mechanism::Mechanism;
using mechanism::PlanRequest;

namespace {

Json MinBatch(const Mechanism& mechanism, const PlanRequest& request,
              const CandidateJsonOptions& options) {
  if (!options.min_batch) return Json();
  const auto honest = mechanism.SmallestHonest(request.epsilon, request.delta);
  if (!honest.ok()) return Json();
  return Json(static_cast<int64_t>(std::ceil(static_cast<double>(*honest) / options.min_honest)));
}

Json MeanMse(const Mechanism& mechanism, const PlanRequest& request, int64_t count) {
  if (!(request.frequency > 0)) return Json();
  const Levels levels{.low = -1, .high = 1, .count = count};
  const double rounded = levels.step() * levels.step() / 6;
  return Json(MeanVariance(mechanism.count_model(), levels, {.submissions = request.submissions},
                           {.frequency = request.frequency,
                            .mean = 0,
                            .square = 1.0 / 3 + rounded,
                            .rounded = rounded}));
}

}  // namespace

double BytesPerUser(const Mechanism& mechanism) {
  return mechanism.expected_reports_per_submission() *
         static_cast<double>(mechanism.report_bytes() + crypto::kHpkeOverhead);
}

Json CandidateJson(const Candidate& candidate, const PlanRequest& request,
                   const CandidateJsonOptions& options) {
  Json json = {{"mechanism", candidate.name},
               {"feasible", candidate.feasible},
               {"reason", candidate.reason}};
  if (candidate.central) json["central"] = true;
  const Mechanism* const mechanism = candidate.mechanism.get();
  const auto known = [mechanism](const auto& of) {
    return mechanism == nullptr ? Json() : Json(of(*mechanism));
  };
  json["parameters"] = mechanism == nullptr ? Json::object() : ParametersJson(*mechanism);
  json["mse"] = FiniteOrNull(candidate.mse);
  json["messages_per_user"] =
      known([](const Mechanism& m) { return m.expected_reports_per_submission(); });
  json["max_messages_per_user"] =
      known([](const Mechanism& m) { return m.max_reports_per_submission(); });
  json["bytes_per_user"] = known(BytesPerUser);
  json["local_epsilon"] = known([](const Mechanism& m) { return FiniteOrNull(m.local_epsilon()); });
  json["min_batch"] = known([&](const Mechanism& m) { return MinBatch(m, request, options); });
  if (options.levels > 0) {
    json["mean_mse"] =
        known([&](const Mechanism& m) { return MeanMse(m, request, options.levels); });
  }
  if (!options.numbers) return json;
  if (candidate.branching.has_value()) json["branching"] = *candidate.branching;
  if (candidate.levels.has_value()) json["levels"] = *candidate.levels;
  json["sent"] = candidate.sent.value_or(1);
  return json;
}

std::vector<std::string> PlanWarnings(const Candidate* best, const PlanRequest& request) {
  std::vector<std::string> warnings;
  const auto users = static_cast<double>(request.submissions);
  if (request.delta * users >= 1) {
    warnings.push_back(
        absl::StrFormat("delta %s is not below 1/users: it allows a device to be exposed outright",
                        RoundedUp(request.delta, 6)));
  }
  if (best == nullptr) return warnings;
  // All zeros are at most this far off on average over the domain where frequencies sum to one.
  if (request.filling.held == 1 && best->mse * static_cast<double>(request.domain_size) >= 1) {
    warnings.emplace_back(
        "the error is larger than that of an answer of all zeros: the target leaves "
        "nothing to be seen with so few users");
  }
  const int64_t most = best->mechanism->max_reports_per_submission();
  if (static_cast<double>(most) / users > 100 * std::sqrt(best->mse)) {
    warnings.push_back(absl::StrFormat(
        "one dishonest device may send %d message%s and move a share by %.2g %%, far more than the "
        "error",
        most, most == 1 ? "" : "s", 100 * static_cast<double>(most) / users));
  }
  return warnings;
}

std::vector<std::string> NumberPlanWarnings(const Candidate* best,
                                            const mechanism::NumberPlanRequest& request) {
  constexpr double kGuess = 0.5;  // by which a guess of the middle is off at most
  std::vector<std::string> warnings = PlanWarnings(best, request.plan);
  if (best == nullptr || std::sqrt(best->mse) < kGuess) return warnings;
  warnings.push_back(absl::StrFormat(
      "the error is %.3g %%, and a guess of %s is never off by more than 50 %%: the target leaves "
      "nothing to be seen with so few users",
      100 * std::sqrt(best->mse),
      request.dithered ? "the middle of the range" : "one half for every range"));
  return warnings;
}

}  // namespace tombola
