// A whole store directory at start: it opens and adds up, or it says what is damaged; and to open
// it once more changes nothing.
//
// A list of files, each a byte that says which, two bytes with its length, and its content. The
// names follow from the content, as in a store that nobody has touched.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/encoding.h"
#include "shuffler/embedded/embedded_store.h"
#include "shuffler/log/log_format.h"
#include "shuffler/release/batch_release.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/store_repair.h"
#include "tests/support/seeded_random.h"

namespace tombola::fuzz {
namespace {

using shuffler::EmbeddedStore;
using shuffler::HeldInfo;
using shuffler::Store;

enum FileKind { kHeldLog, kBatch, kReports, kManifest, kSeen, kCounters, kDraft, kForeign, kKinds };
// Added to a kind: the file stays as it is, or only the lengths in it do.
constexpr uint8_t kAsItIs = 128, kLengthsStay = 64;
constexpr int kMostFiles = 12;

template <size_t N>
std::string HexAt(size_t offset, const std::string& bytes) {
  Decoder decoder(AsBytes(bytes));
  decoder.Take(offset);
  return ToHex(decoder.Bytes<N>());
}

template <typename T>
T NumberAt(size_t offset, const std::string& bytes) {
  Decoder decoder(AsBytes(bytes));
  decoder.Take(offset);
  return decoder.Number<T>();
}

// Writes the files of a store; the offsets are those of docs/store-format.md.
class Layout {
 public:
  void Add(uint8_t kind, std::string bytes) {
    const bool repair = (kind & kAsItIs) == 0;
    const bool lengths = (kind & kLengthsStay) == 0;
    switch (kind % kKinds) {
      case kHeldLog:
        if (repair) RepairLog(bytes, lengths ? 0 : kLengthsAsTheyAre);
        task_ = HexAt<32>(16, bytes);
        Write(
            absl::StrCat("held/", task_, "/", HexAt<8>(48, bytes), "-",
                         NumberAt<uint64_t>(56, bytes), "-", NumberAt<uint64_t>(68, bytes), ".log"),
            bytes);
        break;
      case kBatch:
        if (repair) RepairRecord(bytes);
        batch_ = HexAt<16>(64, bytes);
        Write(absl::StrCat("outbox/", batch_, "/batch"), bytes);
        break;
      case kReports:
        Write(absl::StrCat("outbox/", batch_, "/reports"), bytes);
        break;
      case kManifest:
        Write(absl::StrCat("outbox/", batch_, "/manifest"), bytes);
        break;
      case kSeen:
        if (repair) RepairSeen(bytes, lengths);
        Write(absl::StrCat("seen/", HexAt<32>(16, bytes), "/", NumberAt<uint32_t>(48, bytes),
                           ".digests"),
              bytes);
        break;
      case kCounters:
        if (repair) RepairRecord(bytes);
        Write(absl::StrCat("counters/", HexAt<32>(16, bytes)), bytes);
        break;
      case kDraft:
        Write(absl::StrCat("outbox/tmp-", batch_, "/reports"), bytes);
        Write("counters/x.tmp", bytes);
        break;
      case kForeign:
        Write(absl::StrCat("held/", task_, "/stray"), bytes);
        break;
    }
  }

 private:
  static void Write(const std::string& name, const std::string& bytes) {
    TheScratch().Write(absl::StrCat("store/", name), bytes);
  }

  std::string task_ = std::string(64, '1');
  std::string batch_ = std::string(32, 'b');
};

// What an operator can see of a store.
struct View {
  std::vector<std::string> lines;
  bool operator==(const View&) const = default;
};

View Look(const Store& store) {
  View view;
  for (const HeldInfo& held : store.Held()) {
    TOMBOLA_CHECK(held.submissions > 0 && held.reports >= 0 && held.duplicates >= 0);
    view.lines.push_back(absl::StrCat("held ", ToHex(held.of.task), " ", ToHex(held.of.key), " ",
                                      held.of.part, " ", held.submissions, " ", held.reports, " ",
                                      held.duplicates));
  }
  for (const Manifest& batch : store.Outbox()) {
    TOMBOLA_CHECK(batch.submissions >= 0 && batch.reports_in >= 0 && batch.fakes >= 0);
    TOMBOLA_CHECK(batch.reports_in + batch.fakes == batch.reports_out);
    view.lines.push_back(absl::StrCat("batch ", ToHex(batch.batch), " ", batch.reports_out));
    const auto counters = store.Counters(batch.of.task);
    TOMBOLA_CHECK(counters.accepted >= 0 && counters.duplicates >= 0 && counters.forwarded >= 0 &&
                  counters.expired >= 0 && counters.released_batches >= 1);
    view.lines.push_back(absl::StrCat("counters ", counters.accepted, " ", counters.duplicates, " ",
                                      counters.forwarded, " ", counters.expired));
  }
  return view;
}

// Every byte of a batch is delivered, or the damage is noticed.
void ReadBatches(const Store& store) {
  for (const Manifest& batch : store.Outbox()) {
    store.ReadManifest(batch.batch).IgnoreError();
    const auto reader = store.Read(batch.batch);
    if (!reader.ok()) continue;
    while (true) {
      const auto chunk = (*reader)->Next(1 << 16);
      if (!chunk.ok() || chunk->empty()) break;
    }
  }
}

// What is held leaves whole.
void ReleaseAll(Store& store) {
  // Batch ids that no file names: those of earlier runs the fuzzer has seen, and would find again.
  static uint64_t runs = 2;
  SeededRandom random(runs++);
  const auto release = shuffler::BatchRelease::Create(
      {.scratch_directory = TheScratch().In("blocks"), .memory_limit_bytes = 1 << 20});
  TOMBOLA_CHECK(release.ok());
  const auto manifest = [](const Manifest&) -> absl::StatusOr<std::string> { return "m"; };
  for (const HeldInfo& held : store.Held()) {
    if (!held.for_period) continue;
    const auto scattered = store.Scatter(held.of);
    TOMBOLA_CHECK(scattered.ok() ? *scattered == held.submissions
                                 : absl::IsDataLoss(scattered.status()));
  }
  for (const HeldInfo& held : store.Held()) {
    if (held.for_period) continue;
    const auto released = release->Run(store, {.of = held.of, .make_manifest = manifest}, random);
    if (!released.ok()) {  // only a seen file can be in the way
      TOMBOLA_CHECK(absl::IsDataLoss(released.status()));
      continue;
    }
    // What a node holds twice leaves once.
    TOMBOLA_CHECK(released->submissions + released->duplicates ==
                  held.submissions + held.duplicates);
    TOMBOLA_CHECK(released->reports_in <= held.reports && released->fakes == 0);
  }
}

void Run(Input input) {
  TheScratch().Clear();
  Layout layout;
  for (int i = 0; i < kMostFiles && !input.empty(); ++i) {
    const uint8_t kind = input.Byte();
    const size_t length = input.Length();
    layout.Add(kind, std::string(input.Take(length)));
  }
  shuffler::StoreOptions options;
  options.directory = TheScratch().In("store");
  options.log_salt = 1;
  auto store = EmbeddedStore::Open(options);
  if (!store.ok()) {
    TOMBOLA_CHECK(absl::IsDataLoss(store.status()) || absl::IsFailedPrecondition(store.status()));
    return;
  }
  const View view = Look(**store);
  store->reset();
  store = EmbeddedStore::Open(options);
  TOMBOLA_CHECK(store.ok());
  TOMBOLA_CHECK(Look(**store) == view);
  ReadBatches(**store);
  ReleaseAll(**store);
  const View released = Look(**store);
  store->reset();
  store = EmbeddedStore::Open(options);
  TOMBOLA_CHECK(store.ok());
  TOMBOLA_CHECK(Look(**store) == released);
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Run({data, size});
  return 0;
}
