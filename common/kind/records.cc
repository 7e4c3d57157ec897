#include "common/kind/records.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status_macros.h"
#include "common/mechanism/registry.h"
#include "common/table/count_model.h"
#include "common/table/domain_size.h"

namespace tombola {
namespace {

constexpr int kMostAttributes = 64;
constexpr int kMostMeasures = 16;
constexpr uint32_t kMostRecords = 1000;
constexpr uint64_t kMostBins = uint64_t{1} << 20;
constexpr size_t kMostNameBytes = 64;
constexpr size_t kMostLabelBytes = 256;
constexpr uint32_t kMostBranches = 4096;

absl::Status OutOfBounds(absl::string_view field, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat(field, " must be ", bound));
}

bool IsName(absl::string_view text) {
  return !text.empty() && text.size() <= kMostNameBytes &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

absl::Status ReadLabels(const v1::Attribute& wire, const std::string& field, Attribute* read) {
  if (wire.labels_size() < 2 || static_cast<uint64_t>(wire.labels_size()) > kMostBins) {
    return OutOfBounds(absl::StrCat(field, ".labels"), "2 to 2^20 where it has no edges");
  }
  for (const std::string& label : wire.labels()) {
    if (label.empty() || label.size() > kMostLabelBytes ||
        std::any_of(label.begin(), label.end(), [](char c) { return absl::ascii_iscntrl(c); })) {
      return OutOfBounds(absl::StrCat(field, ".labels"),
                         "1 to 256 bytes each, without control characters");
    }
    if (!read->by_label.emplace(label, static_cast<int64_t>(read->labels.size())).second) {
      return OutOfBounds(absl::StrCat(field, ".labels"),
                         absl::StrCat("distinct; \"", label, "\" is there twice"));
    }
    read->labels.push_back(label);
  }
  return absl::OkStatus();
}

absl::StatusOr<Attribute> ReadAttribute(const v1::Attribute& wire) {
  const std::string field = absl::StrCat("attribute ", wire.name());
  Attribute read{.name = wire.name()};
  if (wire.edges().empty()) {
    if (wire.bins() != 0) return OutOfBounds(absl::StrCat(field, ".bins"), "absent without edges");
    TOMBOLA_RETURN_IF_ERROR(ReadLabels(wire, field, &read));
    return read;
  }
  if (!wire.labels().empty()) {
    return OutOfBounds(absl::StrCat(field, ".labels"), "absent where it has edges");
  }
  if (wire.bins() < 2 || wire.bins() > kMostBins) {
    return OutOfBounds(absl::StrCat(field, ".bins"), "between 2 and 2^20");
  }
  TOMBOLA_ASSIGN_OR_RETURN(read.bins, Bins::Read(wire.edges(), static_cast<int64_t>(wire.bins()),
                                                 absl::StrCat(field, ".edges")));
  return read;
}

absl::StatusOr<Measure> ReadMeasure(const v1::Measure& wire) {
  absl::StatusOr<Levels> levels = Levels::Read(wire.levels());
  if (levels.ok()) return Measure{.name = wire.name(), .levels = *std::move(levels)};
  return absl::InvalidArgumentError(
      absl::StrCat("measure ", wire.name(), ": ", levels.status().message()));
}

template <typename Named>
absl::StatusOr<size_t> PlaceNamed(const std::vector<Named>& all, absl::string_view what,
                                  absl::string_view name) {
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return i;
  }
  const auto names = absl::StrJoin(
      all, ", ", [](std::string* out, const Named& of) { absl::StrAppend(out, of.name); });
  return absl::InvalidArgumentError(absl::StrCat(
      what, " \"", name, "\" is not there; the task has ", names.empty() ? "none" : names));
}

// How many bins or labels each attribute of a view has left.
absl::Status ReadSizes(const RecordSchema& schema, const v1::View& wire, RecordsView* read) {
  if (wire.attributes_size() > kMostTogether || wire.joined_size() != wire.attributes_size()) {
    return OutOfBounds("task.records.views.attributes",
                       "three at most, with one `joined` for each");
  }
  for (int i = 0; i < wire.attributes_size(); ++i) {
    const size_t attribute = wire.attributes(i);
    if (attribute >= schema.attributes.size() ||
        (i > 0 && wire.attributes(i - 1) >= wire.attributes(i))) {
      return OutOfBounds("task.records.views.attributes", "ascending places of attributes");
    }
    const Attribute& of = schema.attributes[attribute];
    const uint64_t joined = wire.joined(i);
    const auto size = static_cast<uint64_t>(of.size());
    if (joined < 1 || joined >= size || (joined > 1 && !of.bins.has_value())) {
      return OutOfBounds(
          "task.records.views.joined",
          absl::StrCat(of.bins.has_value() ? absl::StrCat("in [1, ", size - 1, "]") : "1", " for ",
                       of.name));
    }
    read->attributes.push_back(attribute);
    read->joined.push_back(static_cast<int64_t>(joined));
    read->sizes.push_back(static_cast<int64_t>((size + joined - 1) / joined));
  }
  return absl::OkStatus();
}

}  // namespace

std::string Attribute::Bounds() const {
  return bins.has_value() ? absl::StrCat("in [", bins->low(), ", ", bins->high(), "]")
                          : absl::StrCat("one of its ", labels.size(), " labels");
}

absl::StatusOr<RecordSchema> RecordSchema::Read(const v1::Records& wire) {
  if (wire.attributes_size() < 1 || wire.attributes_size() > kMostAttributes) {
    return OutOfBounds("task.records.attributes", absl::StrCat("1 to ", kMostAttributes));
  }
  if (wire.measures_size() > kMostMeasures) {
    return OutOfBounds("task.records.measures", absl::StrCat(kMostMeasures, " at most"));
  }
  if (wire.max_records() < 1 || wire.max_records() > kMostRecords) {
    return absl::InvalidArgumentError(absl::StrCat("task.records.max_records is ",
                                                   wire.max_records(), "; it must be in [1, ",
                                                   kMostRecords, "]"));
  }
  if (wire.max_alike() < 1 || wire.max_records() % wire.max_alike() != 0) {
    return absl::InvalidArgumentError(absl::StrCat("task.records.max_alike is ", wire.max_alike(),
                                                   "; it must divide max_records, which is ",
                                                   wire.max_records()));
  }
  RecordSchema read{.max_records = wire.max_records(), .max_alike = wire.max_alike()};
  absl::flat_hash_set<std::string> names;
  const auto check_name = [&](const std::string& name) {
    if (!IsName(name) || !names.insert(name).second) {
      return OutOfBounds(absl::StrCat("the name \"", name, "\" of an attribute or a measure"),
                         "1 to 64 letters, digits and underscores, and be there once");
    }
    return absl::OkStatus();
  };
  for (const v1::Attribute& attribute : wire.attributes()) {
    TOMBOLA_RETURN_IF_ERROR(check_name(attribute.name()));
    TOMBOLA_ASSIGN_OR_RETURN(Attribute one, ReadAttribute(attribute));
    read.attributes.push_back(std::move(one));
  }
  for (const v1::Measure& measure : wire.measures()) {
    TOMBOLA_RETURN_IF_ERROR(check_name(measure.name()));
    TOMBOLA_ASSIGN_OR_RETURN(Measure one, ReadMeasure(measure));
    read.measures.push_back(std::move(one));
  }
  return read;
}

absl::StatusOr<size_t> RecordSchema::AttributeNamed(absl::string_view name) const {
  return PlaceNamed(attributes, "the attribute", name);
}

absl::StatusOr<size_t> RecordSchema::MeasureNamed(absl::string_view name) const {
  return PlaceNamed(measures, "the measure", name);
}

absl::StatusOr<RecordsView> RecordsView::Read(const RecordSchema& schema, const v1::View& wire) {
  RecordsView read{.tree = RangeTree(1, 0, /*apart=*/true)};
  TOMBOLA_RETURN_IF_ERROR(ReadSizes(schema, wire, &read));
  const uint32_t branching = wire.branching();
  if (!wire.has_branching() || branching == 1 || branching > kMostBranches ||
      (branching > 0 && read.sizes.size() != 1)) {
    return OutOfBounds("task.records.views.branching",
                       "0, or of one attribute 2 to 4096; always set");
  }
  if (branching > 0 && schema.max_alike < schema.max_records) {
    return OutOfBounds("task.records.views.branching",
                       "0 where max_alike is below max_records: what a leaf leaves out would be in "
                       "the nodes above it");
  }
  for (const int64_t size : read.sizes) {
    read.leaves *= size;
    if (read.leaves > mechanism::kLargestDomain) {
      return OutOfBounds("task.records.views",
                         absl::StrCat("of at most ", mechanism::kLargestDomainText, " cells"));
    }
  }
  if (wire.has_measure()) {
    if (wire.measure() >= schema.measures.size()) {
      return OutOfBounds("task.records.views.measure", "the place of a measure");
    }
    read.measure = wire.measure();
    read.levels = schema.measures[*read.measure].levels.count;
  }
  read.tree = RangeTree(read.leaves + schema.pads() - 1, branching, /*apart=*/true);
  return read;
}

int64_t RecordsView::LeafOf(const std::vector<int64_t>& places) const {
  int64_t leaf = 0;
  for (size_t i = 0; i < attributes.size(); ++i) {
    leaf = leaf * sizes[i] + places[attributes[i]] / joined[i];
  }
  return leaf;
}

std::optional<size_t> RecordsView::PlaceOf(size_t attribute) const {
  const auto at = std::find(attributes.begin(), attributes.end(), attribute);
  if (at == attributes.end()) return std::nullopt;
  return static_cast<size_t>(at - attributes.begin());
}

RecordsView::Joined RecordsView::BinsOf(const RecordSchema& schema, size_t place,
                                        int64_t value) const {
  const int64_t size = schema.attributes[attributes[place]].size();
  return {.begin = value * joined[place], .end = std::min((value + 1) * joined[place], size)};
}

std::string RecordsView::Describe(const RecordSchema& schema) const {
  std::string text = attributes.empty()
                         ? "all records"
                         : absl::StrJoin(attributes, " by ", [&](std::string* out, size_t of) {
                             absl::StrAppend(out, schema.attributes[of].name);
                           });
  if (measure.has_value()) absl::StrAppend(&text, " with ", schema.measures[*measure].name);
  if (tree.levels() > 1) {
    absl::StrAppend(&text, ", a tree of ", tree.levels(), " levels over ", leaves, " bins");
  } else if (!attributes.empty()) {
    absl::StrAppend(&text, ", ", absl::StrJoin(sizes, " x "), " cells");
  }
  return text;
}

absl::StatusOr<RecordCells> RecordCells::Read(const v1::Records& wire) {
  RecordCells read;
  TOMBOLA_ASSIGN_OR_RETURN(read.schema, RecordSchema::Read(wire));
  if (wire.views_size() < 1 || wire.views_size() > kMostViews) {
    return OutOfBounds("task.records.views", absl::StrCat("1 to ", kMostViews));
  }
  int64_t levels = 0;
  for (const v1::View& view : wire.views()) {
    TOMBOLA_ASSIGN_OR_RETURN(RecordsView one, RecordsView::Read(read.schema, view));
    one.first = read.cells;
    read.cells += one.cells();
    levels += one.tree.levels();
    read.views.push_back(std::move(one));
  }
  if (read.cells > mechanism::kLargestDomain) {
    return OutOfBounds("task.records.views",
                       absl::StrCat("of at most ", mechanism::kLargestDomainText,
                                    " cells together, but they have ", read.cells));
  }
  const int64_t most = read.schema.max_records;
  if (most * levels > mechanism::kMostHeld) {
    return OutOfBounds("task.records.max_records",
                       absl::StrCat("at most ", mechanism::kMostHeld / levels, " with the ", levels,
                                    " levels of all views: a device says every record on each"));
  }
  read.filling = {.held = most * levels, .sent = most * levels, .units = read.schema.max_alike};
  if (const int64_t filled = read.schema.pads() * levels; read.cells < 2 * filled) {
    return OutOfBounds(
        "task.records.max_records",
        absl::StrCat("less, or max_alike more: a device fills ", filled,
                     " cells, and may fill half of the ", read.cells, " cells that there are"));
  }
  TOMBOLA_RETURN_IF_ERROR(mechanism::ValidateFilling(read.filling, read.cells));
  return read;
}

absl::StatusOr<std::shared_ptr<const Kind>> RecordsKind::Read(const v1::Task& task) {
  if (!task.has_records() || task.has_items() || task.has_levels() || task.has_numbers()) {
    return absl::InvalidArgumentError(
        "task.records must be set for records, task.items, levels and numbers absent");
  }
  if (!task.domain().labels().empty() || task.domain().has_other()) {
    return absl::InvalidArgumentError("task.domain.labels and other must be absent for records");
  }
  TOMBOLA_ASSIGN_OR_RETURN(RecordCells cells, RecordCells::Read(task.records()));
  if (task.domain().size() != static_cast<uint64_t>(cells.cells)) {
    return absl::InvalidArgumentError(absl::StrCat("task.domain.size is ", task.domain().size(),
                                                   "; the views of task.records have ", cells.cells,
                                                   " cells"));
  }
  TOMBOLA_ASSIGN_OR_RETURN(auto mechanism,
                           mechanism::FromProto(task.mechanism(), cells.cells, cells.filling));
  if (!CountsRecords(*mechanism)) {
    return absl::InvalidArgumentError(
        absl::StrCat("task.mechanism is ", mechanism->name(),
                     "; records are counted by mechanisms whose reports say what a device holds: "
                     "pure_dump, aue and, where max_alike is 1, correlated"));
  }
  return std::make_shared<const RecordsKind>(std::move(cells), std::move(mechanism));
}

RecordsKind::RecordsKind(RecordCells cells, std::shared_ptr<const mechanism::Mechanism> mechanism)
    : cells_(std::move(cells)), tables_({mechanism}), scheme_(std::move(mechanism)) {}

double RecordsKind::PredictedMse(int64_t submissions) const {
  return mechanism::EstimateVariance(tables_[0]->count_model(), {.submissions = submissions},
                                     /*frequency=*/0);
}

bool CountsRecords(const mechanism::Mechanism& mechanism) {
  const mechanism::CountModel model = mechanism.count_model();
  return model.support.holder == 1 && model.support.other == 0 &&
         model.noise != mechanism::CountModel::Noise::kNone;
}

}  // namespace tombola
