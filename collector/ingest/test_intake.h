// Batches delivered to an intake with real parts, for its tests.
#ifndef TOMBOLA_COLLECTOR_INGEST_TEST_INTAKE_H_
#define TOMBOLA_COLLECTOR_INGEST_TEST_INTAKE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "collector/ingest/intake.h"
#include "collector/store/sqlite_ledger.h"
#include "collector/test_batch.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {

inline constexpr BatchId kBatch = {1, 2, 3};

class IntakeTest : public ::testing::Test {
 protected:
  IntakeTest() : clock_(TestTaskStart()), random_(11), task_(MakeTestTask()) {
    Restart();
    EXPECT_TRUE(catalog_->Add(task_).ok());
  }

  void Restart() {
    intake_.reset();
    catalog_ = *Catalog::Open(directory_.In("catalog.db"));
    keys_ = *KeyRing::Open({.directory = directory_.In("keys"),
                            .signing_key = &TestCollectorKey(),
                            .clock = &clock_,
                            .tasks = [this] { return catalog_->Tasks(); }},
                           random_);
    ledger_ = *SqliteLedger::Open(directory_.In("batches.db"));
    metrics_ = std::make_unique<Metrics>();
    intake_ = std::make_unique<Intake>(catalog_.get(), keys_.get(), ledger_.get(), &clock_,
                                       metrics_.get(), /*workers=*/1);
    const v1::KeyList keys = keys_->List();
    key_id_ = *IdFromBytes<KeyId>(keys.keys(keys.keys_size() - 1).key_id());
  }
  std::string Sealed(const std::string& plaintext) {
    return Seal(*task_, key_id_, (*keys_->PrivateKey(key_id_))->public_key(), plaintext, random_);
  }
  // Any report of the mechanism is a good one.
  std::string GoodReports(int64_t n) {
    std::string reports;
    for (int64_t i = 0; i < n; ++i) {
      std::string report(task_->scheme()->report_bytes(), '\0');
      task_->scheme()->DrawFake(
          random_, absl::MakeSpan(reinterpret_cast<uint8_t*>(report.data()), report.size()));
      reports += Sealed(report);
    }
    return reports;
  }
  std::string BadReport() { return std::string(task_->sealed_bytes(), 'x'); }

  // A whole delivery, in chunks of three reports.
  absl::StatusOr<BatchRecord> Deliver(const SignedBatch& batch) {
    auto begun = intake_->Begin(batch.manifest, batch.signature);
    if (!begun.ok()) return begun.status();
    if (begun->known.has_value()) return *begun->known;
    return Send(*begun->delivery, batch.sealed_reports);
  }
  absl::StatusOr<BatchRecord> Send(Delivery& delivery, absl::string_view reports) {
    const size_t chunk = 3 * task_->sealed_bytes();
    for (size_t at = 0; at < reports.size(); at += chunk) {
      const absl::string_view part = reports.substr(at, chunk);
      const absl::Status checked = intake_->CheckChunk(&delivery, part);
      if (!checked.ok()) return checked;
      delivery.opening->Open(part, 0);
    }
    return intake_->Finish(delivery);
  }
  void ExpectRefusedWithNothingLeft(const SignedBatch& batch, absl::StatusCode code,
                                    const std::string& named) {
    const absl::Status status = Deliver(batch).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(status.message(), ::testing::HasSubstr(named));
    for (const bool restarted : {false, true}) {
      if (restarted) Restart();
      EXPECT_EQ(ledger_->Find(kBatch)->has_value(), false);
      EXPECT_EQ(ledger_->Totals(task_->id())->counted_batches, 0);
      EXPECT_EQ(ledger_->Totals(task_->id())->quarantined_batches, 0);
    }
  }

  ScratchDirectory directory_;
  FakeClock clock_;
  SeededRandom random_;
  std::shared_ptr<const Task> task_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<KeyRing> keys_;
  std::unique_ptr<BatchLedger> ledger_;
  std::unique_ptr<Metrics> metrics_;
  std::unique_ptr<Intake> intake_;
  KeyId key_id_{};
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_TEST_INTAKE_H_
