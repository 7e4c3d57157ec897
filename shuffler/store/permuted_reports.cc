#include "shuffler/store/permuted_reports.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/crypto/report_digest.h"
#include "common/random/keyed_random.h"
#include "shuffler/permute/memory_permute.h"
#include "shuffler/permute/page_buffer.h"
#include "shuffler/permute/scatter.h"
#include "shuffler/store/append_writer.h"
#include "shuffler/store/block_files.h"
#include "shuffler/store/digest_sort.h"
#include "shuffler/store/held_reports.h"
#include "shuffler/store/outbox.h"

namespace tombola::shuffler {
namespace {

constexpr size_t kWriteBytes = size_t{1} << 20;
constexpr int64_t kMostBlocks = 256;

// One source a thread.
class Sources {
 public:
  Sources(size_t threads, RandomSource& random) {
    for (size_t i = 0; i < threads; ++i) {
      owned_.push_back(std::make_unique<KeyedRandom>(random));
      sources_.push_back(owned_.back().get());
    }
  }
  absl::Span<RandomSource* const> all() const { return sources_; }

 private:
  std::vector<std::unique_ptr<KeyedRandom>> owned_;
  std::vector<RandomSource*> sources_;
};

// One batch on its way from the logs to its file.
struct Batch {
  absl::Span<const LogInfo> logs;
  const FakeReports& fakes;
  size_t record_bytes = 0;
  size_t bytes = 0;  // of the reports, without the fakes
  size_t threads = 0;
  size_t memory_limit = 0;
  absl::Span<RandomSource* const> sources;
  AppendWriter& writer;

  size_t fakes_bytes() const { return static_cast<size_t>(fakes.count) * record_bytes; }
};

void SortAll(DigestsByWindow& digests, size_t threads) {
  for (auto& [window, of_window] : digests) SortDigests(absl::MakeSpan(of_window), threads);
}

// Writes one fake into `report`. Fakes are counted by who asked for them.
absl::Status DrawFake(const Batch& batch, absl::Span<uint8_t> report, HeldReports& held) {
  const LogHeader& header = batch.logs.front().header;
  TOMBOLA_RETURN_IF_ERROR(batch.fakes.draw(report));
  held.sum.Add(crypto::ReportDigest(header.task, header.key, report));
  return absl::OkStatus();
}

absl::Status Sync(AppendWriter& writer) {
  TOMBOLA_RETURN_IF_ERROR(writer.Flush());
  return writer.file().SyncData();
}

absl::Status PermuteInMemory(const Batch& batch, HeldReports& held) {
  PageBuffer buffer(batch.bytes + batch.fakes_bytes());
  absl::Span<uint8_t> reports = buffer.bytes();
  TOMBOLA_ASSIGN_OR_RETURN(
      held, ReadHeld(batch.logs, batch.threads, {.memory = reports.first(batch.bytes)}));
  if (static_cast<size_t>(held.reports) * batch.record_bytes != batch.bytes) {
    return absl::DataLossError("the logs hold fewer reports than were accepted");
  }
  for (size_t at = batch.bytes; at < reports.size(); at += batch.record_bytes) {
    TOMBOLA_RETURN_IF_ERROR(DrawFake(batch, reports.subspan(at, batch.record_bytes), held));
  }
  // While the disk is waited for.
  const std::jthread sorter([&] { SortAll(held.digests, batch.threads); });
  MemoryPermute permute(batch.sources, batch.memory_limit);
  TOMBOLA_RETURN_IF_ERROR(batch.writer.Append(permute.Run(reports, batch.record_bytes).records));
  return Sync(batch.writer);
}

absl::Status PermuteInBlocks(const Batch& batch, const std::string& directory, HeldReports& held) {
  const size_t wanted = 2 * (batch.bytes + batch.fakes_bytes()) / batch.memory_limit + 1;
  TOMBOLA_ASSIGN_OR_RETURN(
      BlockFiles blocks,
      BlockFiles::Create(directory, std::min(static_cast<size_t>(kMostBlocks), wanted)));
  Scatter scatter(batch.record_bytes, blocks, batch.sources, batch.memory_limit);
  const auto take = [&](absl::Span<const uint8_t> reports) { return scatter.Add(reports); };
  TOMBOLA_ASSIGN_OR_RETURN(held, ReadHeld(batch.logs, batch.threads, {.take = take}));
  std::vector<uint8_t> fake(batch.record_bytes);
  for (int64_t i = 0; i < batch.fakes.count; ++i) {
    TOMBOLA_RETURN_IF_ERROR(DrawFake(batch, absl::MakeSpan(fake), held));
    TOMBOLA_RETURN_IF_ERROR(scatter.Add(fake));
  }
  const std::jthread sorter([&] { SortAll(held.digests, batch.threads); });
  TOMBOLA_RETURN_IF_ERROR(scatter.Finish(
      [&](absl::Span<const uint8_t> reports) { return batch.writer.Append(reports); }));
  return Sync(batch.writer);
}

}  // namespace

absl::StatusOr<PermutedReports> WritePermuted(absl::Span<const LogInfo> logs,
                                              const FakeReports& fakes,
                                              const std::string& directory,
                                              const PermuteMeans& means, RandomSource& random) {
  TOMBOLA_CHECK(!logs.empty() && means.threads > 0 && means.memory_limit_bytes > 0);
  const int64_t record_bytes = logs.front().header.sealed_bytes;
  int64_t bytes = 0;
  for (const LogInfo& log : logs) {
    TOMBOLA_CHECK(log.header.sealed_bytes == record_bytes);
    bytes += log.amounts.reports * record_bytes;
  }
  TOMBOLA_ASSIGN_OR_RETURN(AppendWriter writer,
                           AppendWriter::Create(Outbox::ReportsIn(directory), kWriteBytes));
  const Sources sources(means.threads, random);
  const Batch batch = {.logs = logs,
                       .fakes = fakes,
                       .record_bytes = static_cast<size_t>(record_bytes),
                       .bytes = static_cast<size_t>(bytes),
                       .threads = means.threads,
                       .memory_limit = static_cast<size_t>(means.memory_limit_bytes),
                       .sources = sources.all(),
                       .writer = writer};
  HeldReports held;
  if (batch.bytes + batch.fakes_bytes() <= batch.memory_limit) {
    TOMBOLA_RETURN_IF_ERROR(PermuteInMemory(batch, held));
  } else {
    TOMBOLA_RETURN_IF_ERROR(PermuteInBlocks(batch, directory, held));
  }
  return PermutedReports{.submissions = held.submissions,
                         .reports = held.reports,
                         .digest_sum = held.sum.Value(),
                         .checksum = writer.checksum(),
                         .digests = std::move(held.digests)};
}

absl::StatusOr<DigestsByWindow> CollectDigests(absl::Span<const LogInfo> logs, size_t threads) {
  TOMBOLA_ASSIGN_OR_RETURN(HeldReports held, ReadHeld(logs, threads, {}));
  SortAll(held.digests, threads);
  return std::move(held.digests);
}

}  // namespace tombola::shuffler
