// From what is held to a batch in the outbox.
#ifndef TOMBOLA_SHUFFLER_RELEASE_BATCH_RELEASE_H_
#define TOMBOLA_SHUFFLER_RELEASE_BATCH_RELEASE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/base/batch_key.h"
#include "common/random/random_source.h"
#include "common/task/manifest.h"
#include "shuffler/store/store.h"

namespace tombola::shuffler {

struct ReleaseOptions {
  // Made if need be; on a disk. Block files are made and unlinked here.
  std::string scratch_directory;
  // Of the reports of one release; a larger batch is scattered over files. 1 or more.
  int64_t memory_limit_bytes = int64_t{256} << 20;
  // 0 means one a core.
  int threads = 0;
};

// Reports that the shuffler adds to a batch itself.
struct FakeReports {
  int64_t count = 0;
  // Writes one sealed report, of the batch's record length; called `count` times, from one thread.
  std::function<absl::Status(absl::Span<uint8_t>)> draw;
};

// What one release is asked for.
struct ReleaseRequest {
  BatchKey of;
  FakeReports fakes;
  // Asked with the number of distinct submissions that were found, before anything is published:
  // what is not OK ends the release with everything held again. Empty: any number will do.
  std::function<absl::Status(int64_t submissions)> check;
  // Gets the totals and returns the bytes to keep with the batch. Called without locks.
  std::function<absl::StatusOr<std::string>(const Manifest&)> make_manifest;
};

// Stands between a store's reader and its writer: permutes everything that is held under one batch
// key uniformly, with the fakes among it, and publishes it with its manifest. Keys and randomness
// stay on this side; a store sees sealed reports in their final order.
//
// Where the limit has room for the reports twice and 2 bytes for each, they are permuted in memory
// on all threads; where it has room for them once, in place, on one. More are scattered into block
// files, each expected to take half the limit, at most 256 of them: beyond 128 times the limit
// blocks grow with the batch. A block is permuted like a batch of its size. On top of the limit:
// 16 MiB of buffers where there are block files, and what the store takes to read (16 bytes for
// each submission and report in the embedded one). Every thread draws from a stream of its own,
// keyed from the source.
//
// One Run at a time.
class BatchRelease {
 public:
  // InvalidArgument: an option is out of its bounds.
  static absl::StatusOr<BatchRelease> Create(const ReleaseOptions& options);

  // As Store::Detach and Store::Publish: FailedPrecondition if nothing is held or a release of it
  // is under way; after any other failure everything is still held, unless the message says that
  // the outcome is in doubt.
  absl::StatusOr<Manifest> Run(Store& store, const ReleaseRequest& request,
                               RandomSource& random) const;

 private:
  BatchRelease(ReleaseOptions options, size_t threads)
      : options_(std::move(options)), threads_(threads) {}
  absl::StatusOr<DetachedTotals> Permute(Detached& from, const FakeReports& fakes,
                                         BatchWriter& writer, RandomSource& random) const;

  ReleaseOptions options_;
  size_t threads_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_RELEASE_BATCH_RELEASE_H_
