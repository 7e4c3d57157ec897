#include "shuffler/store/digest.h"

#include "absl/strings/string_view.h"
#include "common/base/check.h"
#include "common/crypto/sha256.h"

namespace tombola::shuffler {
namespace {

absl::string_view View(absl::Span<const uint8_t> bytes) {
  return absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

Digest SubmissionDigest(const TaskId& task, absl::Span<const uint8_t> submission_id) {
  TOMBOLA_CHECK(submission_id.size() == kSubmissionIdBytes);
  return Cut(crypto::Sha256({"tombola/v1/submission", View(task), View(submission_id)}));
}

ReportDigest DigestOfReport(const TaskId& task, const KeyId& key,
                            absl::Span<const uint8_t> sealed_report) {
  return crypto::Sha256({View(task), View(key), View(sealed_report)});
}

Digest Cut(const ReportDigest& digest) {
  Digest cut;
  std::memcpy(cut.bytes.data(), digest.data(), kDigestBytes);
  return cut;
}

void DigestSum::Add(const ReportDigest& digest) {
  unsigned __int128 carry = 0;
  for (size_t i = words_.size(); i-- > 0;) {
    uint64_t word = 0;
    for (size_t b = 0; b < sizeof(word); ++b) word = word << 8 | digest[8 * i + b];
    carry += static_cast<unsigned __int128>(words_[i]) + word;
    words_[i] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
}

ReportDigest DigestSum::Value() const {
  ReportDigest value;
  for (size_t i = 0; i < value.size(); ++i) {
    value[i] = static_cast<uint8_t>(words_[i / 8] >> (56 - 8 * (i % 8)));
  }
  return value;
}

}  // namespace tombola::shuffler
