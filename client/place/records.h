// Records, or a choice of them, each at a node of every level of every view.
#ifndef TOMBOLA_CLIENT_PLACE_RECORDS_H_
#define TOMBOLA_CLIENT_PLACE_RECORDS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "client/place/placer.h"
#include "common/kind/records.h"

namespace tombola::client {

// A record is a list of rows, none of them too; a row has a value for every attribute and every
// measure of the task, and may have others, which are not looked at. Of more rows than the task's
// max_records a uniform choice is kept, and of more than max_alike that are alike in a view's
// attributes so many of them, uniformly chosen for each view; for each that there is less, a pad of
// the view is filled. A measure between two levels becomes either, by one coin for each view, so
// that its mean is kept. InvalidArgument, naming the attribute or the measure and its bounds: a
// value is missing, there twice, of the wrong kind, or outside.
//
// The cells are as many for no row as for any number of them, and so are those of a table.
class RecordsPlacer final : public Placer {
 public:
  static std::unique_ptr<Placer> Make(std::shared_ptr<const Task> task);

  absl::StatusOr<mechanism::Cells> Place(const RecordView& record,
                                         RandomSource& random) const override;

 private:
  explicit RecordsPlacer(std::shared_ptr<const Task> task);

  std::shared_ptr<const Task> task_;
};

// A row as the task's cells have it.
struct PlacedRow {
  std::vector<int64_t> places;  // for each attribute: its bin or its label
  std::vector<double> numbers;  // for each measure
};

// The steps of Place. The first has its errors.
absl::StatusOr<PlacedRow> ReadRow(const RecordSchema& schema, const Row& row);
mechanism::Cells PlaceRows(const RecordCells& cells, std::vector<PlacedRow> rows,
                           RandomSource& random);

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_PLACE_RECORDS_H_
