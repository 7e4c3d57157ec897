#include "shuffler/batch/releaser.h"

#include <gtest/gtest.h>

#include <future>
#include <set>
#include <string>

#include "common/crypto/ed25519_verify.h"
#include "common/crypto/report_digest.h"
#include "common/task/manifest.h"
#include "shuffler/test_parts.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {
namespace {

class ReleaserTest : public ::testing::Test {
 protected:
  ReleaserTest()
      : task_(
            MakeTestTask([](v1::Task* task) { task->mutable_batch_policy()->set_interval(600); })),
        clock_(TestTaskStart() + absl::Minutes(1)),
        catalog_(*Catalog::Open(CatalogOptions(scratch_))),
        store_(*Store::Open({.directory = scratch_.In("store")})),
        releaser_({.catalog = catalog_.get(),
                   .gates = &gates_,
                   .store = store_.get(),
                   .signing_key = &TestShufflerKey(),
                   .clock = &clock_,
                   .make_random = [] { return std::make_unique<SeededRandom>(5); },
                   .metrics = &metrics_}) {
    EXPECT_TRUE(catalog_->Update(CatalogOf(1, *task_)).ok());
    EXPECT_TRUE(store_->AddTask(task_->id(), static_cast<int64_t>(task_->sealed_bytes()), 1).ok());
  }

  // `count` submissions that differ from all others.
  void Submit(int count, uint8_t key = 7) {
    std::string ids, reports;
    for (int i = 0; i < count; ++i) {
      ++serial_;
      ids += absl::StrCat(std::string(12, 'i'), absl::Dec(serial_, absl::kZeroPad4));
      std::string report(task_->sealed_bytes(), 'r');
      report.replace(0, 4, absl::StrCat(absl::Dec(serial_, absl::kZeroPad4)));
      reports += report;
    }
    const auto span = [](const std::string& s) {
      return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(s.data()), s.size());
    };
    std::promise<bool> done;
    store_->Accept({.task = task_->id(),
                    .key = TestKeyId(key),
                    .window = 0,
                    .submission_ids = span(ids),
                    .report_counts = {},
                    .sealed_reports = span(reports)},
                   [&](auto outcomes) { done.set_value(outcomes.ok()); });
    ASSERT_TRUE(done.get_future().get());
  }
  int64_t HeldCount() const {
    int64_t held = 0;
    for (const HeldInfo& info : store_->Held()) held += info.submissions;
    return held;
  }

  ScratchDirectory scratch_;
  std::shared_ptr<const Task> task_;
  FakeClock clock_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Store> store_;
  Gates gates_;
  Metrics metrics_;
  Releaser releaser_;
  int serial_ = 0;
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

TEST_F(ReleaserTest, ABatchHoldsOneKeyOnly) {
  Submit(6, 7);
  Submit(6, 8);
  EXPECT_FALSE(releaser_.Step()) << "twelve are held, but no key has the planned ten";
  Submit(4, 8);
  EXPECT_TRUE(releaser_.Step());
  ASSERT_EQ(store_->Outbox().size(), 1u);
  EXPECT_EQ(store_->Outbox()[0].key, TestKeyId(8));
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

TEST_F(ReleaserTest, TheManifestIsSignedAndAgreesWithTheBatch) {
  Submit(10);
  ASSERT_TRUE(releaser_.Step());
  const BatchTotals totals = store_->Outbox()[0];
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
    sum.Add(crypto::ReportDigest(task_->id(), totals.key, *chunk));
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
  const BatchTotals totals = store_->Outbox()[0];
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
    sum.Add(crypto::ReportDigest(task_->id(), totals.key, *report));
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
  EXPECT_EQ(store_->Outbox()[0].key, TestKeyId(7));
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

}  // namespace
}  // namespace tombola::shuffler
