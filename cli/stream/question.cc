#include "cli/stream/question.h"

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace tombola::cli {
namespace {

using stream::Method;
using stream::TotalsOptions;

absl::StatusOr<std::optional<Method>> MethodOf(const std::string& name) {
  if (name == kBestStructure) return std::optional<Method>();
  for (const Method method : stream::kMethods) {
    if (StructureName(method) == name) return std::optional<Method>(method);
  }
  return absl::InvalidArgumentError(absl::StrCat("--structure: there is no ", name));
}

// Whether a flag, if it was given, says what there is.
template <typename T>
absl::Status Agree(absl::string_view flag, const std::optional<T>& given, const T& there_is) {
  if (!given.has_value() || *given == there_is) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(flag, " must be ", there_is, ", as this stream began, is ", *given));
}

}  // namespace

std::string StructureName(std::optional<Method> method) {
  if (!method.has_value()) return std::string(kBestStructure);
  return std::string(stream::NameOf(*method));
}

std::vector<std::string> StructureNames() {
  std::vector<std::string> names = {std::string(kBestStructure)};
  for (const Method method : stream::kMethods) names.push_back(StructureName(method));
  return names;
}

absl::StatusOr<TotalsOptions> NewStream(const StreamFlags& flags) {
  if (!flags.epsilon.has_value()) return absl::InvalidArgumentError("--epsilon is required");
  if (flags.unbounded == flags.periods.has_value()) {
    return absl::InvalidArgumentError("one of --periods and --unbounded is required, and no more");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const std::optional<Method> method,
                           MethodOf(flags.structure.value_or(std::string(kBestStructure))));
  const int64_t most = flags.most.value_or(1);
  if (!flags.sensitivity.has_value() && (most < 1 || most > stream::kLargestSensitivity)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--most must be in [1, 2^31] without --sensitivity, which it is then, is ", most));
  }
  TotalsOptions options;
  options.question = {.epsilon = *flags.epsilon,
                      .delta = flags.delta.value_or(0),
                      .periods = flags.periods.value_or(0),
                      .sensitivity = flags.sensitivity.value_or(most),
                      .intervals = flags.user_periods.value_or(1),
                      .adaptive = !flags.fixed && method != Method::kKAry,
                      .method = method};
  options.unbounded = flags.unbounded;
  options.largest = most;
  return options;
}

absl::Status CheckAgrees(const StreamFlags& flags, const TotalsOptions& options) {
  const stream::Question& question = options.question;
  if (flags.unbounded && !options.unbounded) {
    return absl::InvalidArgumentError(
        absl::StrCat("--unbounded: this stream began with --periods ", question.periods));
  }
  if (flags.periods.has_value() && options.unbounded) {
    return absl::InvalidArgumentError("--periods: this stream began with --unbounded");
  }
  if (flags.fixed && question.adaptive) {
    return absl::InvalidArgumentError("--fixed: this stream began without it");
  }
  TOMBOLA_RETURN_IF_ERROR(Agree("--epsilon", flags.epsilon, question.epsilon));
  TOMBOLA_RETURN_IF_ERROR(Agree("--delta", flags.delta, question.delta));
  TOMBOLA_RETURN_IF_ERROR(Agree("--periods", flags.periods, question.periods));
  TOMBOLA_RETURN_IF_ERROR(Agree("--user-periods", flags.user_periods, question.intervals));
  TOMBOLA_RETURN_IF_ERROR(Agree("--most", flags.most, options.largest));
  TOMBOLA_RETURN_IF_ERROR(Agree("--sensitivity", flags.sensitivity, question.sensitivity));
  return Agree("--structure", flags.structure, StructureName(question.method));
}

}  // namespace tombola::cli
