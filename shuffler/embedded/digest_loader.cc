#include "shuffler/embedded/digest_loader.h"

#include <utility>

#include "common/crypto/report_digest.h"

namespace tombola::shuffler {
namespace {

constexpr size_t kAtOnce = 256;

}  // namespace

DigestLoader::DigestLoader(size_t threads, DigestIndex& index)
    : index_(index),
      pending_(threads),
      line_(threads, [this](size_t worker, Item& item) { Work(worker, item); }) {}

void DigestLoader::AddHeld(const LogHeader& header, FrameChunk& chunk) {
  Item item = line_.Spare();
  item.known = &index_[header.of.task];
  item.known->Prepare();
  item.header = header;
  item.seen.clear();
  std::swap(item.chunk, chunk);
  line_.Add(std::move(item));
}

void DigestLoader::AddSeen(const TaskId& task, uint32_t window, absl::Span<const Digest> digests) {
  Item item = line_.Spare();
  item.known = &index_[task];
  item.known->Prepare();
  item.chunk.frames.clear();
  item.seen.assign(digests.begin(), digests.end());
  item.window = window;
  line_.Add(std::move(item));
}

void DigestLoader::Work(size_t worker, Item& item) {
  Pending& pending = pending_[worker];
  if (pending.known != item.known) {
    FlushAll(pending);
    pending.known = item.known;
  }
  for (const Digest& digest : item.seen) Put(pending, item.window, digest);
  const LogHeader& header = item.header;
  const FrameLayout layout = LayoutOf(header);
  for (const FrameChunk::Frame& frame : item.chunk.frames) {
    ForEachGroup(
        item.chunk.Payload(frame), frame.submissions, layout,
        [&](size_t group, const SubmissionView& submission) {
          if (group == 0) Put(pending, submission.window, submission.id);
          const KeyId& key = header.of_period() ? header.nodes[group].key : header.of.key;
          for (auto rest = submission.reports; !rest.empty();
               rest.remove_prefix(layout.sealed_bytes)) {
            Put(pending, submission.window,
                Cut(crypto::ReportDigest(header.of.task, key, rest.first(layout.sealed_bytes))));
          }
        });
  }
}

void DigestLoader::Put(Pending& pending, uint32_t window, const Digest& digest) {
  const size_t shard = TaskDigests::ShardOf(digest);
  pending.shards[shard].push_back({digest, window});
  if (pending.shards[shard].size() == kAtOnce) Flush(pending, shard);
}

void DigestLoader::Flush(Pending& pending, size_t shard) {
  std::vector<TaskDigests::Loaded>& loaded = pending.shards[shard];
  if (loaded.empty()) return;
  int64_t inserted;
  {
    MutexLock lock(shards_[shard]);
    inserted = pending.known->Fill(shard, loaded);
  }
  loaded.clear();
  MutexLock lock(mutex_);
  inserted_[pending.known] += inserted;
}

void DigestLoader::FlushAll(Pending& pending) {
  for (size_t shard = 0; shard < TaskDigests::kShards; ++shard) Flush(pending, shard);
}

void DigestLoader::Finish() {
  line_.Finish();
  for (Pending& pending : pending_) FlushAll(pending);
  MutexLock lock(mutex_);
  for (const auto& [known, inserted] : inserted_) known->Filled(inserted);
  inserted_.clear();
}

}  // namespace tombola::shuffler
