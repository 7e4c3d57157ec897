// The shuffler's copy of the catalogue: from disk and from the collector.
//
// The first byte: bit 0 signs the key list of what follows, bit 1 takes it as an update of a good
// catalogue and not as the file, bit 2 leaves the files as they are and not as records. Then two
// bytes with the length of the file of keys that were served, that file, and a Catalog.
#include <memory>
#include <string>

#include "common/base/check.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/store/record.h"
#include "tests/fuzz/fixtures.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/scratch.h"

namespace tombola::fuzz {
namespace {

using shuffler::Catalog;
using shuffler::CatalogEntry;

constexpr uint8_t kSign = 1, kUpdate = 2, kBare = 4;

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
  (mode & kUpdate) != 0 ? RunUpdate(bytes) : RunFile(bytes, bare);
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Run({data, size});
  return 0;
}
