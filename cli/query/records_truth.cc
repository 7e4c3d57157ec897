#include "cli/query/records_truth.h"

#include <algorithm>
#include <iterator>
#include <variant>

#include "cli/query/number.h"

namespace tombola::cli {
namespace {

const Field* FieldOf(const Row& row, const std::string& name) {
  for (const Field& field : row) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

const double* NumberOf(const Row& row, const std::string& name) {
  const Field* const field = FieldOf(row, name);
  return field == nullptr ? nullptr : std::get_if<double>(&field->value);
}

const std::string* LabelOf(const Row& row, const std::string& name) {
  const Field* const field = FieldOf(row, name);
  return field == nullptr ? nullptr : std::get_if<std::string>(&field->value);
}

void Count(const double* number, NumbersTruth* of) {
  of->count += 1;
  if (number != nullptr) of->sum += *number;
}

}  // namespace

RecordsTruth::RecordsTruth(const v1::Aggregates& body, const RecordSchema& schema)
    : body_(body), schema_(schema) {
  for (const std::string& name : body.by()) {
    const auto place = schema_.AttributeNamed(name);
    const bool number = place.ok() && schema_.attributes[*place].bins.has_value();
    axes_.push_back({.name = name, .last = number ? schema_.attributes[*place].bins->high() : 0});
  }
  for (const v1::AggregateCell& cell : body.cells()) {
    std::vector<size_t> places;
    for (size_t i = 0; i < axes_.size(); ++i) {
      places.push_back(axes_[i].PlaceOf(cell.values(static_cast<int>(i))));
    }
    cells_.emplace(std::move(places), cells_.size());
  }
  of_cells_.resize(cells_.size());
}

size_t RecordsTruth::Axis::PlaceOf(const v1::CellValue& value) {
  const size_t next = labels.size() + ranges.size();
  if (!value.has_range()) return labels.try_emplace(value.label(), next).first->second;
  const std::pair<double, size_t> range = {value.range().high(), next};
  return ranges.try_emplace(value.range().low(), range).first->second.second;
}

std::optional<size_t> RecordsTruth::Axis::PlaceOf(const Row& row) const {
  if (const std::string* const label = LabelOf(row, name); label != nullptr) {
    const auto at = labels.find(*label);
    return at == labels.end() ? std::nullopt : std::optional(at->second);
  }
  const double* const number = NumberOf(row, name);
  if (number == nullptr) return std::nullopt;
  const auto above = ranges.upper_bound(*number);
  if (above == ranges.begin()) return std::nullopt;
  const auto& [high, place] = std::prev(above)->second;
  if (*number < high || (*number == high && high == last)) return place;
  return std::nullopt;
}

bool RecordsTruth::Meets(const Row& row, const v1::Condition& condition) const {
  if (!condition.has_range()) {
    const std::string* const label = LabelOf(row, condition.attribute());
    return label != nullptr && std::find(condition.labels().begin(), condition.labels().end(),
                                         *label) != condition.labels().end();
  }
  const double* const number = NumberOf(row, condition.attribute());
  const auto place = schema_.AttributeNamed(condition.attribute());
  if (number == nullptr || !place.ok()) return false;
  const bool last = condition.range().high() == schema_.attributes[*place].bins->high();
  return *number >= condition.range().low() &&
         (*number < condition.range().high() || (last && *number == condition.range().high()));
}

NumbersTruth* RecordsTruth::CellOf(const Row& row) {
  std::vector<size_t> places;
  for (const Axis& axis : axes_) {
    const std::optional<size_t> place = axis.PlaceOf(row);
    if (!place.has_value()) return nullptr;
    places.push_back(*place);
  }
  const auto cell = cells_.find(places);
  return cell == cells_.end() ? nullptr : &of_cells_[cell->second];
}

void RecordsTruth::Add(const Row& row) {
  const bool counts =
      std::all_of(body_.where().begin(), body_.where().end(),
                  [&](const v1::Condition& condition) { return Meets(row, condition); });
  if (!counts) return;
  const double* const number = NumberOf(row, body_.measure());
  Count(number, &whole_);
  if (NumbersTruth* const cell = CellOf(row); cell != nullptr) Count(number, cell);
  if (body_.fractions().empty()) return;
  const double* const value = NumberOf(row, body_.by(0));
  if (value != nullptr) values_.push_back(*value);
}

Truth RecordsTruth::Take() {
  std::sort(values_.begin(), values_.end());
  for (const double fraction : body_.fractions()) {
    whole_.quantiles.push_back(QuantileOf(values_, fraction));
  }
  whole_.mean = whole_.sum / whole_.count;
  for (NumbersTruth& cell : of_cells_) cell.mean = cell.sum / cell.count;
  Truth truth;
  truth.numbers = std::move(whole_);
  truth.cells = std::move(of_cells_);
  return truth;
}

}  // namespace tombola::cli
