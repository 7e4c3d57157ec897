// From held logs to the permuted reports of a batch.
#ifndef TOMBOLA_SHUFFLER_STORE_PERMUTED_REPORTS_H_
#define TOMBOLA_SHUFFLER_STORE_PERMUTED_REPORTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/random/random_source.h"
#include "shuffler/store/fake_reports.h"
#include "shuffler/store/log_writer.h"
#include "shuffler/store/seen_files.h"

namespace tombola::shuffler {

struct PermutedReports {
  int64_t submissions = 0;
  int64_t reports = 0;  // of submissions: fakes not included
  std::array<uint8_t, 32> digest_sum{};
  uint32_t checksum = 0;    // CRC-32C of the file
  DigestsByWindow digests;  // of the submissions and of the reports, sorted, for the seen files
};

// What a release may use.
struct PermuteMeans {
  size_t threads = 1;
  int64_t memory_limit_bytes = 0;  // more than 0
};

// Reads the logs, of one task and key and at least one, and writes their reports, and nothing else
// of them, with the fakes among them, to `directory`/reports in an order drawn uniformly from all;
// synced. Where the limit has room for the reports twice and 2 bytes for each, they are permuted in
// memory on all threads; where it has room for them once, in place, on one. More are scattered into
// block files in `directory`, each expected to take half the limit, at most 256 of them: beyond 128
// times the limit blocks grow with the batch. A block is permuted like a batch of its size. On top
// of the limit: 16 bytes for each submission and report, their digests; 16 MiB of buffers where
// there are block files; and what ReadHeld takes. Every thread draws from a stream of its own,
// keyed from `random`.
absl::StatusOr<PermutedReports> WritePermuted(absl::Span<const LogInfo> logs,
                                              const FakeReports& fakes,
                                              const std::string& directory,
                                              const PermuteMeans& means, RandomSource& random);

// The digests of what the logs hold.
absl::StatusOr<DigestsByWindow> CollectDigests(absl::Span<const LogInfo> logs, size_t threads);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_PERMUTED_REPORTS_H_
