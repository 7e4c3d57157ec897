// make_fuzz_corpus [--check] DIRECTORY: the seeds of every fuzz target, from the real encoders,
// into DIRECTORY/<target>/. The same bytes every time: with --check nothing is written, and it
// fails if a seed is missing or is not what the encoders write today.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <future>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/ledger/ledger.h"
#include "common/base/check.h"
#include "common/crypto/hpke_open.h"
#include "common/crypto/hpke_seal.h"
#include "common/crypto/sha256.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"
#include "common/task/progress.h"
#include "common/task/shuffler_time.h"
#include "shuffler/embedded/embedded_store.h"
#include "shuffler/release/batch_release.h"
#include "tests/fuzz/collector_fixture.h"
#include "tests/fuzz/fixtures.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/scratch.h"
#include "tests/support/seeded_random.h"
#include "tombola/v1/shuffler.pb.h"

namespace tombola::fuzz {
namespace {

// By "<target>/<name>".
using Seeds = std::map<std::string, std::string>;

std::string Byte(int value) { return std::string(1, static_cast<char>(value)); }
std::string Length(size_t size) {
  return absl::StrCat(Byte(static_cast<int>(size & 0xFF)), Byte(static_cast<int>(size >> 8)));
}

absl::Span<uint8_t> Writable(std::string& bytes) {
  return absl::MakeSpan(reinterpret_cast<uint8_t*>(bytes.data()), bytes.size());
}

void AddTasks(Seeds& seeds) {
  int number = 0;
  for (v1::Task task : TasksOfEveryMechanism()) {
    seeds[absl::StrCat("task/mechanism-", number++)] = task.SerializeAsString();
    task.mutable_domain()->clear_labels();
    task.mutable_domain()->set_other(3);
    task.mutable_batch_policy()->set_interval(86400);
    task.mutable_batch_policy()->set_dishonest_share(0.1);
    seeds[absl::StrCat("task/unnamed-", number)] = task.SerializeAsString();
  }
  v1::Task task = TestTaskProto();
  task.set_kind(v1::KIND_NUMBER);
  task.mutable_domain()->Clear();
  task.mutable_domain()->set_size(10);
  v1::Numbers* const numbers = task.mutable_numbers();
  numbers->add_edges(0);
  numbers->add_edges(5);
  numbers->set_missing(true);
  numbers->set_sent(1);
  task.mutable_mechanism()->mutable_grr()->set_blanket_threshold(uint64_t{1} << 63);
  numbers->set_dithered(true);
  seeds["task/number-dithered"] = task.SerializeAsString();
  numbers->set_dithered(false);
  numbers->set_branching(3);
  numbers->set_sent(3);
  seeds["task/number-tree"] = task.SerializeAsString();
}

v1::Manifest ManifestOf(uint64_t fakes) {
  v1::Manifest manifest;
  manifest.set_task_id(std::string(32, 't'));
  manifest.set_batch_id(std::string(16, 'b'));
  manifest.set_key_id(std::string(8, 'k'));
  manifest.set_submissions(10);
  manifest.set_reports_in(12);
  manifest.set_duplicates(1);
  manifest.set_fakes(fakes);
  manifest.set_reports_out(12 + fakes);
  manifest.set_digest_sum(std::string(32, 'd'));
  return manifest;
}

void AddSigned(Seeds& seeds) {
  for (const int keys : {0, 1, 3}) {
    const std::string list = KeyListOf(5, keys).SerializeAsString();
    seeds[absl::StrCat("signed/keys-", keys)] = absl::StrCat(Byte(0), list);
    seeds[absl::StrCat("signed/signature-", keys)] =
        absl::StrCat(Byte(1), TestCollectorKey().Sign(absl::StrCat(kKeyListContext, list)), list);
  }
  seeds["signed/manifest"] = absl::StrCat(Byte(2), ManifestOf(0).SerializeAsString());
  seeds["signed/progress"] =
      absl::StrCat(Byte(3), Progress{.task = TaskId{7},
                                     .held_percent = 35,
                                     .expired = 12,
                                     .time = absl::FromUnixMillis(1'900'000'000'123)}
                                .Serialise());
  seeds["signed/time"] = absl::StrCat(
      Byte(4), ShufflerTime{.shuffler_key = {7}, .time = absl::FromUnixMillis(1'900'000'000'123)}
                   .Serialise());
  seeds["signed/manifest-fakes"] = absl::StrCat(Byte(2), ManifestOf(3).SerializeAsString());
}

void AddCatalogs(Seeds& seeds) {
  v1::Task short_task = TestTaskProto();
  short_task.mutable_domain()->clear_labels();
  const std::string catalog = CatalogOf(3, {short_task}).SerializeAsString();
  const std::string none = CatalogOf(9, {}).SerializeAsString();
  const std::string served = std::string(AsView(PublicKey(7))) + std::string(AsView(PublicKey(9)));
  for (const int mode : {0, 1, 2, 3}) {
    const std::string start = absl::StrCat(Byte(mode), Length(0));
    seeds[absl::StrCat("catalog/task-", mode)] = absl::StrCat(start, catalog);
    seeds[absl::StrCat("catalog/empty-", mode)] = absl::StrCat(start, none);
  }
  const std::string ended =
      absl::StrCat(std::string(32, 0x11), std::string("\x05\0\0\0\0\0\0\0", 8));
  seeds["catalog/intervals"] = absl::StrCat(Byte(8), Length(0), ended);
  seeds["catalog/clock"] = absl::StrCat(Byte(12), Length(0), "1 boot 1800000000 0\n");
  seeds["catalog/served"] = absl::StrCat(Byte(3), Length(served.size()), served, catalog);
}

void AddSubmits(Seeds& seeds) {
  int number = 0;
  for (const v1::Task& proto : TasksOfEveryMechanism()) {
    const auto task = Task::Parse(proto.SerializeAsString());
    TOMBOLA_CHECK(task.ok());
    v1::SubmitRequest request;
    request.set_task_id(std::string(AsView((*task)->id())));
    request.set_key_id(std::string(AsView(crypto::HpkeKeyId(PublicKey(7)))));
    request.set_window(5);
    request.set_submission_ids(std::string(32, 'i'));
    size_t reports = 2;
    if ((*task)->scheme()->max_reports_per_submission() > 1) {
      const uint32_t least = proto.has_items() ? proto.items().sent() : 1;
      request.add_report_counts(least);
      request.add_report_counts(least + 2);
      reports = 2 * least + 2;
    }
    request.set_sealed_reports(std::string(reports * (*task)->sealed_bytes(), 's'));
    seeds[absl::StrCat("submit/mechanism-", number++)] =
        absl::StrCat(Byte(5), request.SerializeAsString());
  }
}

void AddReports(Seeds& seeds) {
  SeededRandom random(1);
  int number = 0;
  for (const v1::Task& proto : TasksOfEveryMechanism()) {
    const auto task = Task::Parse(proto.SerializeAsString());
    TOMBOLA_CHECK(task.ok());
    std::string report((*task)->scheme()->report_bytes(), '\0');
    std::string seed = Byte(number);
    for (int i = 0; i < 3; ++i) {
      (*task)->scheme()->DrawFake(random, Writable(report));
      absl::StrAppend(&seed, report);
    }
    report.back() = '\xff';  // beyond every range
    seeds[absl::StrCat("report/mechanism-", number++)] = absl::StrCat(seed, report);
  }
}

void AddSealed(Seeds& seeds) {
  const auto key = crypto::HpkePrivateKey::FromBytes(crypto::SecretBytes(std::string(32, 'k')));
  TOMBOLA_CHECK(key.ok());
  auto sealer = crypto::Sealer::Create(key->public_key(), "another info");
  TOMBOLA_CHECK(sealer.ok());
  SeededRandom random(1);
  for (const size_t size : {0, 5, 10, 23}) {
    const std::string report(size, 'r');
    std::string sealed(size + crypto::kHpkeOverhead, '\0');
    TOMBOLA_CHECK(sealer->Seal(AsSpan(report), random, Writable(sealed)).ok());
    seeds[absl::StrCat("hpke_open/sealed-", size)] = absl::StrCat(Byte(0), sealed);
    seeds[absl::StrCat("hpke_open/changed-", size)] =
        absl::StrCat(Byte(1), Length(37 * size), report);
  }
}

TaskId StoreTask() {
  TaskId task;
  task.fill(0x11);
  return task;
}

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
}

// Three good reports beside the fakes, and a bad one.
void AddDeliveries(Seeds& seeds) {
  TheScratch().Clear();
  const CollectorFixture collector;
  const auto key = collector.keys->PrivateKey(collector.key);
  TOMBOLA_CHECK(key.ok());
  SeededRandom random(1);
  int number = 0;
  for (const auto& task : collector.tasks) {
    auto sealer = crypto::Sealer::Create((*key)->public_key(), task->HpkeInfo(collector.key, 0));
    TOMBOLA_CHECK(sealer.ok());
    std::string reports;
    for (int64_t i = 0; i < 3 + task->scheme()->fakes(); ++i) {
      std::string report(task->scheme()->report_bytes(), '\0');
      task->scheme()->DrawFake(random, Writable(report));
      std::string sealed(task->sealed_bytes(), '\0');
      TOMBOLA_CHECK(sealer->Seal(AsSpan(report), random, Writable(sealed)).ok());
      absl::StrAppend(&reports, sealed);
    }
    absl::StrAppend(&reports, std::string(task->sealed_bytes(), 'x'));
    v1::Manifest manifest = ManifestOf(static_cast<uint64_t>(task->scheme()->fakes()));
    manifest.set_task_id(std::string(AsView(task->id())));
    manifest.set_key_id(std::string(AsView(collector.key)));
    manifest.set_submissions(2);
    const std::string bytes = manifest.SerializeAsString();
    seeds[absl::StrCat("delivery/mechanism-", number++)] =
        absl::StrCat(Byte(3), Length(bytes.size()), bytes, reports);
  }
}

void AddLedgers(Seeds& seeds) {
  TheScratch().Clear();
  const auto take = [&](const char* name) {
    const std::string file =
        TheScratch().Read(absl::StrCat("ledger/", ToHex(StoreTask()), ".ledger"));
    seeds[absl::StrCat("ledger/", name)] =
        absl::StrCat(Byte(1), file.substr(0, file.size() - crypto::kSha256Bytes));
    seeds[absl::StrCat("ledger/", name, "-whole")] = absl::StrCat(Byte(0), file);
  };
  const auto ledger = client::Ledger::Open(TheScratch().In("ledger"), StoreTask());
  TOMBOLA_CHECK(ledger.ok() && (*ledger)->NoteKeyList({.serial = 3, .keys = {}}).ok());
  take("keys");
  TOMBOLA_CHECK((*ledger)
                    ->Begin({.window = 7,
                             .part = 3,
                             .reports = 2,
                             .sealed_reports = "sealed",
                             .token = client::TokenDigest{1, 2, 3}})
                    .ok());
  take("pending");
  TOMBOLA_CHECK((*ledger)->End(client::Ending::kDelivered).ok());
  take("ended");
}

void AddConfigs(Seeds& seeds) {
  seeds["config/config"] = absl::StrCat(Byte(0), R"({"shuffler": "127.0.0.1:7001",
 "collector_ingest": "127.0.0.1:7002", "collector_query": "127.0.0.1:7003",
 "roots": "ca.pem", "shuffler_key": "aa", "collector_key": "bb",
 "administrator": {"certificate": "a.pem", "private_key": "a.key"},
 "analyst": {"certificate": "/etc/b.pem", "private_key": "b.key"},
 "operator": {"certificate": "o.pem", "private_key": "o.key"}}
)");
  seeds["config/task"] = absl::StrCat(Byte(1), R"({"name": "colours", "values": ["red", "blue"],
 "other": "red", "epsilon": 1.5, "delta": 1e-6, "users": 1e3, "min_batch": 900,
 "dishonest": 0.1, "interval": "24h", "retry_window": "1h", "lifetime": "720h",
 "submissions_per_device": 1, "mechanism": "murs", "max_local_epsilon": 8,
 "max_messages": 1.5, "range": 16, "fakes": 25, "dummies": 2.5}
)");
  seeds["config/domain"] = absl::StrCat(
      Byte(1), "{\"name\": \"n\", \"domain\": 20, \"other\": \"3\", \"users\": 100}\n");
  seeds["config/values"] = absl::StrCat(Byte(2), "red\r\nblue\ngr\xc3\xbcn\n");
}

void AddHttp(Seeds& seeds) {
  seeds["http/query"] = absl::StrCat(
      Byte(0), "/v1/tasks/0a/answer?value=gr%C3%BCn&value=a+b%2B&confidence=0.95&flag&=x");
  seeds["http/path"] = absl::StrCat(Byte(0), "//a/./%2e%2E/b%2Fc?d#e");
  const std::string digest(64, 'd');
  seeds["http/tokens"] =
      absl::StrCat(Byte(1), "# role, SHA-256 of the token, name\n\nanalyst ", digest,
                   " Ada L. # since May\r\n\tmonitor  0", digest.substr(1), "\tprometheus \n");
  seeds["http/tokens-bad"] = absl::StrCat(Byte(1), "operator ", digest, "\ndevice ", digest, " x");
}

Seeds MakeSeeds() {
  Seeds seeds;
  AddTasks(seeds);
  AddSigned(seeds);
  AddCatalogs(seeds);
  AddSubmits(seeds);
  AddReports(seeds);
  AddSealed(seeds);
  AddStores(seeds);
  AddDeliveries(seeds);
  AddLedgers(seeds);
  AddConfigs(seeds);
  AddHttp(seeds);
  return seeds;
}

bool Check(const Seeds& seeds, const std::string& directory) {
  bool same = true;
  for (const auto& [name, bytes] : seeds) {
    const auto found = ReadSmallFile(absl::StrCat(directory, "/", name));
    if (found.ok() && *found == bytes) continue;
    std::fprintf(stderr, "%s is not what the encoders write: run make_fuzz_corpus\n", name.c_str());
    same = false;
  }
  return same;
}

void Write(const Seeds& seeds, const std::string& directory) {
  for (const auto& [name, bytes] : seeds) {
    const std::string path = absl::StrCat(directory, "/", name);
    TOMBOLA_CHECK(MakeDirectories(std::filesystem::path(path).parent_path().string()).ok());
    TOMBOLA_CHECK(ReplaceFile(path, bytes).ok());
  }
}

}  // namespace
}  // namespace tombola::fuzz

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string(argv[1]) == "--check";
  if (argc != 2 && !check) {
    std::fprintf(stderr, "usage: make_fuzz_corpus [--check] DIRECTORY\n");
    return 2;
  }
  const tombola::fuzz::Seeds seeds = tombola::fuzz::MakeSeeds();
  if (check) return tombola::fuzz::Check(seeds, argv[2]) ? 0 : 1;
  tombola::fuzz::Write(seeds, argv[1]);
  std::printf("%zu seeds\n", seeds.size());
  return 0;
}
