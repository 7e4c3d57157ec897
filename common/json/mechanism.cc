#include "common/json/mechanism.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/base/decimal.h"

namespace tombola {

Json FiniteOrNull(double number) { return std::isfinite(number) ? Json(number) : Json(); }

Json ParametersJson(const mechanism::Scheme& scheme) {
  const mechanism::Parameters parameters = scheme.parameters();
  const auto or_null = [](const auto& number) {
    return number.has_value() ? Json(*number) : Json();
  };
  Json json = {{"range", or_null(parameters.range)},
               {"local_epsilon", FiniteOrNull(scheme.local_epsilon())},
               {"dummies", or_null(parameters.dummies)},
               {"fakes", or_null(parameters.fakes)}};
  if (parameters.range.has_value()) json["range"] = std::llround(*parameters.range);
  if (parameters.noise_epsilon.has_value()) json["noise_epsilon"] = *parameters.noise_epsilon;
  if (parameters.shape.has_value()) json["shape"] = *parameters.shape;
  if (parameters.flood.has_value()) json["flood"] = *parameters.flood;
  if (parameters.honest.has_value()) json["honest"] = *parameters.honest;
  if (parameters.max_items.has_value()) json["max_items"] = *parameters.max_items;
  if (parameters.sent.has_value()) json["sent"] = *parameters.sent;
  if (parameters.units.has_value()) json["units"] = *parameters.units;
  if (parameters.bits.has_value()) {
    json["bits"] = *parameters.bits;
    json["hashes"] = *parameters.hashes;
    json["cohorts"] = 1;
    json["prr"] = *parameters.prr;
    json["irr_p"] = *parameters.irr_p;
    json["irr_q"] = *parameters.irr_q;
    json["memo_epsilon"] = *parameters.memo_epsilon;
  }
  if (!parameters.level_dummies.empty()) json["level_dummies"] = parameters.level_dummies;
  return json;
}

std::string DescribeParameters(const mechanism::Scheme& scheme) {
  const mechanism::Parameters parameters = scheme.parameters();
  std::vector<std::string> parts;
  if (parameters.sent.has_value() && *parameters.sent < parameters.max_items.value_or(0)) {
    parts.push_back(absl::StrFormat("%d of %d sent", *parameters.sent, *parameters.max_items));
  }
  if (parameters.units.has_value()) {
    parts.push_back(absl::StrFormat("up to %d in one cell", *parameters.units));
  }
  if (parameters.range.has_value()) {
    parts.push_back(absl::StrFormat("range %.0f", *parameters.range));
  }
  if (!parameters.level_dummies.empty()) {
    const auto rounded = [](std::string* text, double number) {
      absl::StrAppendFormat(text, "%.4g", number);
    };
    parts.push_back(absl::StrCat(absl::StrJoin(parameters.level_dummies, "/", rounded),
                                 " dummies a node, from the bins up"));
  } else if (parameters.dummies.has_value()) {
    parts.push_back(absl::StrFormat("%.4g dummies a value", *parameters.dummies));
  }
  if (parameters.fakes.has_value()) {
    parts.push_back(absl::StrFormat("%d fakes", *parameters.fakes));
  }
  if (parameters.noise_epsilon.has_value()) {
    parts.push_back(absl::StrCat("noise epsilon ", RoundedUp(*parameters.noise_epsilon, 4)));
  }
  if (parameters.shape.has_value() && parameters.flood.has_value()) {
    parts.push_back(
        absl::StrFormat("flood %.4g of shape %.4g", *parameters.flood, *parameters.shape));
  }
  if (parameters.bits.has_value()) {
    parts.push_back(absl::StrFormat(
        "%d bits, of which a value sets %d, prr %.4g, irr %.4g and %.4g", *parameters.bits,
        *parameters.hashes, *parameters.prr, *parameters.irr_p, *parameters.irr_q));
    parts.push_back(
        absl::StrCat("epsilon ", RoundedUp(*parameters.memo_epsilon, 4), " of a memo used again"));
  }
  if (std::isfinite(scheme.local_epsilon())) {
    parts.push_back(absl::StrCat("local epsilon ", RoundedUp(scheme.local_epsilon(), 4)));
  } else {
    parts.push_back("no local epsilon");
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace tombola
