// From cells to what a device sends: noise, sealing, and the call.
#ifndef TOMBOLA_CLIENT_SESSION_SUBMISSION_SEALER_H_
#define TOMBOLA_CLIENT_SESSION_SUBMISSION_SEALER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/encode/submission.h"
#include "client/ledger/ledger.h"
#include "client/seal/report_sealer.h"
#include "common/base/ids.h"
#include "common/random/random_source.h"
#include "common/table/tables.h"
#include "common/task/key_list.h"
#include "common/task/task.h"
#include "tombola/v1/shuffler.pb.h"

namespace tombola::client {

// What a submission that is made now is sealed for.
struct Recipient {
  uint64_t part = 0;
  std::vector<HpkeKey> keys;  // one for each of Task::PartsOf(part)
};

// Makes submissions for one recipient. Of a stream a submission says the same in every node over
// its period, each time with noise of its own, as the node's mechanism has it, and sealed for that
// node alone: nothing but the submission they are sent in ties its groups together. How many groups
// there are depends on the period alone. Not thread-safe.
class SubmissionSealer {
 public:
  // The task outlives it.
  static absl::StatusOr<SubmissionSealer> Create(const Task& task, const Recipient& recipient);

  // What was in `groups` gives way to those of a submission that fills these cells.
  absl::Status Seal(const mechanism::Cells& cells, RandomSource& random,
                    std::vector<SealedGroup>* groups);
  // The same of a submission that is this one report, in one batch.
  absl::Status SealReport(absl::string_view report, RandomSource& random,
                          std::vector<SealedGroup>* groups);

 private:
  struct Group {
    KeyId key;
    uint64_t part;
    SubmissionEncoder encoder;
    ReportSealer sealer;
  };

  explicit SubmissionSealer(std::vector<Group> groups) : groups_(std::move(groups)) {}

  std::vector<Group> groups_;
  std::string plaintext_;
};

// A call with submissions of one part, made in one retry window. Each must have the groups of the
// first.
class SubmitCall {
 public:
  // The task outlives it.
  SubmitCall(const Task& task, uint64_t part, uint64_t window);

  void Add(const SubmissionId& id, const std::vector<SealedGroup>& groups);
  const v1::SubmitRequest& request() const { return request_; }

 private:
  const Task& task_;
  v1::SubmitRequest request_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_SESSION_SUBMISSION_SEALER_H_
