#include <cstddef>

#include "absl/types/span.h"
#include "client/encode/encoders.h"
#include "common/base/check.h"
#include "common/table/bloom.h"

namespace tombola::client {

int64_t BitsEncoder::Encode(absl::Span<const uint64_t> cells, RandomSource& random,
                            std::string* out) const {
  TOMBOLA_CHECK(cells.size() == 1);
  TOMBOLA_CHECK(cells.front() < static_cast<uint64_t>(bloom_->options().domain_size));
  const mechanism::BloomMemo memo = bloom_->DrawMemo(cells.front(), random);
  const size_t start = out->size();
  out->resize(start + bloom_->report_bytes());
  bloom_->Say(
      memo, random,
      absl::MakeSpan(reinterpret_cast<uint8_t*>(out->data()) + start, bloom_->report_bytes()));
  return 1;
}

}  // namespace tombola::client
