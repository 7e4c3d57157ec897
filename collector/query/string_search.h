// From a question about strings to the state of its search.
#ifndef TOMBOLA_COLLECTOR_QUERY_STRING_SEARCH_H_
#define TOMBOLA_COLLECTOR_QUERY_STRING_SEARCH_H_

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "collector/query/decodings.h"
#include "collector/store/batch_ledger.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// The batches of a task about strings that a question is about.
struct AskedStrings {
  std::shared_ptr<const Task> task;
  const BatchLedger* ledger = nullptr;
  std::optional<PartRange> periods;  // nothing: all
  int64_t counted_batches = 0;       // of the task, as they are now
};

// Asks for the search, which reads the batches when its turn comes. The same search serves all who
// ask for the same strings of the same batches, whatever else they want of the answer.
// Errors as Decodings::Ask, in the end InvalidArgument where the question is out of its bounds, and
// FailedPrecondition if no batch of these periods has been counted.
absl::StatusOr<Decodings::State> AskForStrings(const AskedStrings& asked,
                                               const v1::StringsQuestion& question,
                                               Decodings* decodings);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_STRING_SEARCH_H_
