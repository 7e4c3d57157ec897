// What the shuffler finds beside its store: its copy of the catalogue, from disk and from the
// collector, the intervals that have ended, and the time that it was last sure of.
//
// The first byte: bit 0 signs the key list of what follows, bit 1 takes it as an update of a good
// catalogue and not as the file, bit 2 leaves the files as they are and not as records. Then two
// bytes with the length of the file of keys that were served, that file, and a Catalog. Bit 3: what
// follows is the file of intervals, and that of the clock.
#include <memory>
#include <string>

#include "common/base/check.h"
#include "common/base/watched_clock.h"
#include "shuffler/batch/intervals.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/disk/record.h"
#include "tests/fuzz/fixtures.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/scratch.h"
#include "tests/support/fake_clock.h"

namespace tombola::fuzz {
namespace {

using shuffler::Catalog;
using shuffler::CatalogEntry;

constexpr uint8_t kSign = 1, kUpdate = 2, kBare = 4, kBeside = 8;

Catalog::Options Options() {
  return {.path = TheScratch().In("catalog"),
          .shuffler_key = TestShufflerKey().public_key(),
          .collector_key = TestCollectorKey().public_key()};
}

// Signed, where the bytes are a catalogue; its tasks are those of the fixed parties only if they
// say so themselves.
std::string Signed(absl::string_view bytes) {
  v1::Catalog wire;
  if (!wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return std::string(bytes);
  }
  SignKeys(wire.mutable_keys());
  return wire.SerializeAsString();
}

void CheckTasks(const Catalog& catalog) {
  for (const CatalogEntry& entry : catalog.Tasks()) {
    TOMBOLA_CHECK(entry.task->shuffler_key() == TestShufflerKey().public_key());
    TOMBOLA_CHECK(entry.task->collector_key() == TestCollectorKey().public_key());
    TOMBOLA_CHECK(catalog.Find(entry.task->id()).has_value());
  }
}

// What was taken over is found again.
void CheckReopens(const Catalog& catalog) {
  const auto again = Catalog::Open(Options());
  TOMBOLA_CHECK(again.ok());
  TOMBOLA_CHECK((*again)->Tasks().size() == catalog.Tasks().size());
  TOMBOLA_CHECK((*again)->version() == catalog.version());
  TOMBOLA_CHECK((*again)->SignedKeys()->key_list() == catalog.SignedKeys()->key_list());
}

void RunFile(absl::string_view file, bool bare) {
  TheScratch().Write("catalog", bare ? std::string(file) : shuffler::WrapRecord("TMBLCTLG", file));
  const auto catalog = Catalog::Open(Options());
  if (!catalog.ok()) {
    TOMBOLA_CHECK(absl::IsDataLoss(catalog.status()));
    return;
  }
  CheckTasks(**catalog);
}

void RunUpdate(absl::string_view bytes) {
  auto catalog = Catalog::Open(Options());
  if (!catalog.ok()) return;  // the file of keys
  static const v1::Catalog good = CatalogOf(1, {TestTaskProto()});
  if (!(*catalog)->Update(good).ok()) return;  // the same
  CheckReopens(**catalog);
  v1::Catalog wire;
  if (!wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  (*catalog)->Update(wire).IgnoreError();
  CheckTasks(**catalog);
  CheckReopens(**catalog);
  v1::KeyList keys;
  TOMBOLA_CHECK(keys.ParseFromString((*catalog)->SignedKeys()->key_list()));
  TOMBOLA_CHECK(keys.serial() >= 1);  // never an older list than the one at hand
}

void RunIntervals(absl::string_view file, bool bare) {
  TheScratch().Write("intervals",
                     bare ? std::string(file) : shuffler::WrapRecord("TMBLINTV", file));
  auto intervals = shuffler::Intervals::Open(TheScratch().In("intervals"));
  if (!intervals.ok()) {
    TOMBOLA_CHECK(absl::IsDataLoss(intervals.status()));
    return;
  }
  TaskId task;
  task.fill(0x11);
  const auto ended = intervals->Ended(task);
  TOMBOLA_CHECK(ended.value_or(0) >= 0);
  intervals->Note(TaskId{}, 7);
  TOMBOLA_CHECK(intervals->Save().ok());
  const auto again = shuffler::Intervals::Open(TheScratch().In("intervals"));
  TOMBOLA_CHECK(again.ok() && again->Ended(TaskId{}) == 7 && again->Ended(task) == ended);
}

// No content of the file makes a clock sure that is not the one it was sure of.
void RunClock(absl::string_view file) {
  TheScratch().Write("clock", std::string(file));
  const WatchedClock clock({.wall = std::make_shared<FakeClock>(absl::FromUnixSeconds(1800000000)),
                            .steady = std::make_shared<FakeSteadyClock>(),
                            .boot = "boot",
                            .path = TheScratch().In("clock")});
  TOMBOLA_CHECK(!clock.SureNow().ok() || file.find("1 boot ") != absl::string_view::npos);
}

void Run(Input input) {
  const uint8_t mode = input.Byte();
  const size_t keys = input.Length();
  TheScratch().Clear();
  const bool bare = (mode & kBare) != 0;
  if (keys > 0) {
    const std::string served(input.Take(keys));
    TheScratch().Write("catalog.keys", bare ? served : shuffler::WrapRecord("TMBLKEYS", served));
  }
  std::string bytes(input.Rest());
  if ((mode & kSign) != 0) bytes = Signed(bytes);
  if ((mode & kBeside) != 0) {
    RunIntervals(bytes, bare);
    RunClock(bytes);
    return;
  }
  (mode & kUpdate) != 0 ? RunUpdate(bytes) : RunFile(bytes, bare);
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Run({data, size});
  return 0;
}
