// What long-term keys sign: key lists, manifests, progress and times. The target signs what it is
// given, so that the parsers behind the signature are reached.
//
// The first byte: 0 a key list that is signed, 1 a key list after a signature of 64 bytes, 3 a
// progress, 4 a shuffler's time, else a manifest.
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/task/key_list.h"
#include "common/task/manifest.h"
#include "common/task/progress.h"
#include "common/task/shuffler_time.h"
#include "tests/fuzz/input.h"
#include "tests/support/test_task.h"

namespace tombola::fuzz {
namespace {

void CheckKeys(const KeyList& list) {
  for (const HpkeKey& key : list.keys()) {
    // At most one is valid at any moment, and an id names one key.
    TOMBOLA_CHECK(key.not_before < key.not_after);
    const auto active = list.ActiveAt(key.not_before);
    TOMBOLA_CHECK(active.ok() && active->id == key.id);
    const auto found = list.Find(key.id);
    TOMBOLA_CHECK(found.has_value() && found->public_key == key.public_key);
  }
}

void RunSignedList(const std::string& bytes) {
  const std::string signature =
      TestCollectorKey().Sign(absl::StrCat(kKeyListContext, absl::string_view(bytes)));
  const auto list = KeyList::Verify(bytes, signature, TestCollectorKey().public_key());
  TOMBOLA_CHECK(list.ok() || absl::IsInvalidArgument(list.status()));
  if (list.ok()) CheckKeys(*list);
}

void RunForgedList(absl::string_view signature, absl::string_view bytes) {
  const auto list = KeyList::Verify(bytes, signature, TestCollectorKey().public_key());
  if (list.ok()) {  // only the collector's own signature, which does not depend on chance
    TOMBOLA_CHECK(signature == TestCollectorKey().Sign(absl::StrCat(kKeyListContext, bytes)));
  }
}

void RunManifest(absl::string_view bytes) {
  const auto manifest = Manifest::Parse(bytes);
  if (!manifest.ok()) {
    TOMBOLA_CHECK(absl::IsInvalidArgument(manifest.status()));
    return;
  }
  TOMBOLA_CHECK(manifest->submissions >= 1 && manifest->submissions <= manifest->reports_in);
  TOMBOLA_CHECK(manifest->fakes >= 0 && manifest->duplicates >= 0);
  TOMBOLA_CHECK(manifest->reports_in + manifest->fakes == manifest->reports_out);
  const std::string encoded = manifest->Serialise();
  const auto again = Manifest::Parse(encoded);
  TOMBOLA_CHECK(again.ok() && again->Serialise() == encoded);
}

void RunProgress(absl::string_view bytes) {
  const auto progress = Progress::Parse(bytes);
  if (!progress.ok()) {
    TOMBOLA_CHECK(absl::IsInvalidArgument(progress.status()));
    return;
  }
  TOMBOLA_CHECK(progress->held_percent <= 100 && progress->expired >= 0);
  const std::string encoded = progress->Serialise();
  const auto again = Progress::Parse(encoded);
  TOMBOLA_CHECK(again.ok() && again->Serialise() == encoded);
}

void RunTime(absl::string_view bytes) {
  const auto time = ShufflerTime::Parse(bytes);
  if (!time.ok()) {
    TOMBOLA_CHECK(absl::IsInvalidArgument(time.status()));
    return;
  }
  const std::string encoded = time->Serialise();
  const auto again = ShufflerTime::Parse(encoded);
  TOMBOLA_CHECK(again.ok() && again->Serialise() == encoded);
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Input input(data, size);
  switch (input.Byte()) {
    case 0:
      tombola::fuzz::RunSignedList(std::string(input.Rest()));
      break;
    case 1: {
      const absl::string_view signature = input.Take(64);
      tombola::fuzz::RunForgedList(signature, input.Rest());
      break;
    }
    case 3:
      tombola::fuzz::RunProgress(input.Rest());
      break;
    case 4:
      tombola::fuzz::RunTime(input.Rest());
      break;
    default:
      tombola::fuzz::RunManifest(input.Rest());
  }
  return 0;
}
