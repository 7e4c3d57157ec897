#include <algorithm>
#include <filesystem>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/disk/whole_file.h"
#include "shuffler/embedded/embedded_store.h"
#include "shuffler/release/batch_release.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/seeded_random.h"

namespace tombola::fuzz {

TaskId StoreTask() {
  TaskId task;
  task.fill(0x11);
  return task;
}

namespace {

void Submit(shuffler::Store& store, char number, int submissions) {
  const std::string ids(16 * static_cast<size_t>(submissions), number);
  std::string distinct = ids;
  std::string reports;
  for (int i = 0; i < submissions; ++i) {
    distinct[16 * static_cast<size_t>(i)] = static_cast<char>('0' + i);
    absl::StrAppend(&reports, "report", Byte('0' + i), Byte(number));
  }
  shuffler::SubmitBatch call{.of = {.task = StoreTask()}, .window = 7};
  call.submission_ids = AsSpan(distinct);
  call.sealed_reports = AsSpan(reports);
  std::promise<absl::Status> done;
  store.Accept(call, [&](const auto& outcomes) { done.set_value(outcomes.status()); });
  TOMBOLA_CHECK(done.get_future().get().ok());
}

// Two submissions of a period, with a report for its own node and one for the next.
void SubmitToPeriod(shuffler::Store& store, uint64_t period) {
  const char number = static_cast<char>('0' + period);
  const std::string ids = std::string(16, number) + std::string(16, static_cast<char>(number + 16));
  const std::string own = absl::StrCat("own-1--", Byte(number), "own-2--", Byte(number));
  const std::string next = absl::StrCat("next-1-", Byte(number), "next-2-", Byte(number));
  const auto key = [](uint64_t node) { return KeyId{static_cast<uint8_t>(node)}; };
  shuffler::SubmitBatch call{.of = {.task = StoreTask(), .key = key(period), .part = period},
                             .window = 7};
  call.submission_ids = AsSpan(ids);
  call.groups = {{{period, key(period)}, {}, AsSpan(own)},
                 {{period + 1, key(period + 1)}, {}, AsSpan(next)}};
  std::promise<absl::Status> done;
  store.Accept(call, [&](const auto& outcomes) { done.set_value(outcomes.status()); });
  TOMBOLA_CHECK(done.get_future().get().ok());
}

shuffler::StoreOptions Options() {
  shuffler::StoreOptions options;
  options.directory = TheScratch().In("store");
  options.log_salt = 0x0102030405060708;
  return options;
}

// The files of the store, as the target store_files reads them.
std::string StoreFiles() {
  // One that opens cuts off the space that logs take in advance.
  TOMBOLA_CHECK(shuffler::EmbeddedStore::Open(Options()).ok());
  static constexpr std::pair<const char*, int> kKinds[] = {{"held/", 0},    {"/batch", 1},
                                                           {"/reports", 2}, {"/manifest", 3},
                                                           {"seen/", 4},    {"counters/", 5}};
  std::string seed;
  for (const auto& [part, kind] : kKinds) {
    std::vector<std::string> paths;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(TheScratch().In("store"))) {
      if (entry.is_regular_file() && absl::StrContains(entry.path().string(), part)) {
        paths.push_back(entry.path().string());
      }
    }
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) {
      const std::string bytes = *ReadSmallFile(path);
      absl::StrAppend(&seed, Byte(kind), Length(bytes.size()), bytes);
    }
  }
  return seed;
}

// The content of its first file.
std::string FirstOf(absl::string_view files) {
  Input input(reinterpret_cast<const uint8_t*>(files.data()), files.size());
  input.Byte();
  const size_t length = input.Length();
  return std::string(input.Take(length));
}

}  // namespace

void AddStores(Seeds& seeds) {
  SeededRandom random(1);
  const auto manifest = [](const Manifest&) -> absl::StatusOr<std::string> { return "manifest"; };
  const auto with = [](const auto& use) {
    auto store = shuffler::EmbeddedStore::Open(Options());
    TOMBOLA_CHECK(store.ok() && (*store)->AddTask(StoreTask(), 8, 4).ok());
    use(**store);
  };
  TheScratch().Clear();
  with([](shuffler::Store& store) {
    Submit(store, 'a', 2);
    Submit(store, 'b', 1);
    Submit(store, 'b', 1);  // a duplicate
    Submit(store, 'c', 3);
  });
  seeds["store_files/held"] = StoreFiles();
  const std::string log = StoreFiles().substr(3);
  seeds["store_log/three"] = absl::StrCat(Byte(0), log);
  seeds["store_log/bad-payload"] = absl::StrCat(Byte(1), log);
  seeds["store_log/bad-header"] = absl::StrCat(Byte(2), log);
  seeds["store_log/lengths"] = absl::StrCat(Byte(4), log);
  seeds["store_log/as-it-is"] = absl::StrCat(Byte(255), log);
  seeds["store_log/reserved"] = absl::StrCat(Byte(255), log, std::string(64, '\0'));
  seeds["store_log/torn"] = absl::StrCat(Byte(255), log.substr(0, log.size() - 9));
  seeds["store_log/empty"] = absl::StrCat(Byte(0), log.substr(0, 88));
  with([&](shuffler::Store& store) {
    const auto release =
        shuffler::BatchRelease::Create({.scratch_directory = TheScratch().In("blocks")});
    TOMBOLA_CHECK(release.ok());
    TOMBOLA_CHECK(
        release->Run(store, {.of = {.task = StoreTask()}, .make_manifest = manifest}, random).ok());
    Submit(store, 'd', 2);
  });
  seeds["store_files/released"] = StoreFiles();
  with([](shuffler::Store& store) {
    TOMBOLA_CHECK(store.Erase(store.Outbox().front().batch, shuffler::BatchEnd::kForwarded).ok());
  });
  seeds["store_files/erased"] = StoreFiles();
  with([&](shuffler::Store& store) { TOMBOLA_CHECK(store.Destroy({.task = StoreTask()}).ok()); });
  seeds["store_files/destroyed"] = StoreFiles();
  TheScratch().Clear();
  with([](shuffler::Store& store) {
    SubmitToPeriod(store, 1);
    SubmitToPeriod(store, 1);  // duplicates
  });
  seeds["store_files/period"] = StoreFiles();
  seeds["store_log/period"] = absl::StrCat(Byte(0), FirstOf(StoreFiles()));
  with([](shuffler::Store& store) {
    TOMBOLA_CHECK(store.Scatter({.task = StoreTask(), .key = {1}, .part = 1}).ok());
    TOMBOLA_CHECK(store.Destroy({.task = StoreTask(), .key = {1}, .part = 1}).ok());
  });
  seeds["store_log/node"] = absl::StrCat(Byte(0), FirstOf(StoreFiles()));
  with([](shuffler::Store& store) { SubmitToPeriod(store, 2); });
  seeds["store_files/nodes"] = StoreFiles();
}

}  // namespace tombola::fuzz
