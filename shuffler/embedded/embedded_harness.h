// What the tests of the embedded store share.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_EMBEDDED_HARNESS_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_EMBEDDED_HARNESS_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "shuffler/embedded/embedded_store.h"
#include "shuffler/release/batch_release.h"
#include "shuffler/store/store_harness.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {

class StoreTest : public ::testing::Test {
 protected:
  using MakeManifest = std::function<absl::StatusOr<std::string>(const Manifest&)>;

  StoreTest() {
    options_.directory = scratch_.path() + "/store";
    release_options_.scratch_directory = scratch_.path() + "/blocks";
  }

  // Opens, or closes and opens again, with the task added.
  void Reopen();

  std::vector<Outcome> Submit(const Call& call);
  // How many of these are accepted; the others must be duplicates.
  int64_t Accepted(const Call& call);
  // Of what is held under a key of the task.
  Manifest Release(const KeyId& key = KeyNumber(1));
  absl::StatusOr<Manifest> TryRelease(const MakeManifest& make_manifest = PlainManifest);
  absl::StatusOr<Manifest> TryRelease(Store& store, const BatchKey& of,
                                      const MakeManifest& make_manifest = PlainManifest);
  absl::Status Erase(const BatchId& batch) { return store_->Erase(batch, BatchEnd::kForwarded); }
  std::multiset<uint64_t> InOutbox() const { return NumbersInOutbox(*store_); }
  int64_t HeldSubmissions() const { return shuffler::HeldSubmissions(*store_); }

  static absl::StatusOr<std::string> PlainManifest(const Manifest&) { return "manifest"; }

  const TaskId task_ = TaskNumber(1);
  const KeyId key_ = KeyNumber(1);
  const BatchKey of_ = {task_, key_};
  ScratchDirectory scratch_{ScratchDirectory::Place::kMemory};
  StoreOptions options_;
  ReleaseOptions release_options_;
  SeededRandom random_{42};
  std::unique_ptr<EmbeddedStore> store_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_EMBEDDED_HARNESS_H_
