#include "collector/http/rows_question.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/json/histogram.h"
#include "common/json/key_value.h"
#include "common/json/rows.h"
#include "common/json/set.h"
#include "common/json/stream.h"
#include "common/json/text.h"
#include "common/table/domain_size.h"

namespace tombola::collector {
namespace {

// Where a kind's question and body are, and what the body says beside its rows.
struct HistogramRows {
  static auto* Question(v1::GetAnswerRequest* request) { return request->mutable_histogram(); }
  static auto* Body(v1::Answer* answer) { return answer->mutable_histogram(); }
  static Headers Beside(const v1::Answer& answer) {
    return {{"Tombola-Max-Error", ToText(Json(answer.histogram().max_error()))}};
  }
};

template <typename Body>
Headers BesideItems(const Body& body) {
  return {{"Tombola-Max-Error", ToText(Json(body.max_error()))},
          {"Tombola-Full", ToText(Json(body.sizes().full()))}};
}

struct SetRows {
  static auto* Question(v1::GetAnswerRequest* request) { return request->mutable_set(); }
  static auto* Body(v1::Answer* answer) { return answer->mutable_set(); }
  static Headers Beside(const v1::Answer& answer) { return BesideItems(answer.set()); }
};

struct KeyValueRows {
  static auto* Question(v1::GetAnswerRequest* request) { return request->mutable_key_value(); }
  static auto* Body(v1::Answer* answer) { return answer->mutable_key_value(); }
  static Headers Beside(const v1::Answer& answer) { return BesideItems(answer.key_value()); }
};

struct StreamRows {
  static auto* Question(v1::GetAnswerRequest* request) { return request->mutable_stream(); }
  static auto* Body(v1::Answer* answer) { return answer->mutable_stream(); }
  static Headers Beside(const v1::Answer& answer) {
    Json voids = Json::array();
    for (const uint64_t node : answer.stream().void_nodes()) voids.push_back(node);
    return {{"Tombola-Void-Nodes", ToText(voids)}};
  }
};

template <typename Rows>
class RowsQuestion final : public KindQuestion {
 public:
  explicit RowsQuestion(Parameters& parameters)
      : top_(static_cast<uint64_t>(
            parameters.Integer("top", 0, mechanism::kLargestDomain).value_or(0))),
        values_(parameters.Texts("value")) {
    if (parameters.Text("order").has_value()) {
      const bool natural = parameters.OneOf("order", {"natural", "frequency"}) == "natural";
      order_ = natural ? BinOrder::kValue : BinOrder::kFrequency;
    }
  }

  absl::Status SetQuestion(const Task& task, v1::GetAnswerRequest* request) const override {
    auto* const question = Rows::Question(request);
    question->set_top(top_);
    absl::flat_hash_set<uint64_t> seen;
    for (const std::string& name : values_) {
      const std::optional<uint64_t> value = task.domain().Find(name);
      if (!value.has_value()) {
        return absl::InvalidArgumentError(
            absl::StrCat("value: ", name, " is not among the task's values"));
      }
      if (!seen.insert(*value).second) {
        return absl::InvalidArgumentError(absl::StrCat("value: ", name, " is asked for twice"));
      }
      question->add_values(*value);
    }
    return absl::OkStatus();
  }

  void Sort(v1::Answer* answer) const override {
    if (order_.has_value()) tombola::Sort(*order_, *Rows::Body(answer));
  }

  Headers BesideRows(const v1::Answer& answer) const override { return Rows::Beside(answer); }

 private:
  uint64_t top_ = 0;
  std::vector<std::string> values_;
  std::optional<BinOrder> order_;  // none: the largest first with `top`, else the domain's
};

}  // namespace

std::shared_ptr<const KindQuestion> ReadHistogramQuestion(Parameters& parameters) {
  return std::make_shared<RowsQuestion<HistogramRows>>(parameters);
}

std::shared_ptr<const KindQuestion> ReadSetQuestion(Parameters& parameters) {
  return std::make_shared<RowsQuestion<SetRows>>(parameters);
}

std::shared_ptr<const KindQuestion> ReadKeyValueQuestion(Parameters& parameters) {
  return std::make_shared<RowsQuestion<KeyValueRows>>(parameters);
}

std::shared_ptr<const KindQuestion> ReadStreamRows(Parameters& parameters) {
  return std::make_shared<RowsQuestion<StreamRows>>(parameters);
}

}  // namespace tombola::collector
