// A stream's batches, each judged as its node.
#include <memory>
#include <string>

#include "collector/ingest/test_intake.h"
#include "common/kind/kind.h"

namespace tombola::collector {
namespace {

constexpr uint64_t kFirst = 1, kSecond = 2;

// Node 1 covers a period and needs five submissions, node 2 two periods and ten.
class StreamIntakeTest : public IntakeTest {
 protected:
  StreamIntakeTest() {
    task_ = MakeTestTask([](v1::Task* wire) { MakeStream({0, 0, 2, 0}, wire); });
    EXPECT_TRUE(catalog_->Add(task_).ok());
    EXPECT_TRUE(keys_->Tend(random_).ok());
  }
  // The node's own; a general one where there is no such node.
  KeyId KeyOf(uint64_t node) const {
    const v1::KeyList list = keys_->List();
    for (const v1::HpkeKey& key : list.keys()) {
      if (key.part() == node && key.task_id() == AsView(task_->id())) {
        return *IdFromBytes<KeyId>(key.key_id());
      }
    }
    return key_id_;
  }
  // Reports that are sealed for a node, to the key that another's may be delivered under.
  std::string SealedFor(uint64_t node, int64_t reports, uint64_t delivered_as) {
    const auto key = (*keys_->PrivateKey(KeyOf(delivered_as)))->public_key();
    std::string sealed;
    for (int64_t i = 0; i < reports; ++i) {
      std::string report(task_->scheme()->report_bytes(), '\0');
      task_->scheme()->DrawFake(
          random_, absl::MakeSpan(reinterpret_cast<uint8_t*>(report.data()), report.size()));
      sealed += Seal(*task_, KeyOf(delivered_as), key, report, random_, node);
    }
    return sealed;
  }
  std::string SealedFor(uint64_t node, int64_t reports) { return SealedFor(node, reports, node); }
  SignedBatch Of(uint64_t node, int64_t submissions, std::string reports) {
    return MakeBatch(*task_, kBatch, KeyOf(node), std::move(reports), [&](v1::Manifest* manifest) {
      manifest->set_part(node);
      manifest->set_submissions(static_cast<uint64_t>(submissions));
    });
  }
};

TEST_F(StreamIntakeTest, CountsANodeThatHasWhatItsNoiseIsSizedFor) {
  const auto record = Deliver(Of(kFirst, 5, SealedFor(kFirst, 12)));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->state, BatchState::kCounted);
  EXPECT_EQ(record->of.part, kFirst);
  EXPECT_EQ(record->tally.submissions, 5);
  EXPECT_EQ(ledger_->Sum(task_->id(), {kFirst, kFirst})->good, 12);
}

TEST_F(StreamIntakeTest, RefusesANodeBelowItsSmallestBatch) {
  ExpectRefusedWithNothingLeft(Of(kSecond, 9, SealedFor(kSecond, 20)),
                               absl::StatusCode::kInvalidArgument,
                               "the task's smallest_batch is 10");
  EXPECT_TRUE(Deliver(Of(kFirst, 9, SealedFor(kFirst, 20))).ok())
      << "as of another node it is enough";
}

TEST_F(StreamIntakeTest, ReportsOfAnotherNodeDoNotOpen) {
  const auto record = Deliver(Of(kFirst, 5, SealedFor(kSecond, 12, kFirst)));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->good, 0);
  EXPECT_EQ(record->rejected.unopened, 12);
  EXPECT_EQ(record->state, BatchState::kQuarantined);
}

// It has only just what it needs, and one of them was somebody's bad report.
TEST_F(StreamIntakeTest, ANodeThatFallsShortOnceItIsOpenedIsQuarantined) {
  const auto record = Deliver(Of(kFirst, 5, SealedFor(kFirst, 12) + BadReport()));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->users, 0) << "twelve reports are not the noise of five";
  EXPECT_EQ(record->state, BatchState::kQuarantined);
  EXPECT_TRUE(ledger_->Totals(task_->id())->counts.tables.empty());
}

TEST_F(StreamIntakeTest, RefusesMoreReportsThanTheNodeMayHave) {
  const auto most = task_->SchemeOf(kFirst).max_reports_per_submission();
  ExpectRefusedWithNothingLeft(
      MakeBatch(*task_, kBatch, KeyOf(kFirst), SealedFor(kFirst, 12),
                [&](v1::Manifest* manifest) {
                  manifest->set_part(kFirst);
                  manifest->set_submissions(5);
                  manifest->set_reports_in(static_cast<uint64_t>(5 * most + 1));
                  manifest->set_reports_out(static_cast<uint64_t>(5 * most + 1));
                }),
      absl::StatusCode::kInvalidArgument,
      "manifest.reports_in must be at most " + std::to_string(most));
}

TEST_F(StreamIntakeTest, RefusesANodeThatThereIsNot) {
  ExpectRefusedWithNothingLeft(Of(5, 9, SealedFor(5, 9)), absl::StatusCode::kInvalidArgument,
                               "manifest.part is 5, and the task has periods 1 to 4");
}

}  // namespace
}  // namespace tombola::collector
