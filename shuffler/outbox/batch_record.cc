#include "shuffler/outbox/batch_record.h"

#include "absl/strings/str_cat.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "shuffler/disk/record.h"

namespace tombola::shuffler {
namespace {

constexpr absl::string_view kBatchKind = "TMBLBTCH";
constexpr int64_t kMaxReports = int64_t{1} << 40;  // as in a manifest

bool Within(int64_t count) { return count >= 0 && count <= kMaxReports; }

// No sum and no product that is made of the counts of a valid record overflows.
bool IsValid(const BatchRecord& record) {
  const Manifest& totals = record.totals;
  return Within(totals.submissions) && Within(totals.reports_in) && Within(totals.duplicates) &&
         Within(totals.fakes) && Within(totals.reports_out) &&
         totals.submissions <= totals.reports_in &&
         totals.reports_in + totals.fakes == totals.reports_out && record.sealed_bytes >= 1 &&
         record.sealed_bytes <= kMaxSealedBytes;
}

}  // namespace

std::string EncodeBatchRecord(const BatchRecord& record) {
  std::string body;
  PutBytes(record.totals.of.task, body);
  PutBytes(record.totals.of.key, body);
  PutNumber(record.totals.of.part, body);
  PutBytes(record.totals.batch, body);
  PutNumber(record.totals.submissions, body);
  PutNumber(record.totals.reports_in, body);
  PutNumber(record.totals.duplicates, body);
  PutNumber(record.totals.fakes, body);
  PutNumber(record.totals.reports_out, body);
  PutBytes(record.totals.digest_sum, body);
  PutNumber(static_cast<uint32_t>(record.sealed_bytes), body);
  PutNumber(record.reports_checksum, body);
  PutNumber(record.manifest_checksum, body);
  PutNumber(static_cast<uint32_t>(record.sources.size()), body);
  for (const uint64_t source : record.sources) PutNumber(source, body);
  return WrapRecord(kBatchKind, body);
}

absl::StatusOr<BatchRecord> DecodeBatchRecord(absl::string_view bytes, absl::string_view path) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto body, UnwrapRecord(kBatchKind, AsBytes(bytes), path));
  Decoder decoder(body);
  BatchRecord record;
  record.totals.of.task = decoder.Bytes<32>();
  record.totals.of.key = decoder.Bytes<8>();
  record.totals.of.part = decoder.Number<uint64_t>();
  record.totals.batch = decoder.Bytes<16>();
  record.totals.submissions = decoder.Number<int64_t>();
  record.totals.reports_in = decoder.Number<int64_t>();
  record.totals.duplicates = decoder.Number<int64_t>();
  record.totals.fakes = decoder.Number<int64_t>();
  record.totals.reports_out = decoder.Number<int64_t>();
  record.totals.digest_sum = decoder.Bytes<32>();
  record.sealed_bytes = decoder.Number<uint32_t>();
  record.reports_checksum = decoder.Number<uint32_t>();
  record.manifest_checksum = decoder.Number<uint32_t>();
  const uint32_t sources = decoder.Number<uint32_t>();
  for (uint32_t i = 0; i < sources && decoder.ok(); ++i) {
    record.sources.push_back(decoder.Number<uint64_t>());
  }
  if (!decoder.ok() || decoder.left() != 0 || !IsValid(record)) {
    return absl::DataLossError(absl::StrCat(path, ": the batch's record is malformed"));
  }
  return record;
}

}  // namespace tombola::shuffler
