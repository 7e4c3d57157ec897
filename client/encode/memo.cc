#include "client/encode/memo.h"

#include <utility>

#include "absl/types/span.h"
#include "common/base/check.h"
#include "common/table/bloom.h"

namespace tombola::client {

using mechanism::Bloom;
using mechanism::BloomMemo;

MemoEncoder::MemoEncoder(std::shared_ptr<const mechanism::Table> table)
    : table_(std::move(table)),
      encoder_(MakeEncoder(table_)),
      bytes_(table_->report_bytes() - (table_->bloom() == nullptr ? 0 : 1)) {}

std::string MemoEncoder::Draw(uint64_t cell, RandomSource& random) const {
  std::string memo;
  const Bloom* const bloom = table_->bloom();
  if (bloom == nullptr) {
    TOMBOLA_CHECK(encoder_->Encode(cell, random, &memo) == 1);
    return memo;
  }
  TOMBOLA_CHECK(cell < static_cast<uint64_t>(table_->domain_size()));
  const BloomMemo drawn = bloom->DrawMemo(cell, random);
  memo.resize(bytes_);
  for (size_t bit = 0; bit < 8 * bytes_ && bit < drawn.size(); ++bit) {
    memo[bit / 8] = static_cast<char>(memo[bit / 8] | (drawn[bit] ? 1 : 0) << (bit % 8));
  }
  return memo;
}

std::string MemoEncoder::Say(absl::string_view memo, RandomSource& random) const {
  TOMBOLA_CHECK(memo.size() == bytes_);
  const Bloom* const bloom = table_->bloom();
  if (bloom == nullptr) return std::string(memo);
  BloomMemo kept{};
  for (size_t bit = 0; bit < 8 * bytes_ && bit < kept.size(); ++bit) {
    kept[bit] = ((memo[bit / 8] >> (bit % 8)) & 1) != 0;
  }
  std::string report(bloom->report_bytes(), '\0');
  bloom->Say(kept, random,
             absl::MakeSpan(reinterpret_cast<uint8_t*>(report.data()), report.size()));
  return report;
}

}  // namespace tombola::client
