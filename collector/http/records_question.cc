#include "collector/http/records_question.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "common/json/number.h"
#include "common/json/text.h"
#include "common/kind/number_text.h"
#include "common/kind/record_text.h"
#include "common/kind/records.h"

namespace tombola::collector {
namespace {

class AskedRecords final : public KindQuestion {
 public:
  explicit AskedRecords(Parameters& parameters)
      : where_(parameters.Texts("where")),
        by_(parameters.Texts("by")),
        measure_(parameters.Text("measure")),
        quantiles_(parameters.Text("quantiles")),
        independence_(parameters.Text("independence")) {}

  absl::Status SetQuestion(const Task& task, v1::GetAnswerRequest* request) const override {
    const RecordSchema& schema = static_cast<const RecordsKind&>(task.kind()).cells().schema;
    v1::RecordsQuestion* const question = request->mutable_records();
    for (const std::string& text : where_) {
      TOMBOLA_ASSIGN_OR_RETURN(*question->add_where(), ParseCondition(text, schema));
    }
    for (const std::string& names : by_) {
      for (const absl::string_view name : absl::StrSplit(names, ',')) {
        question->add_by(std::string(name));
      }
    }
    question->set_measure(measure_.value_or(""));
    if (independence_.value_or("false") != "true" && independence_.value_or("false") != "false") {
      return absl::InvalidArgumentError("independence must be true or false");
    }
    question->set_independence(independence_.value_or("false") == "true");
    if (!quantiles_.has_value()) return absl::OkStatus();
    const absl::StatusOr<std::vector<double>> fractions = ParseFractions(*quantiles_);
    if (!fractions.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("quantiles ", fractions.status().message()));
    }
    question->mutable_fractions()->Add(fractions->begin(), fractions->end());
    return absl::OkStatus();
  }

  // Cells are in order.
  void Sort(v1::Answer*) const override {}

  Headers BesideRows(const v1::Answer& answer) const override {
    const v1::Aggregates& records = answer.records();
    return {{"Tombola-Count", EstimateJson(records.has_count(), records.count())},
            {"Tombola-Records", EstimateJson(records.has_records(), records.records())}};
  }

 private:
  std::vector<std::string> where_, by_;
  std::optional<std::string> measure_, quantiles_, independence_;
};

}  // namespace

std::shared_ptr<const KindQuestion> ReadRecordsQuestion(Parameters& parameters) {
  return std::make_shared<AskedRecords>(parameters);
}

}  // namespace tombola::collector
