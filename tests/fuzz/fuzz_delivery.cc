// A batch from the shuffler: refused, or every report of it is accounted for, once.
//
// The first byte: bit 0 signs the manifest, bit 1 makes its count and sum of digests those of the
// reports. Then two bytes with the length of the manifest, the manifest, and the sealed reports.
#include <memory>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "collector/ingest/intake.h"
#include "collector/store/sqlite_ledger.h"
#include "common/base/check.h"
#include "common/crypto/report_digest.h"
#include "common/log/log.h"
#include "tests/fuzz/collector_fixture.h"
#include "tests/fuzz/input.h"

namespace tombola::fuzz {
namespace {

using collector::BatchRecord;
using collector::BatchState;
using collector::Intake;
using collector::SqliteLedger;
using collector::TaskTotals;

constexpr uint8_t kSign = 1, kCount = 2;

const CollectorFixture& Fixture() {
  static const auto* const fixture = [] {
    log::SetLevel(log::Level::kError);
    return new CollectorFixture();
  }();
  return *fixture;
}

// The manifest with the count and the digests of these reports, where it names a task.
std::string Counted(absl::string_view bytes, absl::string_view reports) {
  v1::Manifest wire;
  if (!wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::string(bytes);
  const auto task = IdFromBytes<TaskId>(wire.task_id());
  const auto key = IdFromBytes<KeyId>(wire.key_id());
  if (!task.has_value() || !key.has_value()) return std::string(bytes);
  const auto entry = Fixture().catalog->Find(*task);
  if (!entry.ok()) return std::string(bytes);
  const size_t sealed_bytes = entry->task->sealed_bytes();
  crypto::DigestSum sum;
  uint64_t count = 0;
  for (; reports.size() >= sealed_bytes; reports.remove_prefix(sealed_bytes), ++count) {
    sum.Add(crypto::ReportDigest(*task, *key, AsSpan(reports.substr(0, sealed_bytes))));
  }
  wire.set_digest_sum(std::string(AsView(sum.Value())));
  wire.set_reports_out(count);
  wire.set_reports_in(count - wire.fakes());
  return wire.SerializeAsString();
}

absl::StatusOr<BatchRecord> Deliver(const Intake& intake, const std::string& manifest,
                                    const std::string& signature, absl::string_view reports) {
  auto begun = intake.Begin(manifest, signature);
  if (!begun.ok()) return begun.status();
  if (begun->known.has_value()) return *begun->known;
  collector::Delivery& delivery = *begun->delivery;
  const size_t chunk = 2 * delivery.task->sealed_bytes();
  for (; !reports.empty(); reports.remove_prefix(std::min(chunk, reports.size()))) {
    const absl::string_view part = reports.substr(0, chunk);
    const absl::Status checked = intake.CheckChunk(&delivery, part);
    if (!checked.ok()) return checked;
    delivery.opening->Open(part, /*worker=*/0);
  }
  return intake.Finish(delivery);
}

void CheckTotals(const TaskTotals& totals, const BatchRecord& record, int64_t reports) {
  TOMBOLA_CHECK(record.good >= 0 && record.good + record.rejected.total() == reports);
  TOMBOLA_CHECK(record.users >= 0 && record.tally.submissions >= 0);
  TOMBOLA_CHECK(totals.counted_batches + totals.quarantined_batches == 1);
  if (record.state == BatchState::kCounted) {
    TOMBOLA_CHECK(totals.good == record.good);
  } else {
    TOMBOLA_CHECK(totals.counts.tables.empty() && totals.good == 0);
  }
}

void Run(Input input) {
  const uint8_t mode = input.Byte();
  std::string manifest(input.Take(input.Length()));
  const absl::string_view reports = input.Rest();
  if ((mode & kCount) != 0) manifest = Counted(manifest, reports);
  const std::string signature =
      (mode & kSign) != 0
          ? TestShufflerKey().Sign(absl::StrCat(kManifestContext, absl::string_view(manifest)))
          : std::string(64, 's');
  const auto ledger = SqliteLedger::Open(":memory:");
  TOMBOLA_CHECK(ledger.ok());
  static Metrics metrics;
  static const SystemClock clock;
  const Intake intake(Fixture().catalog.get(), Fixture().keys.get(), ledger->get(), &clock,
                      &metrics, /*workers=*/1);
  const auto record = Deliver(intake, manifest, signature, reports);
  if (!record.ok()) {
    TOMBOLA_CHECK(absl::IsInvalidArgument(record.status()) ||
                  absl::IsUnauthenticated(record.status()) || absl::IsNotFound(record.status()));
    return;
  }
  TOMBOLA_CHECK((mode & kSign) != 0);
  const auto task = Fixture().catalog->Find(record->of.task);
  TOMBOLA_CHECK(task.ok());
  const auto count = static_cast<int64_t>(reports.size() / task->task->sealed_bytes());
  CheckTotals(*(*ledger)->Totals(record->of.task), *record, count);
  // The same once more changes nothing.
  TOMBOLA_CHECK(Deliver(intake, manifest, signature, reports).ok());
  CheckTotals(*(*ledger)->Totals(record->of.task), *record, count);
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Run({data, size});
  return 0;
}
