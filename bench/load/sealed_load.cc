#include "bench/load/sealed_load.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/encode/encoder.h"
#include "client/seal/report_sealer.h"
#include "common/base/status_macros.h"
#include "common/kind/kind.h"
#include "common/random/secure_random.h"

namespace tombola::bench {
namespace {

constexpr absl::string_view kMagic = "TMBLLOAD";

// Submissions `first` to `last` of the load, into its bytes.
absl::Status SealPart(const Task& task, const HpkeKey& key, int64_t first, int64_t last,
                      SealedLoad* load) {
  TOMBOLA_ASSIGN_OR_RETURN(client::ReportSealer sealer, client::ReportSealer::Create(task, key, 0));
  const auto encoder = client::MakeEncoder(task.kind().tables()[0]);
  SecureRandom random;
  std::string plaintext, sealed;
  for (int64_t i = first; i < last; ++i) {
    plaintext.clear();
    sealed.clear();
    encoder->Encode(static_cast<uint64_t>(i % task.domain().size()), random, &plaintext);
    TOMBOLA_RETURN_IF_ERROR(sealer.Append(plaintext, random, &sealed));
    SubmissionId id;
    random.Fill(absl::MakeSpan(id));
    const auto at = static_cast<size_t>(i);
    std::memcpy(load->ids.data() + at * id.size(), id.data(), id.size());
    std::memcpy(load->reports.data() + at * load->sealed_bytes, sealed.data(), sealed.size());
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view SealedLoad::IdsOf(int64_t first, int64_t count) const {
  return absl::string_view(ids).substr(static_cast<size_t>(first) * sizeof(SubmissionId),
                                       static_cast<size_t>(count) * sizeof(SubmissionId));
}

absl::string_view SealedLoad::ReportsOf(int64_t first, int64_t count) const {
  return absl::string_view(reports).substr(static_cast<size_t>(first) * sealed_bytes,
                                           static_cast<size_t>(count) * sealed_bytes);
}

absl::StatusOr<SealedLoad> Seal(const Task& task, const HpkeKey& key, int64_t count, int threads) {
  if (task.scheme()->max_reports_per_submission() != 1) {
    return absl::InvalidArgumentError("the task's mechanism must send one report a submission");
  }
  SealedLoad load{.task = task.id(), .key = key.id, .sealed_bytes = task.sealed_bytes()};
  load.ids.resize(static_cast<size_t>(count) * sizeof(SubmissionId));
  load.reports.resize(static_cast<size_t>(count) * load.sealed_bytes);
  std::vector<absl::Status> statuses(static_cast<size_t>(threads));
  std::vector<std::thread> running;
  for (int64_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      statuses[static_cast<size_t>(t)] =
          SealPart(task, key, count * t / threads, count * (t + 1) / threads, &load);
    });
  }
  for (std::thread& thread : running) thread.join();
  for (const absl::Status& status : statuses) TOMBOLA_RETURN_IF_ERROR(status);
  return load;
}

absl::Status Save(const SealedLoad& load, const std::string& path) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  const uint64_t numbers[] = {load.sealed_bytes, static_cast<uint64_t>(load.size())};
  out << kMagic << AsView(load.task) << AsView(load.key);
  out.write(reinterpret_cast<const char*>(numbers), sizeof(numbers));
  out << load.ids << load.reports;
  out.close();
  if (!out) return absl::UnavailableError(absl::StrCat("cannot write ", path));
  return absl::OkStatus();
}

absl::StatusOr<SealedLoad> Load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string magic(kMagic.size(), '\0');
  SealedLoad load;
  uint64_t numbers[2] = {};
  in.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  in.read(reinterpret_cast<char*>(load.task.data()), sizeof(TaskId));
  in.read(reinterpret_cast<char*>(load.key.data()), sizeof(KeyId));
  in.read(reinterpret_cast<char*>(numbers), sizeof(numbers));
  constexpr uint64_t kMost = uint64_t{1} << 32;
  if (!in || magic != kMagic || numbers[0] == 0 || numbers[0] > kMost || numbers[1] > kMost) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is no file of sealed reports"));
  }
  load.sealed_bytes = numbers[0];
  load.ids.resize(numbers[1] * sizeof(SubmissionId));
  load.reports.resize(numbers[1] * load.sealed_bytes);
  in.read(load.ids.data(), static_cast<std::streamsize>(load.ids.size()));
  in.read(load.reports.data(), static_cast<std::streamsize>(load.reports.size()));
  if (!in) return absl::InvalidArgumentError(absl::StrCat(path, " ends too early"));
  return load;
}

}  // namespace tombola::bench
