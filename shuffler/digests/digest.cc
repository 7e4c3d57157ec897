#include "shuffler/digests/digest.h"

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

Digest Cut(const crypto::Sha256Digest& digest) {
  Digest cut;
  std::memcpy(cut.bytes.data(), digest.data(), kDigestBytes);
  return cut;
}

}  // namespace tombola::shuffler
