// Small verbs for the tests of stores.
#ifndef TOMBOLA_SHUFFLER_STORE_STORE_HARNESS_H_
#define TOMBOLA_SHUFFLER_STORE_STORE_HARNESS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "gtest/gtest.h"
#include "shuffler/store/store.h"

namespace tombola::shuffler {

inline constexpr int64_t kSealedBytes = 58;
inline constexpr int64_t kMostReports = 4;

TaskId TaskNumber(uint8_t number);
KeyId KeyNumber(uint8_t number);

// Submissions are known by number: the id and the sealed report of one are made from it, and the
// report tells it again.
std::string IdOf(uint64_t number);
std::string ReportOf(uint64_t number);
uint64_t NumberOf(absl::string_view report);

std::vector<uint64_t> Range(uint64_t first, uint64_t last);

// One call, with one report a submission, and its answer.
struct Call {
  std::vector<uint64_t> numbers;
  TaskId task = TaskNumber(1);
  KeyId key = KeyNumber(1);
  uint64_t part = 0;
  uint32_t window = 7;
};
absl::StatusOr<std::vector<Outcome>> Submit(Store& store, const Call& call);

// The same of a stream: each submission has one report for each node.
struct PeriodCall {
  std::vector<uint64_t> numbers;
  uint64_t period = 1;
  std::vector<uint64_t> nodes;  // the first is the period's own
  TaskId task = TaskNumber(1);
  uint32_t window = 7;
};
absl::StatusOr<std::vector<Outcome>> SubmitToPeriod(Store& store, const PeriodCall& call);
// What the reports of a node are held under.
BatchKey OfNode(uint64_t node, const TaskId& task = TaskNumber(1));
// What the report of a submission says for a node, as a number; and of several submissions.
uint64_t InNode(uint64_t number, uint64_t node);
std::vector<uint64_t> InNode(const std::vector<uint64_t>& numbers, uint64_t node);

// The numbers of a batch's reports, in its order.
absl::StatusOr<std::vector<uint64_t>> NumbersIn(const Store& store, const BatchId& batch);
std::string BytesIn(const Store& store, const BatchId& batch);
// The numbers of all batches in the outbox.
std::multiset<uint64_t> NumbersInOutbox(const Store& store);
int64_t HeldSubmissions(const Store& store);

// Every file below a directory: its path from there, and its bytes.
std::map<std::string, std::string> FilesIn(const std::string& directory);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_STORE_HARNESS_H_
