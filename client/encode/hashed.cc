#include <cstddef>
#include <utility>

#include "absl/types/span.h"
#include "client/encode/encoders.h"
#include "common/base/check.h"
#include "common/table/hash_family.h"
#include "common/table/local_hash_report.h"

namespace tombola::client {

HashedEncoder::HashedEncoder(std::shared_ptr<const mechanism::Hashing> hashing)
    : hashing_(std::move(hashing)) {}

int64_t HashedEncoder::Encode(absl::Span<const uint64_t> cells, RandomSource& random,
                              std::string* out) const {
  TOMBOLA_CHECK(cells.size() == 1);
  const uint64_t cell = cells.front();
  TOMBOLA_CHECK(cell < static_cast<uint64_t>(hashing_->options().domain_size));
  if (hashing_->options().family == mechanism::HashFamily::kPlane) {
    EncodeInto(hashing_->DrawPlane(random), cell, random, out);
  } else {
    EncodeInto(hashing_->DrawAffine(random), cell, random, out);
  }
  return 1;
}

template <typename Report>
void HashedEncoder::EncodeInto(Report report, uint64_t cell, RandomSource& random,
                               std::string* out) const {
  const uint32_t own = hashing_->Bucket(report, cell);
  const bool blanket = BernoulliBelow(hashing_->options().blanket_threshold, random);
  const uint32_t mask = -static_cast<uint32_t>(blanket);
  report.bucket = (report.bucket & mask) | (own & ~mask);

  const size_t start = out->size();
  out->resize(start + Report::kBytes);
  mechanism::Write(report,
                   absl::MakeSpan(reinterpret_cast<uint8_t*>(out->data()) + start, Report::kBytes));
}

}  // namespace tombola::client
