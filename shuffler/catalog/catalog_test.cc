#include "shuffler/catalog/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/disk/whole_file.h"
#include "shuffler/catalog/puller.h"
#include "shuffler/disk/record.h"
#include "shuffler/test_parts.h"

namespace tombola::shuffler {
namespace {

TEST(ShufflerCatalog, SurvivesARestartWithoutTheCollector) {
  ScratchDirectory scratch;
  const auto task = MakeTestTask();
  {
    auto catalog = *Catalog::Open(CatalogOptions(scratch));
    EXPECT_EQ(catalog->SignedKeys().status().code(), absl::StatusCode::kUnavailable);
    ASSERT_TRUE(catalog->Update(CatalogOf(4, *task, /*closed=*/true)).ok());
  }
  const auto catalog = *Catalog::Open(CatalogOptions(scratch));
  EXPECT_EQ(catalog->version(), 4u);
  ASSERT_TRUE(catalog->Find(task->id()).has_value());
  EXPECT_TRUE(catalog->Find(task->id())->closed);
  EXPECT_EQ(catalog->Find(task->id())->task->bytes(), task->bytes());
  EXPECT_TRUE(catalog->FindKey(TestKeyId(7)).has_value());
  EXPECT_FALSE(catalog->FindKey(TestKeyId(8)).has_value());
}

// As many as a collector makes: the copy is larger than other small files may be.
TEST(ShufflerCatalog, SurvivesARestartWithLargeTasks) {
  ScratchDirectory scratch;
  const auto large = [](int number) {
    return MakeTestTask([number](v1::Task* task) {
      task->set_name(absl::StrCat("large ", number));
      v1::Domain* const domain = task->mutable_domain();
      while (domain->labels_size() < 65'000) {
        domain->add_labels(absl::StrCat(domain->labels_size(), std::string(240, 'x')));
      }
      domain->set_size(65'000);
      task->mutable_mechanism()->mutable_local_hash()->set_range(257);  // a plane of 66,049 points
    });
  };
  v1::Catalog wire = CatalogOf(1, *MakeTestTask());
  for (int i = 0; i < 5; ++i) wire.add_tasks()->set_task(large(i)->bytes());
  ASSERT_GT(wire.ByteSizeLong(), size_t{64} << 20);
  ASSERT_TRUE((*Catalog::Open(CatalogOptions(scratch)))->Update(wire).ok());
  const auto catalog = Catalog::Open(CatalogOptions(scratch));
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  EXPECT_EQ((*catalog)->Tasks().size(), 6u);
}

TEST(ShufflerCatalog, WaitsLongerForACatalogueThatDidNotComeInTime) {
  absl::Duration patience = kFirstPatience;
  EXPECT_EQ(PatienceAfter(absl::UnavailableError("away"), patience), patience);
  for (int i = 0; i < 20; ++i) {
    const absl::Duration next = PatienceAfter(absl::DeadlineExceededError(""), patience);
    EXPECT_EQ(next, std::min(2 * patience, kMostPatience));
    patience = next;
  }
  EXPECT_EQ(patience, kMostPatience);
}

TEST(ShufflerCatalog, LeavesOutATaskForAnotherShuffler) {
  ScratchDirectory scratch;
  auto catalog = *Catalog::Open(CatalogOptions(scratch));
  const auto other =
      MakeTestTask([](v1::Task* task) { task->set_shuffler_key(std::string(32, 'x')); });
  EXPECT_TRUE(catalog->Update(CatalogOf(1, *other)).ok());
  EXPECT_TRUE(catalog->Tasks().empty());
  EXPECT_TRUE(absl::IsInvalidArgument(catalog->WhyNot(other->id())));
}

TEST(ShufflerCatalog, OneBadTaskHarmsOnlyItself) {
  ScratchDirectory scratch;
  auto catalog = *Catalog::Open(CatalogOptions(scratch));
  const auto task = MakeTestTask();
  v1::Catalog wire = CatalogOf(1, *task);
  v1::Task bad = TestTaskProto();
  bad.mutable_target()->set_epsilon(-1);
  wire.add_tasks()->set_task(bad.SerializeAsString());
  wire.add_tasks()->set_task(
      MakeTestTask([](v1::Task* t) { t->set_collector_key(std::string(32, 'x')); })->bytes());
  EXPECT_EQ(catalog->Update(wire).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(catalog->Tasks().size(), 1u);
  EXPECT_TRUE(catalog->Find(task->id()).has_value());
  EXPECT_EQ((*Catalog::Open(CatalogOptions(scratch)))->Tasks().size(), 1u);
}

TEST(ShufflerCatalog, RefusesKeysThatTheCollectorDidNotSignOrThatAreOlder) {
  ScratchDirectory scratch;
  auto catalog = *Catalog::Open(CatalogOptions(scratch));
  const auto task = MakeTestTask();
  v1::Catalog wire = CatalogOf(1, *task);
  *wire.mutable_keys() = SignedKeys(5, 7);
  ASSERT_TRUE(catalog->Update(wire).ok());
  *wire.mutable_keys() = SignedKeys(6, 8, TestShufflerKey());
  EXPECT_EQ(catalog->Update(wire).code(), absl::StatusCode::kUnauthenticated);
  *wire.mutable_keys() = SignedKeys(4, 8);
  EXPECT_EQ(catalog->Update(wire).code(), absl::StatusCode::kFailedPrecondition);
  const auto reopened = *Catalog::Open(CatalogOptions(scratch));
  for (const Catalog* at_hand : {catalog.get(), reopened.get()}) {
    EXPECT_TRUE(at_hand->FindKey(TestKeyId(7)).has_value());
    EXPECT_FALSE(at_hand->FindKey(TestKeyId(8)).has_value());
  }
}

// A collector that has lost its keys begins anew, and what is held under the old ones must stay.
TEST(ShufflerCatalog, RefusesOtherKeysUnderTheSerialAtHand) {
  ScratchDirectory scratch;
  auto catalog = *Catalog::Open(CatalogOptions(scratch));
  v1::Catalog wire = CatalogOf(1, *MakeTestTask());
  *wire.mutable_keys() = SignedKeys(5, 7);
  ASSERT_TRUE(catalog->Update(wire).ok());
  EXPECT_TRUE(catalog->Update(wire).ok()) << "the same list again";
  v1::Catalog other = wire;
  *other.mutable_keys() = SignedKeys(5, 8);
  auto reopened = *Catalog::Open(CatalogOptions(scratch));
  for (Catalog* at_hand : {catalog.get(), reopened.get()}) {
    EXPECT_EQ(at_hand->Update(other).code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(at_hand->StandingOf(TestKeyId(7), TestTaskStart()), KeyStanding::kOpen);
    EXPECT_EQ(at_hand->StandingOf(TestKeyId(8), TestTaskStart()), KeyStanding::kUnknown);
    EXPECT_TRUE(at_hand->Update(wire).ok());
  }
}

TEST(ShufflerCatalog, RemembersThatTheCollectorWasBroughtBackFromACopy) {
  ScratchDirectory scratch;
  {
    const auto catalog = *Catalog::Open(CatalogOptions(scratch));
    v1::Catalog wire = CatalogOf(1, *MakeTestTask());
    wire.add_restores()->set_taken(5);
    wire.mutable_restores(0)->set_restored(7);
    ASSERT_TRUE(catalog->Update(wire).ok());
    EXPECT_EQ(catalog->Restores().size(), 1u);
  }
  const auto catalog = *Catalog::Open(CatalogOptions(scratch));
  ASSERT_EQ(catalog->Restores().size(), 1u);
  EXPECT_EQ(catalog->Restores()[0].taken(), 5);
  EXPECT_EQ(catalog->Restores()[0].restored(), 7);
}

TEST(ShufflerCatalog, RefusesADamagedCopy) {
  ScratchDirectory scratch;
  ASSERT_TRUE(ReplaceFile(scratch.In("catalog"), "\xff\xff\xff").ok());
  EXPECT_EQ(Catalog::Open(CatalogOptions(scratch)).status().code(), absl::StatusCode::kDataLoss);
}

TEST(ShufflerCatalog, NoChangedByteGoesUnnoticed) {
  const ScratchDirectory scratch;
  {
    const auto catalog = *Catalog::Open(CatalogOptions(scratch));
    ASSERT_TRUE(catalog->Update(CatalogOf(1, *MakeTestTask())).ok());
  }
  for (const char* name : {"catalog", "catalog.keys"}) {
    const std::string whole = *ReadSmallFile(scratch.In(name));
    for (size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x10);
      ASSERT_TRUE(ReplaceFile(scratch.In(name), changed).ok());
      EXPECT_TRUE(absl::IsDataLoss(Catalog::Open(CatalogOptions(scratch)).status())) << at;
    }
    ASSERT_TRUE(ReplaceFile(scratch.In(name), whole).ok());
  }
}

// Nobody sees a task before the store has taken it in, nor one that the store refuses.
TEST(ShufflerCatalog, AdmitsATaskBeforeItIsSeen) {
  const ScratchDirectory scratch;
  const auto good = MakeTestTask();
  const auto bad = MakeTestTask([](v1::Task* task) { task->set_name("bad"); });
  Catalog* seen_through = nullptr;
  int asked = 0;
  Catalog::Options options = CatalogOptions(scratch);
  options.admit = [&](const std::shared_ptr<const Task>& task) {
    ++asked;
    EXPECT_FALSE(seen_through->Find(task->id()).has_value());
    return task->name() == "bad" ? absl::FailedPreconditionError("no room") : absl::OkStatus();
  };
  const auto catalog = *Catalog::Open(options);
  seen_through = catalog.get();
  v1::Catalog wire = CatalogOf(1, *bad);
  wire.add_tasks()->set_task(good->bytes());
  EXPECT_TRUE(absl::IsFailedPrecondition(catalog->Update(wire)));
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(catalog->Find(good->id()).has_value());
  EXPECT_FALSE(catalog->Find(bad->id()).has_value());
  // Who made it can be told why.
  EXPECT_EQ(catalog->WhyNot(bad->id()), absl::FailedPreconditionError("no room"));
  EXPECT_TRUE(catalog->WhyNot(good->id()).ok());
  EXPECT_TRUE(catalog->WhyNot(TaskId{}).ok());
}

// Both keys are genuine; only their ids, which are short, are alike. No two such keys are at hand
// here, so the file of remembered keys is made to hold another one under the id.
TEST(ShufflerCatalog, AnIdStaysWithItsKeyForEver) {
  const ScratchDirectory scratch;
  const auto task = MakeTestTask();
  {
    const auto catalog = *Catalog::Open(CatalogOptions(scratch));
    ASSERT_TRUE(catalog->Update(CatalogOf(1, *task)).ok());
  }
  // What was served is remembered over a restart, whatever becomes of the catalogue itself.
  std::filesystem::remove(scratch.In("catalog"));
  const auto content = ReadSmallFile(scratch.In("catalog.keys"));
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_EQ(*content, WrapRecord("TMBLKEYS", std::string(32, 7)));
  const auto catalog = *Catalog::Open(CatalogOptions(scratch));
  EXPECT_TRUE(catalog->Update(CatalogOf(1, *task)).ok());
  // A file that is cut off is not taken for an empty one.
  std::filesystem::resize_file(scratch.In("catalog.keys"), 31);
  EXPECT_TRUE(absl::IsDataLoss(Catalog::Open(CatalogOptions(scratch)).status()));
}

TEST(ShufflerCatalog, SaysWhatBecomesOfReportsUnderAKey) {
  const ScratchDirectory scratch;
  const auto task = MakeTestTask();
  const absl::Time closes = TestTaskStart() + absl::Hours(2);
  {
    const auto catalog = *Catalog::Open(CatalogOptions(scratch));
    EXPECT_EQ(catalog->StandingOf(TestKeyId(7), closes), KeyStanding::kUnknown);
    v1::Catalog wire = CatalogOf(1, *task);
    *wire.mutable_keys() = RotatedKeys(2, 7, 8);
    ASSERT_TRUE(catalog->Update(wire).ok());
    EXPECT_EQ(catalog->StandingOf(TestKeyId(7), closes - absl::Seconds(1)), KeyStanding::kOpen);
    EXPECT_EQ(catalog->StandingOf(TestKeyId(7), closes), KeyStanding::kClosed);
    EXPECT_EQ(catalog->StandingOf(TestKeyId(8), closes), KeyStanding::kOpen);
    EXPECT_EQ(catalog->StandingOf(TestKeyId(9), closes), KeyStanding::kUnknown);
    *wire.mutable_keys() = SignedKeys(3, 8);
    wire.set_version(2);
    ASSERT_TRUE(catalog->Update(wire).ok());
    EXPECT_EQ(catalog->StandingOf(TestKeyId(7), TestTaskStart()), KeyStanding::kDestroyed);
  }
  const auto catalog = *Catalog::Open(CatalogOptions(scratch));
  EXPECT_EQ(catalog->StandingOf(TestKeyId(7), TestTaskStart()), KeyStanding::kDestroyed);
}

}  // namespace
}  // namespace tombola::shuffler
