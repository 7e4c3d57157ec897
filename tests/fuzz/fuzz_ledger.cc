// A device's ledger file: read whole or refused, and what is read survives every change and a
// restart.
//
// The first byte: 0 the file as it is, else the rest with its digest appended.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/ledger/ledger.h"
#include "common/base/check.h"
#include "common/crypto/sha256.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/scratch.h"

namespace tombola::fuzz {
namespace {

using client::Ledger;
using client::Pending;

TaskId LedgerTask() {
  TaskId task;
  task.fill(0x11);
  return task;
}

std::string FileName() { return absl::StrCat("ledger/", ToHex(LedgerTask()), ".ledger"); }

absl::StatusOr<std::unique_ptr<Ledger>> Open() {
  return Ledger::Open(TheScratch().In("ledger"), LedgerTask());
}

bool SameGroup(const client::SealedGroup& a, const client::SealedGroup& b) {
  return a.part == b.part && a.key == b.key && a.reports == b.reports &&
         a.sealed_reports == b.sealed_reports;
}

bool Same(const std::optional<Pending>& a, const std::optional<Pending>& b) {
  if (!a.has_value() || !b.has_value()) return a.has_value() == b.has_value();
  return a->id == b->id && a->window == b->window && a->part == b->part && a->token == b->token &&
         std::equal(a->groups.begin(), a->groups.end(), b->groups.begin(), b->groups.end(),
                    &SameGroup);
}

void Run(Input input) {
  TheScratch().Clear();
  const bool whole = input.Byte() != 0;
  std::string bytes(input.Rest());
  if (whole) absl::StrAppend(&bytes, AsView(crypto::Sha256(bytes)));
  TheScratch().Write(FileName(), bytes);
  auto ledger = Open();
  if (!ledger.ok()) {
    // Another version, or damaged.
    TOMBOLA_CHECK(absl::IsFailedPrecondition(ledger.status()) || absl::IsDataLoss(ledger.status()));
    TOMBOLA_CHECK(TheScratch().Read(FileName()) == bytes);
    return;
  }
  const int64_t submissions = (*ledger)->submissions();
  const uint64_t serial = (*ledger)->key_list().serial;
  const std::optional<Pending> pending = (*ledger)->pending();
  TOMBOLA_CHECK(submissions >= 0);
  if (pending.has_value()) {
    for (const client::SealedGroup& group : pending->groups) TOMBOLA_CHECK(group.reports >= 0);
  }
  // What is on its way is of a period that is spent.
  const uint64_t part = pending.has_value() ? pending->part : 0;
  TOMBOLA_CHECK(part == 0 || (*ledger)->BegunIn(part));

  TOMBOLA_CHECK((*ledger)->NoteKeyList({.serial = serial + 1, .keys = {}}).ok());
  ledger->reset();
  ledger = Open();
  TOMBOLA_CHECK(ledger.ok());
  TOMBOLA_CHECK((*ledger)->submissions() == submissions);
  TOMBOLA_CHECK((*ledger)->key_list().serial == std::max(serial, serial + 1));
  TOMBOLA_CHECK(Same((*ledger)->pending(), pending));

  TOMBOLA_CHECK((*ledger)->End(client::Ending::kRefused).ok());
  TOMBOLA_CHECK((*ledger)->Begin({.groups = {{.sealed_reports = "s"}}}).ok());
  ledger->reset();
  ledger = Open();
  // What is spent stays spent.
  TOMBOLA_CHECK(ledger.ok() && (*ledger)->submissions() == submissions + 1);
  TOMBOLA_CHECK((*ledger)->pending().has_value());
  TOMBOLA_CHECK(part == 0 || (*ledger)->BegunIn(part));
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Run({data, size});
  return 0;
}
