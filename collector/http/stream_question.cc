#include "collector/http/stream_question.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "collector/http/rows_question.h"
#include "common/base/status_macros.h"
#include "common/json/stream.h"
#include "common/kind/number_text.h"
#include "common/table/domain_size.h"

namespace tombola::collector {
namespace {

constexpr int64_t kMostAt = int64_t{1} << 40;

bool Flag(Parameters& parameters, absl::string_view name) {
  return parameters.OneOf(name, {"false", "true"}) == "true";
}

class StreamQuestion final : public KindQuestion {
 public:
  explicit StreamQuestion(Parameters& parameters)
      : rows_(ReadStreamRows(parameters)),
        at_(parameters.Integer("at", 1, kMostAt)),
        quantiles_(parameters.Text("quantiles")),
        bins_(parameters.Integer("bins", 1, mechanism::kLargestDomain)),
        series_(Flag(parameters, "series")),
        single_(Flag(parameters, "single")) {}

  absl::Status SetQuestion(const Task& task, v1::GetAnswerRequest* request) const override {
    if (at_.has_value()) {
      if (request->first_period() != 0 || request->last_period() != 0 || request->since() != 0 ||
          request->until() != 0) {
        return absl::InvalidArgumentError(
            "at must be without period, since and until: it is of all periods up to it");
      }
      request->set_first_period(1);
      request->set_last_period(static_cast<uint64_t>(*at_));
    }
    if (single_ && !series_) {
      return absl::InvalidArgumentError("single must be together with series");
    }
    TOMBOLA_RETURN_IF_ERROR(rows_->SetQuestion(task, request));
    if (quantiles_.has_value()) {
      const absl::StatusOr<std::vector<double>> fractions = ParseFractions(*quantiles_);
      if (!fractions.ok()) {
        return absl::InvalidArgumentError(absl::StrCat("quantiles ", fractions.status().message()));
      }
      request->mutable_stream()->mutable_fractions()->Add(fractions->begin(), fractions->end());
    }
    request->mutable_stream()->set_bins(static_cast<uint64_t>(bins_.value_or(0)));
    request->mutable_stream()->set_series(series_);
    request->mutable_stream()->set_single(single_);
    return absl::OkStatus();
  }

  void Sort(v1::Answer* answer) const override { rows_->Sort(answer); }

  Headers BesideRows(const v1::Answer& answer) const override { return rows_->BesideRows(answer); }

  Json Besides(const v1::Answer& answer) const override {
    return series_ ? SeriesOfOne(answer.stream()) : Json::object();
  }

 private:
  std::shared_ptr<const KindQuestion> rows_;
  std::optional<int64_t> at_;
  std::optional<std::string> quantiles_;
  std::optional<int64_t> bins_;
  bool series_ = false, single_ = false;
};

}  // namespace

std::shared_ptr<const KindQuestion> ReadStreamQuestion(Parameters& parameters) {
  return std::make_shared<StreamQuestion>(parameters);
}

}  // namespace tombola::collector
