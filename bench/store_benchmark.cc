// Durable records a second: the shuffler's log, the whole store, and SQLite beside them. A record
// has 106 bytes: 22 of the submission's header and a sealed report of 84. The argument is the
// number of records a commit; every commit is synced before the next.
#include <sqlite3.h>
#include <stdlib.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "common/base/encoding.h"
#include "shuffler/embedded/embedded_store.h"
#include "shuffler/log/log_writer.h"

namespace tombola::shuffler {
namespace {

constexpr int64_t kSealedBytes = 84;
constexpr size_t kRecordBytes = kSubmissionHeaderBytes + kSealedBytes;

// On the disk of TMPDIR: on a file system in memory the figures would say nothing.
class Directory {
 public:
  Directory() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tombola-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}

void DurableLog(benchmark::State& state) {
  const Directory directory;
  const auto writer = LogWriter::Create(directory.path() + "/task",
                                        {{TaskId{1}, KeyId{2}}, kSealedBytes, 0, 1}, {});
  Require(writer.ok(), "creating the log");
  const std::string report(kSealedBytes, 'r');
  for (auto _ : state) {
    FrameBuilder frame;
    for (int64_t i = 0; i < state.range(0); ++i) frame.Add(Digest{}, 7, 1, AsBytes(report));
    Require((*writer)->Append(frame, 0).ok(), "appending");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(DurableLog)->Arg(1)->Arg(100)->Arg(1000)->UseRealTime();

void Run(sqlite3* database, const char* statement) {
  Require(sqlite3_exec(database, statement, nullptr, nullptr, nullptr) == SQLITE_OK, statement);
}

void DurableSqlite(benchmark::State& state) {
  const Directory directory;
  sqlite3* database = nullptr;
  Require(sqlite3_open((directory.path() + "/held.db").c_str(), &database) == SQLITE_OK, "opening");
  Run(database, "PRAGMA journal_mode=WAL");
  Run(database, "PRAGMA synchronous=FULL");
  Run(database, "CREATE TABLE held (id INTEGER PRIMARY KEY, record BLOB NOT NULL)");
  sqlite3_stmt* insert = nullptr;
  Require(sqlite3_prepare_v2(database, "INSERT INTO held (record) VALUES (?)", -1, &insert,
                             nullptr) == SQLITE_OK,
          "preparing");
  const std::string record(kRecordBytes, 'r');
  for (auto _ : state) {
    Run(database, "BEGIN");
    for (int64_t i = 0; i < state.range(0); ++i) {
      sqlite3_bind_blob(insert, 1, record.data(), static_cast<int>(record.size()), SQLITE_STATIC);
      Require(sqlite3_step(insert) == SQLITE_DONE, "inserting");
      sqlite3_reset(insert);
    }
    Run(database, "COMMIT");
  }
  sqlite3_finalize(insert);
  sqlite3_close(database);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(DurableSqlite)->Arg(1)->Arg(100)->Arg(1000)->UseRealTime();

// Calls of `submissions` fresh submissions each, with their memory.
struct Calls {
  explicit Calls(int64_t count, int64_t submissions)
      : ids(static_cast<size_t>(count)), reports(static_cast<size_t>(count)) {
    for (size_t c = 0; c < ids.size(); ++c) {
      ids[c].resize(static_cast<size_t>(submissions) * kSubmissionIdBytes);
      reports[c].resize(static_cast<size_t>(submissions * kSealedBytes));
    }
  }
  void Renew() {
    for (std::string& id : ids) {
      for (size_t at = 0; at < id.size(); at += kSubmissionIdBytes) {
        std::memcpy(&id[at], &++next, 8);
      }
    }
    for (std::string& report : reports) {
      for (size_t at = 0; at < report.size(); at += kSealedBytes) {
        std::memcpy(&report[at], &++next, 8);
      }
    }
  }
  std::vector<std::string> ids, reports;
  uint64_t next = 0;
};

// Everything: hashing, recognising duplicates, the queue, the commit, the answer. The arguments are
// the submissions a call and the calls in flight, which share commits as they come.
void DurableStore(benchmark::State& state) {
  const Directory directory;
  StoreOptions options;
  options.directory = directory.path() + "/store";
  auto store = EmbeddedStore::Open(options);
  Require(store.ok(), "opening the store");
  const TaskId task{1};
  Require((*store)->AddTask(task, kSealedBytes, 1).ok(), "adding the task");
  Calls calls(state.range(1), state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    calls.Renew();
    std::vector<std::promise<bool>> answers(calls.ids.size());
    state.ResumeTiming();
    for (size_t c = 0; c < answers.size(); ++c) {
      (*store)->Accept({{task, KeyId{2}}, 7, AsBytes(calls.ids[c]), {}, AsBytes(calls.reports[c])},
                       [&answers, c](auto outcomes) { answers[c].set_value(outcomes.ok()); });
    }
    for (std::promise<bool>& answer : answers) Require(answer.get_future().get(), "accepting");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(1));
}
BENCHMARK(DurableStore)
    ->ArgNames({"submissions", "calls"})
    ->Args({1, 1})
    ->Args({100, 1})
    ->Args({1000, 1})
    ->Args({1, 64})
    ->Args({1000, 16})
    ->UseRealTime();

}  // namespace
}  // namespace tombola::shuffler
