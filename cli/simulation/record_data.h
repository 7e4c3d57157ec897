// Which cells the devices of a task of records fill, as often as it is asked.
#ifndef TOMBOLA_CLI_SIMULATION_RECORD_DATA_H_
#define TOMBOLA_CLI_SIMULATION_RECORD_DATA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "cli/simulation/generator.h"
#include "cli/simulation/record_population.h"
#include "client/place/records.h"
#include "common/kind/records.h"
#include "common/table/tables.h"

namespace tombola::simulation {

// Some records of a view: how many there are and what its measure adds up to, 0 without one. Where
// max_alike caps what counts, true is what it lets through.
struct RecordMoments {
  double count = 0;
  double sum = 0;
  // Expected of what devices say, which choose among more than they can; and the variances and the
  // covariance of that choice.
  double said_count = 0;
  double said_sum = 0;
  double count_variance = 0;
  double sum_variance = 0;
  double covariance = 0;
  // What the coins by which measures become levels add to the variance of the sum.
  double rounded = 0;
};

struct ViewMoments {
  std::vector<RecordMoments> leaves;
  // Only where nothing is capped: of all leaves together; and, where the leaves are in a row, the
  // variance of the choice for a range of them, averaged over all ranges.
  std::optional<RecordMoments> whole;
  double range_variance = 0;
};

// A population and the cells of its task. Immutable and thread-safe, given a Generator for each
// thread.
class RecordData {
 public:
  RecordData(std::shared_ptr<const RecordPopulation> population, RecordCells cells);
  RecordData(const RecordData&) = delete;
  RecordData& operator=(const RecordData&) = delete;

  const RecordCells& cells() const { return cells_; }
  int64_t users() const { return population_->users(); }
  // One for each view.
  absl::Span<const ViewMoments> views() const { return views_; }

  // The cells that one device fills this time, as the SDK does it.
  mechanism::Cells Place(int64_t user, Generator& random) const {
    return client::PlaceRows(cells_, population_->RowsOf(user), random);
  }

  // How often each cell is filled: the joint law of Place for all devices, with one draw for each
  // leaf and number instead of one for each record.
  std::vector<int64_t> DrawFilled(Generator& random) const;

  // The same population and cells, the same number; others hardly ever.
  uint64_t digest() const { return digest_; }

 private:
  // Records of a view with a measure that are in one leaf and have the same number.
  struct Alike {
    const RecordsView* view;
    int64_t leaf;
    Levels::Place place;
    int64_t records;
  };

  void AddUser(int64_t user);
  void AddFixed(const std::vector<client::PlacedRow>& rows);
  void JoinAlike();

  std::shared_ptr<const RecordPopulation> population_;
  RecordCells cells_;
  std::vector<ViewMoments> views_;
  std::vector<int64_t> fixed_;  // how often cells are filled for certain
  std::vector<Alike> alike_;
  std::vector<int64_t> crowded_;  // the devices that choose
  uint64_t digest_ = 0;
};

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_RECORD_DATA_H_
