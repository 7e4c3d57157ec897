// The shuffler's store: taking n submissions of one sealed report of 84 bytes each, refusing what
// is beyond its limits, opening it again with all of them held, and releasing them.
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "bench/growth_stage.h"
#include "common/base/encoding.h"
#include "common/random/secure_random.h"
#include "shuffler/embedded/embedded_store.h"
#include "shuffler/release/batch_release.h"

namespace tombola::bench {
namespace {

using shuffler::Store;
using shuffler::StoreOptions;

constexpr size_t kSealedBytes = 84;
constexpr size_t kIdBytes = 16;
constexpr int64_t kCall = 10000;
constexpr TaskId kTask{1};
constexpr KeyId kKey{2};

StoreOptions OptionsFor(const std::string& directory) {
  StoreOptions options;
  options.directory = directory + "/store";
  options.log_salt = 7;
  return options;
}

std::unique_ptr<Store> Open(const StoreOptions& options) {
  absl::StatusOr<std::unique_ptr<Store>> store = shuffler::EmbeddedStore::Open(options);
  Require(store.ok(), "opening the store");
  Require((*store)->AddTask(kTask, kSealedBytes, 1).ok(), "adding the task");
  return *std::move(store);
}

// Calls of 10,000 fresh submissions, one at a time. How many submissions were accepted.
int64_t Submit(Store& store, int64_t n) {
  std::string ids(kCall * kIdBytes, 'i'), reports(kCall * kSealedBytes, 'r');
  int64_t accepted = 0;
  for (int64_t done = 0; done < n; done += kCall) {
    for (int64_t i = 0; i < kCall; ++i) {
      const int64_t number = done + i;
      std::memcpy(&ids[static_cast<size_t>(i) * kIdBytes], &number, sizeof(number));
      std::memcpy(&reports[static_cast<size_t>(i) * kSealedBytes], &number, sizeof(number));
    }
    std::promise<bool> answer;
    store.Accept({{kTask, kKey}, 7, AsBytes(ids), {}, AsBytes(reports)},
                 [&](auto outcomes) { answer.set_value(outcomes.ok()); });
    if (answer.get_future().get()) accepted += kCall;
  }
  return accepted;
}

class Take : public GrowthStage {
 public:
  void SetUp(int64_t n, const std::string& directory) override {
    n_ = n;
    store_ = Open(OptionsFor(directory));
  }
  void Run() override { Require(Submit(*store_, n_) == n_, "taking all"); }

 private:
  int64_t n_ = 0;
  std::unique_ptr<Store> store_;
};

// Room for 100,000 submissions, however many come.
class TakeUntilFull final : public GrowthStage {
 public:
  void SetUp(int64_t n, const std::string& directory) override {
    n_ = n;
    StoreOptions options = OptionsFor(directory);
    options.limits.held_reports = options.limits.held_reports_per_task = kRoom;
    store_ = Open(options);
  }
  void Run() override {
    Require(Submit(*store_, n_) == std::min(n_, kRoom), "taking what there is room for");
  }

 private:
  static constexpr int64_t kRoom = 100000;
  int64_t n_ = 0;
  std::unique_ptr<Store> store_;
};

class Recover : public GrowthStage {
 public:
  void Prepare(int64_t n, const std::string& directory) override {
    const std::unique_ptr<Store> store = Open(OptionsFor(directory));
    Require(Submit(*store, n) == n, "taking all");
  }
  void SetUp(int64_t n, const std::string& directory) override {
    n_ = n;
    directory_ = directory;
  }
  void Run() override {
    store_ = Open(OptionsFor(directory_));
    Require(store_->Held().front().submissions == n_, "finding all");
  }

 protected:
  int64_t n_ = 0;
  std::string directory_;
  std::unique_ptr<Store> store_;
};

// What recovering took is in its memory, as it is in a daemon's that was restarted.
class Release final : public Recover {
 public:
  void SetUp(int64_t n, const std::string& directory) override {
    Recover::SetUp(n, directory);
    store_ = Open(OptionsFor(directory_));
  }
  void Run() override {
    SecureRandom random;
    const auto manifest = [](const Manifest&) { return std::string("manifest"); };
    const auto release =
        shuffler::BatchRelease::Create({.scratch_directory = directory_ + "/scratch"});
    Require(release.ok(), "making room");
    const auto totals =
        release->Run(*store_, {.of = {kTask, kKey}, .make_manifest = manifest}, random);
    Require(totals.ok() && totals->reports_out == n_, "releasing");
  }
};

}  // namespace

std::unique_ptr<GrowthStage> GrowStore() { return std::make_unique<Take>(); }
std::unique_ptr<GrowthStage> GrowFullStore() { return std::make_unique<TakeUntilFull>(); }
std::unique_ptr<GrowthStage> GrowRecover() { return std::make_unique<Recover>(); }
std::unique_ptr<GrowthStage> GrowRelease() { return std::make_unique<Release>(); }

}  // namespace tombola::bench
