// make_fuzz_corpus [--check] DIRECTORY: the seeds of every fuzz target, from the real encoders,
// into DIRECTORY/<target>/. The same bytes every time: with --check nothing is written, and it
// fails if a seed is missing or is not what the encoders write today.
#include <cstdio>
#include <filesystem>
#include <string>

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
#include "tests/fuzz/collector_fixture.h"
#include "tests/fuzz/fixtures.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/seeded_random.h"
#include "tombola/v1/shuffler.pb.h"

namespace tombola::fuzz {
namespace {

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
                             .groups = {{.part = 3, .reports = 2, .sealed_reports = "sealed"}},
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
