#include "shuffler/batch/releaser.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/crypto/ed25519_verify.h"
#include "common/crypto/report_digest.h"
#include "common/task/manifest.h"
#include "shuffler/batch/releaser_harness.h"
#include "shuffler/test_parts.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {
namespace {

// With intervals of ten minutes that merge.
class ReleaserTest : public ReleaserHarness {
 protected:
  ReleaserTest()
      : ReleaserHarness([](v1::Task* task) {
          task->mutable_batch_policy()->set_interval(600);
          task->mutable_batch_policy()->set_merge_periods(true);
        }) {}

  void Submit(int count, uint8_t key = 7) { SubmitTo(TestKeyId(key), 0, count); }
};

TEST_F(ReleaserTest, ReleasesWhenThePlannedNumberIsHeld) {
  Submit(9);
  EXPECT_FALSE(releaser_.Step());
  EXPECT_EQ(HeldCount(), 9);
  Submit(1);
  EXPECT_TRUE(releaser_.Step());
  EXPECT_EQ(HeldCount(), 0);
  ASSERT_EQ(store_->Outbox().size(), 1u);
  EXPECT_EQ(store_->Outbox()[0].submissions, 10);
}

TEST_F(ReleaserTest, AtAnIntervalsEndReleasesWhatSufficesAndHoldsOnTheRest) {
  EXPECT_FALSE(releaser_.Step());
  Submit(4);  // below the smallest batch of 5
  clock_.Advance(absl::Minutes(10));
  EXPECT_FALSE(releaser_.Step());
  EXPECT_EQ(HeldCount(), 4);
  Submit(1);
  EXPECT_FALSE(releaser_.Step()) << "no interval has ended since";
  clock_.Advance(absl::Minutes(10));
  EXPECT_TRUE(releaser_.Step());
  EXPECT_EQ(HeldCount(), 0);
}

TEST_F(ReleaserTest, WhatWasHeldForAnIntervalThatEndedWhileItWasDownLeavesAtTheStart) {
  EXPECT_FALSE(releaser_.looked());
  EXPECT_FALSE(releaser_.Step());
  EXPECT_TRUE(releaser_.looked());
  Submit(6);
  EXPECT_FALSE(releaser_.Step());
  clock_.Advance(absl::Minutes(10));
  intervals_ = *Intervals::Open(scratch_.In("intervals"));
  Releaser again(Parts());
  EXPECT_TRUE(again.Step());
  EXPECT_EQ(HeldCount(), 0);
  Submit(6);
  intervals_ = *Intervals::Open(scratch_.In("intervals"));
  Releaser third(Parts());
  EXPECT_FALSE(third.Step()) << "it has been acted upon, and none has ended since";
  EXPECT_EQ(HeldCount(), 6);
}

TEST_F(ReleaserTest, AnIntervalsEndIsNotActedUponByAClockInDoubt) {
  EXPECT_FALSE(releaser_.Step());
  Submit(6);
  clock_.SetDoubt(true);
  clock_.Advance(absl::Minutes(10));
  Releaser again(Parts());
  EXPECT_FALSE(again.Step());
  EXPECT_FALSE(again.looked()) << "until then nothing new may join what is held";
  EXPECT_EQ(HeldCount(), 6);
  clock_.SetDoubt(false);
  EXPECT_TRUE(again.Step());
  EXPECT_TRUE(again.looked());
}

TEST_F(ReleaserTest, ABatchHoldsOneKeyOnly) {
  Submit(6, 7);
  Submit(6, 8);
  EXPECT_FALSE(releaser_.Step()) << "twelve are held, but no key has the planned ten";
  Submit(4, 8);
  EXPECT_TRUE(releaser_.Step());
  ASSERT_EQ(store_->Outbox().size(), 1u);
  EXPECT_EQ(store_->Outbox()[0].of.key, TestKeyId(8));
  EXPECT_EQ(HeldCount(), 6);
}

TEST_F(ReleaserTest, WhenTheTaskClosesReleasesWhatSufficesAndDestroysTheRest) {
  Submit(5, 7);
  Submit(4, 8);
  ASSERT_TRUE(catalog_->Update(CatalogOf(2, *task_, /*closed=*/true)).ok());
  EXPECT_TRUE(releaser_.Step());
  EXPECT_EQ(HeldCount(), 0);
  EXPECT_EQ(store_->Outbox().size(), 1u);
  EXPECT_EQ(store_->Counters(task_->id()).expired, 4);
}

TEST_F(ReleaserTest, WhenTheTaskExpiresDoesTheSame) {
  Submit(4);
  clock_.Advance(absl::Hours(24 * 31));
  EXPECT_FALSE(releaser_.Step());
  EXPECT_EQ(HeldCount(), 0);
  EXPECT_EQ(store_->Counters(task_->id()).expired, 4);
  EXPECT_TRUE(store_->Outbox().empty());
}

// Months ahead, the task, its keys and every window seem to be over.
TEST_F(ReleaserTest, InDoubtOfTheClockNothingEndsAndNothingIsDestroyedOrForgotten) {
  EXPECT_FALSE(releaser_.Step());
  Submit(6);
  clock_.SetDoubt(true);
  clock_.Advance(absl::Hours(24 * 91));
  EXPECT_FALSE(releaser_.Step());
  ASSERT_TRUE(catalog_->Update(CatalogOf(2, *task_, /*closed=*/true)).ok());
  EXPECT_FALSE(releaser_.Step());
  EXPECT_EQ(HeldCount(), 6);
  Submit(3);  // of the first window, which is still known
  EXPECT_EQ(HeldCount(), 9);
  Submit(1);
  EXPECT_TRUE(releaser_.Step()) << "what is full leaves by its number";
  clock_.Advance(-absl::Hours(24 * 91));
  clock_.SetDoubt(false);
  EXPECT_FALSE(releaser_.Step());
  EXPECT_EQ(store_->Counters(task_->id()).expired, 0);
}

TEST_F(ReleaserTest, TheManifestIsSignedAndAgreesWithTheBatch) {
  Submit(10);
  ASSERT_TRUE(releaser_.Step());
  const Manifest totals = store_->Outbox()[0];
  v1::BatchHeader header;
  ASSERT_TRUE(header.ParseFromString(*store_->ReadManifest(totals.batch)));
  EXPECT_TRUE(crypto::VerifyEd25519(TestShufflerKey().public_key(),
                                    absl::StrCat(kManifestContext, header.manifest()),
                                    header.signature()));
  const auto manifest = Manifest::Parse(header.manifest());
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->reports_out, 10);
  EXPECT_EQ(manifest->submissions, 10);
  const auto reader = *store_->Read(totals.batch);
  crypto::DigestSum sum;
  while (true) {
    const auto chunk = reader->Next(static_cast<int64_t>(task_->sealed_bytes()));
    ASSERT_TRUE(chunk.ok());
    if (chunk->empty()) break;
    sum.Add(crypto::ReportDigest(task_->id(), totals.of.key, *chunk));
  }
  EXPECT_EQ(sum.Value(), manifest->digest_sum);
}

// The shuffler's own reports: as many as the task says, in among the others, different every time.
TEST_F(ReleaserTest, AddsTheFakesThatTheTaskSays) {
  constexpr int kFakes = 6;
  task_ = MakeTestTask([](v1::Task* task) {
    const v1::LocalHash local_hash = task->mechanism().local_hash();
    *task->mutable_mechanism()->mutable_murs()->mutable_local_hash() = local_hash;
    task->mutable_mechanism()->mutable_murs()->set_fakes(kFakes);
  });
  ASSERT_TRUE(catalog_->Update(CatalogOf(2, *task_)).ok());
  ASSERT_TRUE(store_->AddTask(task_->id(), static_cast<int64_t>(task_->sealed_bytes()), 1).ok());
  Submit(10);
  ASSERT_TRUE(releaser_.Step());
  const Manifest totals = store_->Outbox()[0];
  EXPECT_EQ(totals.submissions, 10);
  EXPECT_EQ(totals.reports_in, 10);
  EXPECT_EQ(totals.fakes, kFakes);
  EXPECT_EQ(totals.reports_out, 10 + kFakes);
  v1::BatchHeader header;
  ASSERT_TRUE(header.ParseFromString(*store_->ReadManifest(totals.batch)));
  const auto manifest = Manifest::Parse(header.manifest());
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->fakes, kFakes);

  const auto reader = *store_->Read(totals.batch);
  crypto::DigestSum sum;
  std::set<std::string> fakes;
  int position = 0, first_fake = -1, last_fake = -1;
  while (true) {
    const auto report = reader->Next(static_cast<int64_t>(task_->sealed_bytes()));
    ASSERT_TRUE(report.ok());
    if (report->empty()) break;
    sum.Add(crypto::ReportDigest(task_->id(), totals.of.key, *report));
    const std::string text(report->begin(), report->end());
    if (text.substr(4) != std::string(task_->sealed_bytes() - 4, 'r')) {
      fakes.insert(text);
      if (first_fake < 0) first_fake = position;
      last_fake = position;
    }
    ++position;
  }
  EXPECT_EQ(position, 10 + kFakes);
  EXPECT_EQ(fakes.size(), static_cast<size_t>(kFakes));
  EXPECT_GE(last_fake - first_fake, kFakes) << "with this seed they do not lie side by side";
  EXPECT_EQ(sum.Value(), manifest->digest_sum);
}

// Nobody can seal to a key that is not known: what is held stays held.
TEST_F(ReleaserTest, HoldsOnWhereFakesCannotBeSealed) {
  task_ = MakeTestTask([](v1::Task* task) {
    const v1::LocalHash local_hash = task->mechanism().local_hash();
    *task->mutable_mechanism()->mutable_murs()->mutable_local_hash() = local_hash;
    task->mutable_mechanism()->mutable_murs()->set_fakes(1);
  });
  ASSERT_TRUE(catalog_->Update(CatalogOf(2, *task_)).ok());
  ASSERT_TRUE(store_->AddTask(task_->id(), static_cast<int64_t>(task_->sealed_bytes()), 1).ok());
  Submit(10, /*key=*/8);
  EXPECT_FALSE(releaser_.Step());
  EXPECT_EQ(HeldCount(), 10);
  EXPECT_TRUE(store_->Outbox().empty());
}

TEST_F(ReleaserTest, WhenAKeysWindowClosesReleasesWhatSufficesAndDestroysTheRest) {
  v1::Catalog wire = CatalogOf(2, *task_);
  *wire.mutable_keys() = RotatedKeys(2, 7, 8);
  // Without an interval whose end could release anything.
  const auto enough = MakeTestTask([](v1::Task* task) { task->set_name("enough"); });
  const auto few = MakeTestTask([](v1::Task* task) { task->set_name("few"); });
  for (const auto& task : {enough, few}) {
    wire.add_tasks()->set_task(task->bytes());
    ASSERT_TRUE(store_->AddTask(task->id(), static_cast<int64_t>(task->sealed_bytes()), 1).ok());
  }
  ASSERT_TRUE(catalog_->Update(wire).ok());
  clock_.Advance(absl::Hours(2) - absl::Minutes(1) - absl::Seconds(1));
  EXPECT_FALSE(releaser_.Step());
  task_ = enough;
  Submit(5, 7);
  Submit(3, 8);
  task_ = few;
  Submit(4, 7);
  EXPECT_FALSE(releaser_.Step());
  EXPECT_EQ(HeldCount(), 12);
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(releaser_.Step());
  ASSERT_EQ(store_->Outbox().size(), 1u);
  EXPECT_EQ(store_->Outbox()[0].of.key, TestKeyId(7));
  EXPECT_EQ(store_->Outbox()[0].submissions, 5);
  EXPECT_EQ(store_->Counters(few->id()).expired, 4);
  EXPECT_EQ(store_->Counters(enough->id()).expired, 0);
  EXPECT_EQ(HeldCount(), 3) << "under the present key things go on";
}

// However many they are: nobody could open them.
TEST_F(ReleaserTest, WhatIsHeldUnderADestroyedKeyExpires) {
  Submit(9, 7);
  EXPECT_FALSE(releaser_.Step());
  v1::Catalog wire = CatalogOf(2, *task_);
  *wire.mutable_keys() = SignedKeys(2, 8);
  ASSERT_TRUE(catalog_->Update(wire).ok());
  EXPECT_FALSE(releaser_.Step());
  EXPECT_EQ(HeldCount(), 0);
  EXPECT_TRUE(store_->Outbox().empty());
  EXPECT_EQ(store_->Counters(task_->id()).expired, 9);
}

// It was made after the copy that the collector was brought back from: nobody could take its batch.
TEST_F(ReleaserTest, WhatIsHeldForATaskThatIsGoneEndsWithItsKey) {
  Submit(10, 7);
  v1::Catalog wire = CatalogOf(2, *task_);
  wire.clear_tasks();
  ASSERT_TRUE(catalog_->Update(wire).ok());
  EXPECT_FALSE(releaser_.Step());
  EXPECT_EQ(HeldCount(), 10);
  *wire.mutable_keys() = SignedKeys(2, 8);
  wire.set_version(3);
  ASSERT_TRUE(catalog_->Update(wire).ok());
  EXPECT_FALSE(releaser_.Step());
  EXPECT_EQ(HeldCount(), 0);
  EXPECT_TRUE(store_->Outbox().empty());
  EXPECT_EQ(store_->Counters(task_->id()).expired, 10);
}

// Reads as another engine would that finds only then that some submissions were repetitions.
class LateReader final : public Detached {
 public:
  LateReader(std::unique_ptr<Detached> inner, int64_t repeated)
      : inner_(std::move(inner)), repeated_(repeated) {}
  const BatchKey& of() const override { return inner_->of(); }
  int64_t sealed_bytes() const override { return inner_->sealed_bytes(); }
  int64_t most_reports() const override { return inner_->most_reports(); }
  absl::StatusOr<DetachedTotals> Read(const ReportsTo& to) override {
    auto totals = inner_->Read(to);
    if (!totals.ok()) return totals;
    totals->submissions -= repeated_;
    totals->reports -= repeated_;
    totals->duplicates += repeated_;
    return totals;
  }

 private:
  const std::unique_ptr<Detached> inner_;
  const int64_t repeated_;
};

class LateStore final : public Store {
 public:
  LateStore(Store* inner, int64_t repeated) : inner_(*inner), repeated_(repeated) {}

  absl::Status AddTask(const TaskId& task, int64_t bytes, int64_t most) override {
    return inner_.AddTask(task, bytes, most);
  }
  void Accept(const SubmitBatch& call, AcceptDone done) override {
    inner_.Accept(call, std::move(done));
  }
  void AfterEachCommit(std::function<void(absl::Duration)> tell) override {
    inner_.AfterEachCommit(std::move(tell));
  }
  absl::StatusOr<int64_t> QueuedBytes(const SubmitBatch& call) const override {
    return inner_.QueuedBytes(call);
  }
  Load Kept() const override { return inner_.Kept(); }
  int64_t Digests() const override { return inner_.Digests(); }
  std::vector<HeldInfo> Held() const override { return inner_.Held(); }
  absl::StatusOr<int64_t> Scatter(const BatchKey&) override { return 0; }
  absl::StatusOr<std::unique_ptr<Detached>> Detach(const BatchKey& of) override {
    auto inner = inner_.Detach(of);
    if (!inner.ok()) return inner.status();
    return std::make_unique<LateReader>(*std::move(inner), repeated_);
  }
  absl::StatusOr<std::unique_ptr<BatchWriter>> NewBatch(const BatchId& batch) override {
    return inner_.NewBatch(batch);
  }
  absl::Status Publish(std::unique_ptr<Detached>, std::unique_ptr<BatchWriter>,
                       const Manifest& totals, absl::string_view) override {
    published.push_back(totals);
    return absl::OkStatus();
  }
  absl::StatusOr<int64_t> Destroy(const BatchKey& of) override { return inner_.Destroy(of); }
  std::vector<Manifest> Outbox() const override { return published; }
  absl::StatusOr<std::string> ReadManifest(const BatchId& batch) const override {
    return inner_.ReadManifest(batch);
  }
  absl::StatusOr<std::unique_ptr<BatchReader>> Read(const BatchId& batch) const override {
    return inner_.Read(batch);
  }
  absl::Status Erase(const BatchId& batch, BatchEnd end) override {
    return inner_.Erase(batch, end);
  }
  absl::Status ForgetWindowsBefore(const TaskId& task, uint32_t window) override {
    return inner_.ForgetWindowsBefore(task, window);
  }
  TaskCounters Counters(const TaskId& task) const override { return inner_.Counters(task); }

  std::vector<Manifest> published;

 private:
  Store& inner_;
  const int64_t repeated_;
};

TEST_F(ReleaserTest, AsksTheGateAgainWithWhatIsFoundToBeDistinct) {
  Submit(12);  // ten are planned
  for (const int64_t repeated : {3, 2}) {
    LateStore late(store_.get(), repeated);
    Releaser::Parts parts = Parts();
    parts.store = &late;
    Releaser releaser(parts);
    EXPECT_EQ(releaser.Step(), repeated == 2);
    EXPECT_EQ(late.published.size(), repeated == 2 ? 1u : 0u);
    EXPECT_EQ(HeldCount(), 12) << "what was not published is held";
    if (repeated == 2) {
      EXPECT_EQ(late.published[0].submissions, 10);
      EXPECT_EQ(late.published[0].duplicates, 2);
    }
  }
}

}  // namespace
}  // namespace tombola::shuffler
