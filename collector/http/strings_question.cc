#include "collector/http/strings_question.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/json/rows.h"
#include "common/json/strings.h"
#include "common/json/text.h"

namespace tombola::collector {
namespace {

constexpr int64_t kMostTop = int64_t{1} << 24;

class StringsQuestion final : public KindQuestion {
 public:
  explicit StringsQuestion(Parameters& parameters)
      : top_(static_cast<uint64_t>(parameters.Integer("top", 0, kMostTop).value_or(0))),
        values_(parameters.Texts("value")),
        order_(parameters.OneOf("order", {"frequency", "natural"}) == "natural"
                   ? BinOrder::kValue
                   : BinOrder::kFrequency),
        false_strings_(parameters.Number("false_strings").value_or(0)),
        given_(false_strings_ != 0) {}

  absl::Status SetQuestion(const Task&, v1::GetAnswerRequest* request) const override {
    if (given_ && !(false_strings_ > 0 && false_strings_ < 1)) {
      return absl::InvalidArgumentError("false_strings must be in (0, 1)");
    }
    v1::StringsQuestion* const question = request->mutable_strings();
    question->set_top(top_);
    question->set_false_strings(false_strings_);
    for (const std::string& value : values_) question->add_dictionary(value);
    return absl::OkStatus();
  }

  void Sort(v1::Answer* answer) const override {
    tombola::Sort(order_, *answer->mutable_strings());
  }

  Headers BesideRows(const v1::Answer& answer) const override {
    const v1::FrequentStrings& body = answer.strings();
    return {{"Tombola-Threshold", ToText(Json(body.threshold()))},
            {"Tombola-Least-Holders", ToText(Json(body.least_holders()))},
            {"Tombola-Complete", ToText(Json(body.complete()))}};
  }

 private:
  uint64_t top_;
  std::vector<std::string> values_;
  BinOrder order_;
  double false_strings_;
  bool given_;
};

}  // namespace

std::shared_ptr<const KindQuestion> ReadStringsQuestion(Parameters& parameters) {
  return std::make_shared<StringsQuestion>(parameters);
}

}  // namespace tombola::collector
