#include "client/place/records.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/place/items.h"
#include "client/place/level.h"
#include "common/base/status_macros.h"
#include "common/kind/records.h"

namespace tombola::client {
namespace {

// The only field of that name.
absl::StatusOr<const Field*> FieldNamed(const Row& row, const std::string& name) {
  const Field* found = nullptr;
  for (const Field& field : row) {
    if (field.name != name) continue;
    if (found != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("\"", name, "\" is there twice"));
    }
    found = &field;
  }
  if (found != nullptr) return found;
  return absl::InvalidArgumentError(absl::StrCat("\"", name, "\" is missing"));
}

std::string ValueText(const Field& field) {
  if (const auto* const text = std::get_if<std::string>(&field.value)) {
    return absl::StrCat("\"", *text, "\"");
  }
  return absl::StrCat(std::get<double>(field.value));
}

absl::StatusOr<int64_t> PlaceOf(const Attribute& attribute, const Row& row) {
  TOMBOLA_ASSIGN_OR_RETURN(const Field* const field, FieldNamed(row, attribute.name));
  std::optional<int64_t> place;
  if (attribute.bins.has_value()) {
    const auto* const number = std::get_if<double>(&field->value);
    if (number != nullptr) place = attribute.bins->BinOf(*number);
  } else if (const auto* const label = std::get_if<std::string>(&field->value)) {
    const auto at = attribute.by_label.find(*label);
    if (at != attribute.by_label.end()) place = at->second;
  }
  if (place.has_value()) return *place;
  return absl::InvalidArgumentError(absl::StrCat("\"", attribute.name, "\" is ", ValueText(*field),
                                                 "; it must be ", attribute.Bounds()));
}

absl::StatusOr<double> NumberOf(const Measure& measure, const Row& row) {
  TOMBOLA_ASSIGN_OR_RETURN(const Field* const field, FieldNamed(row, measure.name));
  const auto* const number = std::get_if<double>(&field->value);
  // Written so that NaN is refused too.
  if (number != nullptr && *number >= measure.levels.low && *number <= measure.levels.high) {
    return *number;
  }
  return absl::InvalidArgumentError(absl::StrCat("\"", measure.name, "\" is ", ValueText(*field),
                                                 "; it must be in [", measure.levels.low, ", ",
                                                 measure.levels.high, "]"));
}

void FillLevels(const RecordsView& view, int64_t leaf, int64_t measure_level,
                mechanism::Cells* filled) {
  for (int64_t level = 0; level < view.tree.levels(); ++level) {
    filled->push_back({.table = 0, .index = view.CellOf(leaf, level, measure_level)});
  }
}

// The cells of one view: as many for any number of rows.
void Fill(const RecordSchema& schema, const RecordsView& view, const std::vector<PlacedRow>& rows,
          RandomSource& random, mechanism::Cells* filled) {
  const bool capped = schema.max_alike < schema.max_records;
  absl::flat_hash_map<int64_t, int64_t> alike;
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (capped) DrawFirst(order.size(), random, &order);
  int64_t placed = 0;
  for (const size_t at : order) {
    const PlacedRow& row = rows[at];
    const int64_t leaf = view.LeafOf(row.places);
    if (capped && ++alike[leaf] > schema.max_alike) continue;
    const int64_t level = view.measure.has_value() ? LevelOf(schema.measures[*view.measure].levels,
                                                             row.numbers[*view.measure], random)
                                                   : 0;
    FillLevels(view, leaf, level, filled);
    ++placed;
  }
  for (int64_t pad = 0; placed + pad < schema.max_records; ++pad) {
    FillLevels(view, view.PadOf(schema, pad), 0, filled);
  }
}

}  // namespace

absl::StatusOr<PlacedRow> ReadRow(const RecordSchema& schema, const Row& row) {
  PlacedRow read;
  read.places.reserve(schema.attributes.size());
  for (const Attribute& attribute : schema.attributes) {
    TOMBOLA_ASSIGN_OR_RETURN(const int64_t place, PlaceOf(attribute, row));
    read.places.push_back(place);
  }
  for (const Measure& measure : schema.measures) {
    TOMBOLA_ASSIGN_OR_RETURN(const double number, NumberOf(measure, row));
    read.numbers.push_back(number);
  }
  return read;
}

mechanism::Cells PlaceRows(const RecordCells& cells, std::vector<PlacedRow> rows,
                           RandomSource& random) {
  KeepSome(cells.schema.max_records, random, &rows);
  mechanism::Cells filled;
  for (const RecordsView& view : cells.views) Fill(cells.schema, view, rows, random, &filled);
  return filled;
}

std::unique_ptr<Placer> RecordsPlacer::Make(std::shared_ptr<const Task> task) {
  return std::unique_ptr<Placer>(new RecordsPlacer(std::move(task)));
}

RecordsPlacer::RecordsPlacer(std::shared_ptr<const Task> task) : task_(std::move(task)) {}

absl::StatusOr<mechanism::Cells> RecordsPlacer::Place(const RecordView& record,
                                                      RandomSource& random) const {
  const auto* const given = std::get_if<absl::Span<const Row>>(&record);
  if (given == nullptr) return absl::InvalidArgumentError("the task takes records");
  const RecordCells& cells = static_cast<const RecordsKind&>(task_->kind()).cells();
  std::vector<PlacedRow> rows;
  rows.reserve(given->size());
  for (size_t i = 0; i < given->size(); ++i) {
    absl::StatusOr<PlacedRow> row = ReadRow(cells.schema, (*given)[i]);
    if (!row.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("record ", i + 1, ": ", row.status().message()));
    }
    rows.push_back(*std::move(row));
  }
  return PlaceRows(cells, std::move(rows), random);
}

}  // namespace tombola::client
