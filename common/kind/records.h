// A device holds up to so many records; asked is how many records meet conditions, and what a
// number of theirs adds up to.
#ifndef TOMBOLA_COMMON_KIND_RECORDS_H_
#define TOMBOLA_COMMON_KIND_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/kind/bins.h"
#include "common/kind/kind.h"
#include "common/kind/levels.h"
#include "common/mechanism/mechanism.h"
#include "common/ranges/range_tree.h"
#include "common/table/filling.h"
#include "tombola/v1/task.pb.h"

namespace tombola {

inline constexpr int kMostViews = 64;
inline constexpr int kMostTogether = 3;  // attributes of a view

// What records are told apart by. Immutable.
struct Attribute {
  std::string name;
  std::optional<Bins> bins;         // of a number
  std::vector<std::string> labels;  // else
  absl::flat_hash_map<std::string, int64_t> by_label = {};

  int64_t size() const {
    return bins.has_value() ? bins->size() : static_cast<int64_t>(labels.size());
  }
  // "[18, 91]", or "one of its 16 labels".
  std::string Bounds() const;
};

struct Measure {
  std::string name;
  Levels levels;
};

// The attributes and measures of records, by their places. Immutable.
struct RecordSchema {
  std::vector<Attribute> attributes;
  std::vector<Measure> measures;
  int64_t max_records = 0;
  int64_t max_alike = 0;  // how many records of a device one leaf counts; divides max_records

  // How many leaves of a view stand for records that there are not.
  int64_t pads() const { return max_records / max_alike; }

  // All of the message but its views. InvalidArgument naming the field and its bound.
  static absl::StatusOr<RecordSchema> Read(const v1::Records& wire);

  // The place of a name. InvalidArgument naming it, and what names there are.
  absl::StatusOr<size_t> AttributeNamed(absl::string_view name) const;
  absl::StatusOr<size_t> MeasureNamed(absl::string_view name) const;
};

// Some attributes together, whose combinations are leaves of a tree; the cells of its nodes; and
// pads, which are further leaves, for records that there are not, the last of which stands apart.
// Immutable.
struct RecordsView {
  std::vector<size_t> attributes;
  std::vector<int64_t> joined;  // for each: so many bins are one
  std::vector<int64_t> sizes;   // for each: how many are left
  int64_t leaves = 1;           // their product
  std::optional<size_t> measure;
  int64_t levels = 1;  // of the measure
  RangeTree tree;
  int64_t first = 0;  // of its cells in the table

  // Fields as v1::View says. InvalidArgument naming the field and its bound.
  static absl::StatusOr<RecordsView> Read(const RecordSchema& schema, const v1::View& wire);

  int64_t cells() const { return tree.cells() * levels; }
  uint64_t CellOf(int64_t leaf, int64_t tree_level, int64_t measure_level) const {
    return static_cast<uint64_t>(first) +
           tree.CellOf(leaf, tree_level) * static_cast<uint64_t>(levels) +
           static_cast<uint64_t>(measure_level);
  }
  // Of a record that has these bins and labels, one for each attribute of the schema.
  int64_t LeafOf(const std::vector<int64_t>& places) const;
  // Of the i-th record that there is not: max_alike of them fill one pad.
  int64_t PadOf(const RecordSchema& schema, int64_t i) const {
    return leaves + i / schema.max_alike;
  }
  // The place of an attribute among the view's; absent if it has none.
  std::optional<size_t> PlaceOf(size_t attribute) const;
  // The bins [begin, end) of an attribute of the schema that its i-th value here joins.
  struct Joined {
    int64_t begin = 0, end = 0;
  };
  Joined BinsOf(const RecordSchema& schema, size_t place, int64_t value) const;
  // "age by education, 25 x 16 cells", "age, a tree of 3 levels over 74 bins"; with its measure.
  std::string Describe(const RecordSchema& schema) const;
};

// What is counted of records: the views' cells, one view after the other.
struct RecordCells {
  RecordSchema schema;
  std::vector<RecordsView> views;
  int64_t cells = 0;
  // max_records reports for each level of each view's tree, of which max_alike may name one cell.
  mechanism::Filling filling;

  // InvalidArgument naming the field and its bound, also where there are more cells than a table
  // has or more reports than a device sends.
  static absl::StatusOr<RecordCells> Read(const v1::Records& wire);
};

// One table, counted by the task's mechanism, which says what a device holds as it is, among noise.
// A device sends as many reports of its own whatever number of records it has.
class RecordsKind final : public Kind {
 public:
  static constexpr absl::string_view kName = "records";

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<std::shared_ptr<const Kind>> Read(const v1::Task& task);

  RecordsKind(RecordCells cells, std::shared_ptr<const mechanism::Mechanism> mechanism);

  absl::string_view name() const override { return kName; }
  const mechanism::Tables& tables() const override { return tables_; }
  const std::shared_ptr<const mechanism::Scheme>& scheme() const override { return scheme_; }
  // Of one cell's records for each device.
  double PredictedMse(int64_t submissions) const override;

  const RecordCells& cells() const { return cells_; }

 private:
  RecordCells cells_;
  mechanism::Tables tables_;
  std::shared_ptr<const mechanism::Scheme> scheme_;
};

// Whether records can be counted by what a mechanism does: reports say what a device holds, so that
// sums of counts are off by noise alone, which is of one law for all cells.
bool CountsRecords(const mechanism::Mechanism& mechanism);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_RECORDS_H_
