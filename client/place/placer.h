// The first stage on a device: what it holds becomes the cells of tables that it fills.
#ifndef TOMBOLA_CLIENT_PLACE_PLACER_H_
#define TOMBOLA_CLIENT_PLACE_PLACER_H_

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/random/random_source.h"
#include "common/table/tables.h"
#include "common/task/task.h"
#include "tombola/record.h"

namespace tombola::client {

// A Record (tombola/record.h) that somebody else owns.
using RecordView =
    std::variant<absl::string_view, absl::Span<const std::string>, absl::Span<const KeyValue>,
                 std::optional<double>, absl::Span<const Row>>;

// Of one task. Immutable and thread-safe, given a RandomSource for each thread.
//
// Guarantees: as many cells of a table as Table::filling says, and no more of them alike, so that a
// device has what its task's scheme accounts for. Neither how many cells there are nor which tables
// they are of tells anything of the record.
class Placer {
 public:
  virtual ~Placer() = default;

  // The cells of a record. InvalidArgument if it is none of the task's kind, or out of its bounds.
  virtual absl::StatusOr<mechanism::Cells> Place(const RecordView& record,
                                                 RandomSource& random) const = 0;
};

// How the records of each kind are placed. Immutable and thread-safe.
class Placers {
 public:
  struct Entry {
    absl::string_view kind;  // its name
    std::unique_ptr<Placer> (*make)(std::shared_ptr<const Task> task);
  };

  // One for each of Kinds::BuiltIn().
  static const Placers& BuiltIn();

  explicit Placers(std::vector<Entry> entries);

  const std::vector<Entry>& entries() const { return entries_; }

  // The placer of a task, whose kind must be among the entries.
  std::unique_ptr<Placer> Make(std::shared_ptr<const Task> task) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_PLACE_PLACER_H_
