#include "collector/open/opening.h"

#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/crypto/secret_bytes.h"
#include "common/kind/kind.h"

namespace tombola::collector {
namespace {

// Enough for the aggregators' vectors to be full nearly always.
constexpr size_t kReportsAtOnce = 256;

}  // namespace

absl::StatusOr<std::unique_ptr<Opening>> Opening::Create(const std::shared_ptr<const Task>& task,
                                                         const BatchKey& of,
                                                         const crypto::HpkePrivateKey& key,
                                                         int workers) {
  std::unique_ptr<Opening> opening(new Opening(task, of.key));
  for (int worker = 0; worker < workers; ++worker) {
    TOMBOLA_ASSIGN_OR_RETURN(crypto::Opener opener,
                             crypto::Opener::Create(key, task->HpkeInfo(of.key, of.part)));
    opening->parts_.push_back(
        Part{.opener = std::move(opener), .aggregator = TablesAggregator(task->kind().tables())});
  }
  return opening;
}

void Opening::Open(absl::string_view sealed_reports, int worker) {
  Part& part = parts_[static_cast<size_t>(worker)];
  const size_t sealed_bytes = task_->sealed_bytes();
  TOMBOLA_CHECK(sealed_reports.size() % sealed_bytes == 0);
  const size_t report_bytes = task_->scheme()->report_bytes();
  // Wiped when it goes out of scope.
  auto opened = crypto::SecretBytes::OfSize(kReportsAtOnce * report_bytes);
  const absl::Span<uint8_t> plaintext = opened.ExposeSecretForWriting();
  size_t filled = 0;
  const auto count = [&] {
    const AddedReports added = part.aggregator.AddAll(plaintext.first(filled));
    part.good += added.counted;
    part.rejected += added.rejected;
    filled = 0;
  };
  for (size_t at = 0; at < sealed_reports.size(); at += sealed_bytes) {
    const auto sealed = absl::MakeConstSpan(
        reinterpret_cast<const uint8_t*>(sealed_reports.data() + at), sealed_bytes);
    part.digest_sum.Add(crypto::ReportDigest(task_->id(), key_id_, sealed));
    if (!part.opener.Open(sealed, plaintext.subspan(filled, report_bytes))) {
      ++part.rejected.unopened;
      continue;
    }
    filled += report_bytes;
    if (filled == plaintext.size()) count();
  }
  count();
}

OpenedBatch Opening::Finish() {
  OpenedBatch batch;
  crypto::DigestSum sum;
  for (Part& part : parts_) {
    batch.good += part.good;
    batch.rejected += part.rejected;
    sum.Add(part.digest_sum);
    TOMBOLA_CHECK(batch.counts.Merge(std::move(part.aggregator).Finish()).ok());
  }
  batch.reports = batch.good + batch.rejected.total();
  batch.digest_sum = sum.Value();
  return batch;
}

}  // namespace tombola::collector
