#include "shuffler/release/batch_release.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/base/status_macros.h"
#include "common/crypto/report_digest.h"
#include "common/disk/directory.h"
#include "common/random/keyed_random.h"
#include "shuffler/permute/memory_permute.h"
#include "shuffler/permute/page_buffer.h"
#include "shuffler/permute/scatter.h"
#include "shuffler/release/block_files.h"

namespace tombola::shuffler {
namespace {

constexpr size_t kMostBlocks = 256;

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

// One batch on its way from a store's reader to its writer.
struct Batch {
  Detached& from;
  const FakeReports& fakes;
  BatchWriter& writer;
  size_t record_bytes = 0;
  size_t bytes = 0;  // of the reports at most, without the fakes
  size_t memory_limit = 0;
  absl::Span<RandomSource* const> sources;

  size_t fakes_bytes() const { return static_cast<size_t>(fakes.count) * record_bytes; }
};

// Writes one fake into `report`. Fakes are counted by who asked for them.
absl::Status DrawFake(const Batch& batch, absl::Span<uint8_t> report, DetachedTotals& read) {
  TOMBOLA_RETURN_IF_ERROR(batch.fakes.draw(report));
  const BatchKey& of = batch.from.of();
  read.digest_sum.Add(crypto::ReportDigest(of.task, of.key, report));
  return absl::OkStatus();
}

absl::StatusOr<DetachedTotals> PermuteInMemory(const Batch& batch) {
  PageBuffer buffer(batch.bytes + batch.fakes_bytes());
  TOMBOLA_ASSIGN_OR_RETURN(DetachedTotals read,
                           batch.from.Read({.memory = buffer.bytes().first(batch.bytes)}));
  const size_t found = static_cast<size_t>(read.reports) * batch.record_bytes;
  const absl::Span<uint8_t> reports = buffer.bytes().first(found + batch.fakes_bytes());
  for (size_t at = found; at < reports.size(); at += batch.record_bytes) {
    TOMBOLA_RETURN_IF_ERROR(DrawFake(batch, reports.subspan(at, batch.record_bytes), read));
  }
  MemoryPermute permute(batch.sources, batch.memory_limit);
  TOMBOLA_RETURN_IF_ERROR(batch.writer.Append(permute.Run(reports, batch.record_bytes).records));
  return read;
}

absl::StatusOr<DetachedTotals> PermuteInBlocks(const Batch& batch, const std::string& directory) {
  const size_t wanted = 2 * (batch.bytes + batch.fakes_bytes()) / batch.memory_limit + 1;
  TOMBOLA_ASSIGN_OR_RETURN(BlockFiles blocks,
                           BlockFiles::Create(directory, std::min(kMostBlocks, wanted)));
  Scatter scatter(batch.record_bytes, blocks, batch.sources, batch.memory_limit);
  TOMBOLA_ASSIGN_OR_RETURN(DetachedTotals read,
                           batch.from.Read({.take = [&](absl::Span<const uint8_t> reports) {
                             return scatter.Add(reports);
                           }}));
  std::vector<uint8_t> fake(batch.record_bytes);
  for (int64_t i = 0; i < batch.fakes.count; ++i) {
    TOMBOLA_RETURN_IF_ERROR(DrawFake(batch, absl::MakeSpan(fake), read));
    TOMBOLA_RETURN_IF_ERROR(scatter.Add(fake));
  }
  TOMBOLA_RETURN_IF_ERROR(scatter.Finish(
      [&](absl::Span<const uint8_t> reports) { return batch.writer.Append(reports); }));
  return read;
}

}  // namespace

absl::StatusOr<BatchRelease> BatchRelease::Create(const ReleaseOptions& options) {
  if (options.memory_limit_bytes < 1 || options.memory_limit_bytes > int64_t{1} << 50) {
    return absl::InvalidArgumentError(absl::StrCat(
        "memory_limit_bytes is ", options.memory_limit_bytes, ", must be from 1 to 2^50"));
  }
  if (options.threads < 0 || options.threads > 1024) {
    return absl::InvalidArgumentError(
        absl::StrCat("threads is ", options.threads, ", must be from 0 to 1024"));
  }
  TOMBOLA_RETURN_IF_ERROR(MakeDirectory(options.scratch_directory));
  return BatchRelease(options, options.threads > 0
                                   ? static_cast<size_t>(options.threads)
                                   : std::max<size_t>(1, std::thread::hardware_concurrency()));
}

absl::StatusOr<DetachedTotals> BatchRelease::Permute(Detached& from, const FakeReports& fakes,
                                                     BatchWriter& writer,
                                                     RandomSource& random) const {
  const Sources sources(threads_, random);
  const Batch batch = {.from = from,
                       .fakes = fakes,
                       .writer = writer,
                       .record_bytes = static_cast<size_t>(from.sealed_bytes()),
                       .bytes = static_cast<size_t>(from.most_reports() * from.sealed_bytes()),
                       .memory_limit = static_cast<size_t>(options_.memory_limit_bytes),
                       .sources = sources.all()};
  return batch.bytes + batch.fakes_bytes() <= batch.memory_limit
             ? PermuteInMemory(batch)
             : PermuteInBlocks(batch, options_.scratch_directory);
}

absl::StatusOr<Manifest> BatchRelease::Run(Store& store, const ReleaseRequest& request,
                                           RandomSource& random) const {
  TOMBOLA_ASSIGN_OR_RETURN(std::unique_ptr<Detached> from, store.Detach(request.of));
  BatchId batch;
  random.Fill(absl::MakeSpan(batch));
  TOMBOLA_ASSIGN_OR_RETURN(std::unique_ptr<BatchWriter> writer, store.NewBatch(batch));
  TOMBOLA_ASSIGN_OR_RETURN(const DetachedTotals read,
                           Permute(*from, request.fakes, *writer, random));
  if (request.check) TOMBOLA_RETURN_IF_ERROR(request.check(read.submissions));
  const Manifest totals = {.of = request.of,
                           .batch = batch,
                           .submissions = read.submissions,
                           .reports_in = read.reports,
                           .duplicates = read.duplicates,
                           .fakes = request.fakes.count,
                           .reports_out = read.reports + request.fakes.count,
                           .digest_sum = read.digest_sum.Value()};
  TOMBOLA_ASSIGN_OR_RETURN(const std::string manifest, request.make_manifest(totals));
  TOMBOLA_RETURN_IF_ERROR(store.Publish(std::move(from), std::move(writer), totals, manifest));
  return totals;
}

}  // namespace tombola::shuffler
