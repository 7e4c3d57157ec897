// What a device holds and what can be asked about it, as a value that reads itself from a task.
#ifndef TOMBOLA_COMMON_KIND_KIND_H_
#define TOMBOLA_COMMON_KIND_KIND_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "common/scheme/nodes.h"
#include "common/scheme/scheme.h"
#include "common/table/count_model.h"
#include "common/table/tables.h"

namespace tombola {

// A kind turns a device's record into cells of tables (client/place), and estimates of cells into
// an answer (collector/answer); here stands what both must agree on. Who neither fills nor counts
// tables sees the scheme alone (Task::scheme). Immutable and thread-safe.
class Kind {
 public:
  virtual ~Kind() = default;

  // As on the command line, e.g. "histogram".
  virtual absl::string_view name() const = 0;
  virtual const mechanism::Tables& tables() const = 0;
  // Of a part (Task::HasPart), where nodes have noise of their own: of the same cells and layout.
  virtual const mechanism::Tables& TablesOf(uint64_t /*part*/) const { return tables(); }
  // What filled one table: `all` is the tally of the batches, `reports` what the table had of them.
  // All of it, as every device fills every table, unless the kind says otherwise.
  virtual mechanism::Tally TallyOf(size_t /*table*/, const mechanism::Tally& all,
                                   int64_t /*reports*/) const {
    return all;
  }
  // How the submissions hide each other, of what the kind lets a device fill. Its report_bytes are
  // those of the tables.
  virtual const std::shared_ptr<const mechanism::Scheme>& scheme() const = 0;
  // Of how many values a device keeps a memo; 0 where it draws each submission anew.
  virtual int64_t memo_values() const { return 0; }
  // What a device holds and what is counted in one batch: this, or what a stream is of.
  virtual const Kind& OfOneBatch() const { return *this; }
  // Where a submission says something in several batches; null where it is in one.
  virtual const mechanism::Nodes* nodes() const { return nullptr; }
  // The expected squared error of a number in the answer, before post-processing, for one batch of
  // this many submissions, >= 1.
  virtual double PredictedMse(int64_t submissions) const = 0;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_KIND_H_
