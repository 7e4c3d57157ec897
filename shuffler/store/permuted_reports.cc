#include "shuffler/store/permuted_reports.h"

#include <algorithm>
#include <functional>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/crypto/report_digest.h"
#include "shuffler/permute/permute.h"
#include "shuffler/permute/scatter.h"
#include "shuffler/store/append_writer.h"
#include "shuffler/store/block_files.h"
#include "shuffler/store/digest.h"
#include "shuffler/store/log_reader.h"
#include "shuffler/store/outbox.h"

namespace tombola::shuffler {
namespace {

constexpr size_t kWriteBytes = size_t{1} << 20;
constexpr int64_t kMostBlocks = 256;

using TakeReports = std::function<absl::Status(absl::Span<const uint8_t>)>;

// Passes the reports of all logs to `take`, and counts and digests them into `out` and `sum`.
absl::Status ReadReports(absl::Span<const LogInfo> logs, const TakeReports& take,
                         PermutedReports& out, crypto::DigestSum& sum) {
  for (const LogInfo& log : logs) {
    const LogHeader& header = log.header;
    const auto record_bytes = static_cast<size_t>(header.sealed_bytes);
    TOMBOLA_RETURN_IF_ERROR(ReadLog(log, [&](const SubmissionView& submission) {
      std::vector<Digest>& digests = out.digests[submission.window];
      digests.push_back(submission.id);
      for (auto rest = submission.reports; !rest.empty(); rest.remove_prefix(record_bytes)) {
        const crypto::Sha256Digest digest =
            crypto::ReportDigest(header.task, header.key, rest.first(record_bytes));
        sum.Add(digest);
        digests.push_back(Cut(digest));
        ++out.reports;
      }
      ++out.submissions;
      return take(submission.reports);
    }));
  }
  return absl::OkStatus();
}

// The same for the fakes, which are counted by who asked for them.
absl::Status DrawFakes(const FakeReports& fakes, const LogHeader& header, const TakeReports& take,
                       crypto::DigestSum& sum) {
  std::vector<uint8_t> report(static_cast<size_t>(header.sealed_bytes));
  for (int64_t i = 0; i < fakes.count; ++i) {
    TOMBOLA_RETURN_IF_ERROR(fakes.draw(absl::MakeSpan(report)));
    sum.Add(crypto::ReportDigest(header.task, header.key, report));
    TOMBOLA_RETURN_IF_ERROR(take(report));
  }
  return absl::OkStatus();
}

absl::Status ReadAll(absl::Span<const LogInfo> logs, const FakeReports& fakes,
                     const TakeReports& take, PermutedReports& out, crypto::DigestSum& sum) {
  TOMBOLA_RETURN_IF_ERROR(ReadReports(logs, take, out, sum));
  return DrawFakes(fakes, logs.front().header, take, sum);
}

absl::Status PermuteInMemory(absl::Span<const LogInfo> logs, const FakeReports& fakes, size_t bytes,
                             size_t record_bytes, RandomSource& random, AppendWriter& writer,
                             PermutedReports& out, crypto::DigestSum& sum) {
  std::vector<uint8_t> reports;
  reports.reserve(bytes);
  const auto take = [&](absl::Span<const uint8_t> taken) {
    reports.insert(reports.end(), taken.begin(), taken.end());
    return absl::OkStatus();
  };
  TOMBOLA_RETURN_IF_ERROR(ReadAll(logs, fakes, take, out, sum));
  Permute(absl::MakeSpan(reports), record_bytes, random);
  return writer.Append(reports);
}

absl::Status PermuteInBlocks(absl::Span<const LogInfo> logs, const FakeReports& fakes,
                             const std::string& directory, int64_t block_count, size_t record_bytes,
                             RandomSource& random, AppendWriter& writer, PermutedReports& out,
                             crypto::DigestSum& sum) {
  TOMBOLA_ASSIGN_OR_RETURN(BlockFiles blocks,
                           BlockFiles::Create(directory, static_cast<size_t>(block_count)));
  Scatter scatter(record_bytes, blocks, random);
  const auto take = [&](absl::Span<const uint8_t> reports) { return scatter.Add(reports); };
  TOMBOLA_RETURN_IF_ERROR(ReadAll(logs, fakes, take, out, sum));
  return scatter.Finish([&](absl::Span<const uint8_t> reports) { return writer.Append(reports); });
}

}  // namespace

absl::StatusOr<PermutedReports> WritePermuted(absl::Span<const LogInfo> logs,
                                              const FakeReports& fakes,
                                              const std::string& directory,
                                              int64_t memory_limit_bytes, RandomSource& random) {
  TOMBOLA_CHECK(!logs.empty() && memory_limit_bytes > 0);
  const int64_t record_bytes = logs.front().header.sealed_bytes;
  int64_t bytes = fakes.count * record_bytes;
  for (const LogInfo& log : logs) {
    TOMBOLA_CHECK(log.header.sealed_bytes == record_bytes);
    bytes += log.amounts.reports * record_bytes;
  }
  TOMBOLA_ASSIGN_OR_RETURN(AppendWriter writer,
                           AppendWriter::Create(Outbox::ReportsIn(directory), kWriteBytes));
  PermutedReports out;
  crypto::DigestSum sum;
  if (bytes <= memory_limit_bytes) {
    TOMBOLA_RETURN_IF_ERROR(PermuteInMemory(logs, fakes, static_cast<size_t>(bytes),
                                            static_cast<size_t>(record_bytes), random, writer, out,
                                            sum));
  } else {
    const int64_t blocks = std::min(kMostBlocks, 2 * bytes / memory_limit_bytes + 1);
    TOMBOLA_RETURN_IF_ERROR(PermuteInBlocks(logs, fakes, directory, blocks,
                                            static_cast<size_t>(record_bytes), random, writer, out,
                                            sum));
  }
  TOMBOLA_RETURN_IF_ERROR(writer.Flush());
  TOMBOLA_RETURN_IF_ERROR(writer.file().SyncData());
  out.checksum = writer.checksum();
  out.digest_sum = sum.Value();
  return out;
}

absl::StatusOr<DigestsByWindow> CollectDigests(absl::Span<const LogInfo> logs) {
  PermutedReports out;
  crypto::DigestSum sum;
  const auto drop = [](absl::Span<const uint8_t>) { return absl::OkStatus(); };
  TOMBOLA_RETURN_IF_ERROR(ReadReports(logs, drop, out, sum));
  return std::move(out.digests);
}

}  // namespace tombola::shuffler
