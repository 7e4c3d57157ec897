// The fixture of what every batch ledger must do; ledger_contract_test.cc has the tests, and an
// engine instantiates them:
//
//   INSTANTIATE_TEST_SUITE_P(Sqlite, LedgerContractTest, ::testing::Values(SqliteEngine()));
#ifndef TOMBOLA_COLLECTOR_STORE_TEST_LEDGER_H_
#define TOMBOLA_COLLECTOR_STORE_TEST_LEDGER_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "collector/store/batch_ledger.h"

namespace tombola::collector {

inline TaskId TaskOf(uint8_t n) {
  TaskId id{};
  id[31] = n;
  return id;
}

inline BatchId BatchOf(uint8_t n) {
  BatchId id{};
  id[0] = n;
  return id;
}

inline Counts OneTable(int64_t reports, std::vector<int64_t> counts) {
  return {.tables = {{.reports = reports,
                      .counts = std::move(counts),
                      .hashes = {.functions = {reports, 0}, .buckets = {0, reports}}}}};
}

// Of task 1, part 0.
inline BatchRecord Counted(uint8_t batch, int64_t good, std::vector<int64_t> counts) {
  BatchRecord record;
  record.batch = BatchOf(batch);
  record.of = {.task = TaskOf(1), .key = {7}, .part = 0};
  record.manifest_digest.fill(batch);
  record.good = good;
  record.tally = {.submissions = good - 1, .fakes = 1};
  record.users = good - 2;
  record.rejected = {.unopened = 1, .malformed = 20, .out_of_range = 300};
  record.duplicates = batch;
  record.counts = OneTable(good, std::move(counts));
  return record;
}

inline BatchRecord Quarantined(uint8_t batch, int64_t good) {
  BatchRecord record = Counted(batch, good, {});
  record.counts = {};
  record.state = BatchState::kQuarantined;
  return record;
}

// Where an engine keeps one ledger.
class LedgerWorld {
 public:
  virtual ~LedgerWorld() = default;
  // Empty at first. The ledger that was opened before is gone.
  virtual absl::StatusOr<std::unique_ptr<BatchLedger>> Open() = 0;
  // The next Open finds what a process leaves that is killed at this moment.
  virtual void Crash() = 0;
};

struct LedgerEngine {
  std::string name;
  std::function<std::unique_ptr<LedgerWorld>()> make_world;

  friend void PrintTo(const LedgerEngine& engine, std::ostream* out) { *out << engine.name; }
};

class LedgerContractTest : public ::testing::TestWithParam<LedgerEngine> {
 protected:
  LedgerContractTest() : world_(GetParam().make_world()) { Restart(); }

  void Restart() {
    ledger_.reset();
    auto ledger = world_->Open();
    ASSERT_TRUE(ledger.ok()) << ledger.status();
    ledger_ = *std::move(ledger);
  }
  void Crash() {
    world_->Crash();
    Restart();
  }
  std::vector<int64_t> CountsOf(const TaskId& task) const {
    const auto totals = ledger_->Totals(task);
    return totals->counts.tables.empty() ? std::vector<int64_t>()
                                         : totals->counts.tables.front().counts;
  }

  std::unique_ptr<LedgerWorld> world_;
  std::unique_ptr<BatchLedger> ledger_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_STORE_TEST_LEDGER_H_
