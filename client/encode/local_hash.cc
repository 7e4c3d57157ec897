#include "client/encode/local_hash.h"

#include <cstddef>
#include <utility>

#include "absl/types/span.h"
#include "common/base/check.h"
#include "common/mechanism/hash_family.h"
#include "common/mechanism/local_hash_report.h"

namespace tombola::client {

LocalHashEncoder::LocalHashEncoder(std::shared_ptr<const mechanism::LocalHash> local_hash)
    : local_hash_(std::move(local_hash)) {}

int64_t LocalHashEncoder::Encode(uint64_t value, RandomSource& random, std::string* out) const {
  TOMBOLA_CHECK(value < static_cast<uint64_t>(local_hash_->domain_size()));
  if (local_hash_->options().family == mechanism::HashFamily::kPlane) {
    EncodeInto(local_hash_->DrawPlane(random), value, random, out);
  } else {
    EncodeInto(local_hash_->DrawAffine(random), value, random, out);
  }
  return 1;
}

template <typename Report>
void LocalHashEncoder::EncodeInto(Report report, uint64_t value, RandomSource& random,
                                  std::string* out) const {
  const uint32_t own = local_hash_->Bucket(report, value);
  const bool blanket = BernoulliBelow(local_hash_->options().blanket_threshold, random);
  const uint32_t mask = -static_cast<uint32_t>(blanket);
  report.bucket = (report.bucket & mask) | (own & ~mask);

  const size_t start = out->size();
  out->resize(start + Report::kBytes);
  mechanism::Write(report,
                   absl::MakeSpan(reinterpret_cast<uint8_t*>(out->data()) + start, Report::kBytes));
}

}  // namespace tombola::client
