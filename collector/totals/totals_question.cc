#include "collector/totals/totals_question.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

using stream::Method;

constexpr absl::string_view kAuto = "auto";

absl::StatusOr<std::optional<Method>> MethodOf(const std::string& name) {
  if (name.empty() || name == kAuto) return std::optional<Method>();
  std::vector<std::string> names = {std::string(kAuto)};
  for (const Method method : stream::kMethods) {
    if (stream::NameOf(method) == name) return std::optional<Method>(method);
    names.emplace_back(stream::NameOf(method));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("trusted_totals.structure must be one of ", absl::StrJoin(names, ", ")));
}

absl::Status CheckPeriods(const Task& task) {
  if (!task.periods().has_value()) {
    return absl::InvalidArgumentError(
        "trusted_totals must be absent but for a task with an interval whose periods do not merge");
  }
  if (task.periods()->count() <= kMostTotalsPeriods) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("trusted_totals must be absent for more than ",
                                                 kMostTotalsPeriods, " periods; the task has ",
                                                 task.periods()->count()));
}

}  // namespace

absl::StatusOr<Quantity> QuantityOf(v1::TotalsQuantity wire) {
  for (const Quantity quantity : kQuantities) {
    if (WireOf(quantity) == wire) return quantity;
  }
  return absl::InvalidArgumentError("of must be participants or rejected");
}

v1::TotalsQuantity WireOf(Quantity quantity) {
  return quantity == Quantity::kParticipants ? v1::TOTALS_QUANTITY_PARTICIPANTS
                                             : v1::TOTALS_QUANTITY_REJECTED;
}

absl::StatusOr<TotalsQuestion> ReadTotalsQuestion(const v1::TrustedTotalsRequest& request,
                                                  const Task& task) {
  TOMBOLA_RETURN_IF_ERROR(CheckPeriods(task));
  TOMBOLA_ASSIGN_OR_RETURN(const std::optional<Method> method, MethodOf(request.structure()));
  TotalsQuestion question;
  for (const int of : request.of()) {
    TOMBOLA_ASSIGN_OR_RETURN(const Quantity quantity,
                             QuantityOf(static_cast<v1::TotalsQuantity>(of)));
    if (std::find(question.quantities.begin(), question.quantities.end(), quantity) !=
        question.quantities.end()) {
      return absl::InvalidArgumentError("trusted_totals.of must name each quantity once");
    }
    question.quantities.push_back(quantity);
  }
  if (question.quantities.empty()) question.quantities = {Quantity::kParticipants};
  std::sort(question.quantities.begin(), question.quantities.end());
  const auto share = static_cast<double>(question.quantities.size());
  for (const Quantity quantity : question.quantities) {
    question.options[quantity] = {
        .question = {.epsilon = request.epsilon() / share,
                     .delta = request.delta() / share,
                     .periods = static_cast<int64_t>(task.periods()->count()),
                     .sensitivity = MostChange(task, quantity),
                     .intervals = task.submissions_per_device() * MostSteps(task),
                     .adaptive = method != Method::kKAry,
                     .method = method}};
  }
  return question;
}

absl::Status CheckTotals(const v1::TrustedTotalsRequest& request, const Task& task) {
  TOMBOLA_ASSIGN_OR_RETURN(const TotalsQuestion question, ReadTotalsQuestion(request, task));
  for (const Quantity quantity : question.quantities) {
    const auto design = stream::MakeDesign(question.OptionsOf(quantity).question);
    if (design.ok()) continue;
    return absl::Status(design.status().code(),
                        absl::StrCat("trusted_totals: ", design.status().message()));
  }
  return absl::OkStatus();
}

}  // namespace tombola::collector
