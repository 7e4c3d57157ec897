#include "collector/answer/record_question.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "collector/answer/quantiles.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

constexpr int kMostBy = 2;
constexpr double kEdge = 1e-9;  // of a value's width

absl::Status ReadLabelsOf(const Attribute& attribute, const v1::Condition& wire,
                          RecordCondition* read) {
  if (wire.has_range() || wire.labels().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("where: ", attribute.name, " must be ",
                                                   attribute.Bounds(), ", or several of them"));
  }
  read->labels.assign(attribute.labels.size(), false);
  for (const std::string& label : wire.labels()) {
    const auto at = attribute.by_label.find(label);
    if (at == attribute.by_label.end()) {
      return absl::InvalidArgumentError(absl::StrCat("where: ", attribute.name, " must be ",
                                                     attribute.Bounds(), ", not \"", label, "\""));
    }
    read->labels[static_cast<size_t>(at->second)] = true;
  }
  return absl::OkStatus();
}

absl::Status ReadRangeOf(const Attribute& attribute, const v1::Condition& wire,
                         RecordCondition* read) {
  const Bins& bins = *attribute.bins;
  read->low = wire.range().low();
  read->high = wire.range().high();
  // Written so that NaN is refused too.
  if (wire.has_range() && wire.labels().empty() && read->low < read->high &&
      read->low >= bins.low() && read->high <= bins.high()) {
    return absl::OkStatus();
  }
  if (!wire.has_range() || !wire.labels().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("where: ", attribute.name, " must be a range ", attribute.Bounds()));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("where: ", attribute.name, " is ", read->low, "..", read->high,
                   "; it must be a range that is not empty, ", attribute.Bounds()));
}

absl::StatusOr<RecordCondition> ReadCondition(const RecordSchema& schema,
                                              const v1::Condition& wire) {
  RecordCondition read;
  TOMBOLA_ASSIGN_OR_RETURN(read.attribute, schema.AttributeNamed(wire.attribute()));
  const Attribute& attribute = schema.attributes[read.attribute];
  TOMBOLA_RETURN_IF_ERROR(attribute.bins.has_value() ? ReadRangeOf(attribute, wire, &read)
                                                     : ReadLabelsOf(attribute, wire, &read));
  return read;
}

absl::Status ReadFractions(const RecordSchema& schema, const v1::RecordsQuestion& wire,
                           RecordQuestion* read) {
  if (wire.fractions().empty()) return absl::OkStatus();
  if (read->by.size() != 1 || !schema.attributes[read->by[0]].bins.has_value()) {
    return absl::InvalidArgumentError(
        "quantiles are of the one attribute that `by` names, which must be a number");
  }
  TOMBOLA_RETURN_IF_ERROR(CheckFractions(wire.fractions()));
  read->fractions.assign(wire.fractions().begin(), wire.fractions().end());
  return absl::OkStatus();
}

absl::Status CheckIndependence(const RecordSchema& schema, const RecordQuestion& read) {
  if (!read.independence) return absl::OkStatus();
  if (read.by.size() != 2) {
    return absl::InvalidArgumentError(
        "independence is that of the two attributes that `by` names: there must be two");
  }
  for (const RecordCondition& condition : read.where) {
    if (std::find(read.by.begin(), read.by.end(), condition.attribute) != read.by.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("where: ", schema.attributes[condition.attribute].name,
                       " must have no condition where its independence is asked for"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RecordQuestion> RecordQuestion::Read(const RecordSchema& schema,
                                                    const v1::RecordsQuestion& wire) {
  RecordQuestion read;
  for (const v1::Condition& wanted : wire.where()) {
    TOMBOLA_ASSIGN_OR_RETURN(RecordCondition condition, ReadCondition(schema, wanted));
    for (const RecordCondition& before : read.where) {
      if (before.attribute == condition.attribute) {
        return absl::InvalidArgumentError(
            absl::StrCat("where: ", wanted.attribute(), " is there twice"));
      }
    }
    read.where.push_back(std::move(condition));
  }
  if (!wire.measure().empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(const size_t measure, schema.MeasureNamed(wire.measure()));
    read.measure = measure;
  }
  for (const std::string& name : wire.by()) {
    TOMBOLA_ASSIGN_OR_RETURN(const size_t attribute, schema.AttributeNamed(name));
    if (std::find(read.by.begin(), read.by.end(), attribute) != read.by.end()) {
      return absl::InvalidArgumentError(absl::StrCat("by: ", name, " is there twice"));
    }
    read.by.push_back(attribute);
  }
  if (read.by.size() > kMostBy) {
    return absl::InvalidArgumentError(
        absl::StrCat("by has ", read.by.size(), " attributes; two at most"));
  }
  TOMBOLA_RETURN_IF_ERROR(ReadFractions(schema, wire, &read));
  read.independence = wire.independence();
  TOMBOLA_RETURN_IF_ERROR(CheckIndependence(schema, read));
  return read;
}

bool RecordQuestion::AnsweredBy(const RecordsView& view) const {
  const auto has = [&](size_t attribute) { return view.PlaceOf(attribute).has_value(); };
  return (!measure.has_value() || view.measure == measure) &&
         std::all_of(by.begin(), by.end(), has) &&
         std::all_of(where.begin(), where.end(),
                     [&](const RecordCondition& condition) { return has(condition.attribute); });
}

std::vector<double> RecordQuestion::Weights(const RecordSchema& schema, const RecordsView& view,
                                            size_t place) const {
  std::vector<double> weights(static_cast<size_t>(view.sizes[place]), 1.0);
  for (const RecordCondition& condition : where) {
    if (condition.attribute != view.attributes[place]) continue;
    for (size_t value = 0; value < weights.size(); ++value) {
      if (!condition.labels.empty()) {
        weights[value] = condition.labels[value] ? 1 : 0;
        continue;
      }
      const Bins& bins = *schema.attributes[condition.attribute].bins;
      const auto joined = view.BinsOf(schema, place, static_cast<int64_t>(value));
      const double low = bins.Edge(joined.begin);
      const double high = bins.Edge(joined.end);
      const double within = std::min(high, condition.high) - std::max(low, condition.low);
      // An end that is an edge but for rounding is that edge.
      const double share = within / (high - low);
      weights[value] = share < kEdge ? 0 : share > 1 - kEdge ? 1 : share;
    }
  }
  return weights;
}

v1::CellValue ValueOf(const RecordSchema& schema, const RecordsView& view, size_t place,
                      int64_t value) {
  const Attribute& attribute = schema.attributes[view.attributes[place]];
  v1::CellValue wire;
  if (!attribute.bins.has_value()) {
    wire.set_label(attribute.labels[static_cast<size_t>(value)]);
    return wire;
  }
  const auto joined = view.BinsOf(schema, place, value);
  wire.mutable_range()->set_low(attribute.bins->Edge(joined.begin));
  wire.mutable_range()->set_high(attribute.bins->Edge(joined.end));
  wire.set_label(absl::StrCat(wire.range().low(), "..", wire.range().high()));
  return wire;
}

}  // namespace tombola::collector
