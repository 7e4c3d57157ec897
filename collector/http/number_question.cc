#include "collector/http/number_question.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/json/number.h"
#include "common/kind/number.h"
#include "common/kind/number_text.h"
#include "common/table/domain_size.h"

namespace tombola::collector {
namespace {

absl::Status Named(absl::string_view name, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat(name, " ", status.message()));
}

class NumberQuestion final : public KindQuestion {
 public:
  explicit NumberQuestion(Parameters& parameters)
      : quantiles_(parameters.Text("quantiles")),
        where_(parameters.Text("where")),
        bins_(parameters.Integer("bins", 1, mechanism::kLargestDomain)) {}

  absl::Status SetQuestion(const Task& task, v1::GetAnswerRequest* request) const override {
    v1::NumberQuestion* const question = request->mutable_number();
    question->set_bins(static_cast<uint64_t>(bins_.value_or(0)));
    if (quantiles_.has_value()) {
      const absl::StatusOr<std::vector<double>> fractions = ParseFractions(*quantiles_);
      if (!fractions.ok()) return Named("quantiles", fractions.status());
      question->mutable_fractions()->Add(fractions->begin(), fractions->end());
    }
    if (where_.has_value()) {
      const auto& kind = static_cast<const NumberKind&>(task.kind().OfOneBatch());
      absl::StatusOr<v1::NumberRange> where = ParseNumberRange(*where_, kind.cells().bins);
      if (!where.ok()) return Named("where", where.status());
      *question->mutable_where() = *std::move(where);
    }
    return absl::OkStatus();
  }

  // Bins are in order.
  void Sort(v1::Answer*) const override {}

  Headers BesideRows(const v1::Answer& answer) const override {
    const v1::Distribution& numbers = answer.number();
    return {{"Tombola-Count", EstimateJson(numbers.has_count(), numbers.count())},
            {"Tombola-Mean", EstimateJson(numbers.has_mean(), numbers.mean())},
            {"Tombola-Sum", EstimateJson(numbers.has_sum(), numbers.sum())},
            {"Tombola-Quantiles", QuantilesJson(numbers)}};
  }

 private:
  std::optional<std::string> quantiles_, where_;
  std::optional<int64_t> bins_;
};

}  // namespace

std::shared_ptr<const KindQuestion> ReadNumberQuestion(Parameters& parameters) {
  return std::make_shared<NumberQuestion>(parameters);
}

}  // namespace tombola::collector
