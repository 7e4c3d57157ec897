// The fixture of what every store must do; store_contract_test.cc and
// store_release_contract_test.cc have the tests, and an engine instantiates them:
//
//   INSTANTIATE_TEST_SUITE_P(Embedded, StoreContractTest, ::testing::Values(EmbeddedEngine()));
#ifndef TOMBOLA_SHUFFLER_STORE_CONTRACT_HARNESS_H_
#define TOMBOLA_SHUFFLER_STORE_CONTRACT_HARNESS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/batch_key.h"
#include "common/crypto/sha256.h"
#include "gtest/gtest.h"
#include "shuffler/store/store.h"
#include "shuffler/store/store_harness.h"

namespace tombola::shuffler {

// Where an engine keeps one store.
class StoreWorld {
 public:
  virtual ~StoreWorld() = default;
  // Empty at first. The store that was opened before is gone.
  virtual absl::StatusOr<std::unique_ptr<Store>> Open() = 0;
  // The next Open finds what a process leaves that is killed at this moment, whatever the store
  // that is still open does before it goes.
  virtual void Crash() = 0;
};

struct StoreEngine {
  std::string name;
  std::function<std::unique_ptr<StoreWorld>()> make_world;

  friend void PrintTo(const StoreEngine& engine, std::ostream* out) { *out << engine.name; }
};

// The nodes that cover a period of the stream of the tests.
std::vector<uint64_t> NodesOver(uint64_t period);

// The sum of the digests of these submissions' reports.
crypto::Sha256Digest SumOf(const BatchKey& of, const std::vector<uint64_t>& numbers);

class StoreContractTest : public ::testing::TestWithParam<StoreEngine> {
 protected:
  StoreContractTest() : world_(GetParam().make_world()) { Reopen(); }

  // Closes and opens again, with the task added.
  void Reopen();
  // The same after a kill.
  void Crash();

  // Sends what must be acknowledged, and says nothing of which were known.
  void Send(const Call& call);
  // The same of a stream of four periods whose nodes begin after 0, 0, 2 and 0.
  void SendToPeriod(uint64_t period, const std::vector<uint64_t>& numbers, uint32_t window = 7);
  // Publishes all that is held under the key, in the order in which it is read, under a batch id of
  // its own.
  absl::StatusOr<Manifest> TryRelease(const BatchKey& of);
  Manifest Release(const BatchKey& of);
  Manifest Release() { return Release(of_); }
  absl::Status Erase(const BatchId& batch) { return store_->Erase(batch, BatchEnd::kForwarded); }
  std::multiset<uint64_t> InOutbox() const { return NumbersInOutbox(*store_); }
  // Whether something is held under the key.
  bool Holds(const BatchKey& of) const;

  const TaskId task_ = TaskNumber(1);
  const KeyId key_ = KeyNumber(1);
  const BatchKey of_ = {task_, key_};
  std::unique_ptr<StoreWorld> world_;
  std::unique_ptr<Store> store_;
  uint8_t batches_ = 0;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_CONTRACT_HARNESS_H_
