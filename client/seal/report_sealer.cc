#include "client/seal/report_sealer.h"

#include <cstdint>

#include "absl/types/span.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::client {

absl::StatusOr<ReportSealer> ReportSealer::Create(const Task& task, const HpkeKey& key,
                                                  uint64_t part) {
  TOMBOLA_ASSIGN_OR_RETURN(crypto::Sealer sealer,
                           crypto::Sealer::Create(key.public_key, task.HpkeInfo(key.id, part)));
  return ReportSealer(std::move(sealer), task.scheme()->report_bytes());
}

absl::Status ReportSealer::Append(absl::string_view plaintext, RandomSource& random,
                                  std::string* sealed) {
  TOMBOLA_CHECK(plaintext.size() % report_bytes_ == 0);
  const size_t sealed_bytes = report_bytes_ + crypto::kHpkeOverhead;
  for (size_t at = 0; at < plaintext.size(); at += report_bytes_) {
    const size_t start = sealed->size();
    sealed->resize(start + sealed_bytes);
    const auto* report = reinterpret_cast<const uint8_t*>(plaintext.data() + at);
    auto* out = reinterpret_cast<uint8_t*>(sealed->data() + start);
    TOMBOLA_RETURN_IF_ERROR(sealer_.Seal(absl::MakeConstSpan(report, report_bytes_), random,
                                         absl::MakeSpan(out, sealed_bytes)));
  }
  return absl::OkStatus();
}

}  // namespace tombola::client
