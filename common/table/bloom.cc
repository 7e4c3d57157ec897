#include "common/table/bloom.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/crypto/sha256.h"
#include "common/table/bloom_weights.h"

namespace tombola::mechanism {
namespace {

template <typename Number>
absl::Status OutOfBounds(absl::string_view field, Number value, absl::string_view bound) {
  return absl::InvalidArgumentError(
      absl::StrCat("rappor.", field, " is ", value, "; it must be ", bound));
}

absl::Status Validate(const BloomOptions& options) {
  if (options.domain_size > kMostBits) {
    return absl::InvalidArgumentError(
        absl::StrCat("domain.size is ", options.domain_size, "; rappor tells at most ", kMostBits,
                     " values apart, a bit each: local_hash is for more"));
  }
  if (options.bits < options.domain_size || options.bits > kMostBits) {
    return OutOfBounds(
        "bits", options.bits,
        absl::StrCat("at least domain.size, ", options.domain_size, ", and at most ", kMostBits));
  }
  if (options.hashes < 1 || options.hashes > std::min(options.bits, kMostBitsOfValue)) {
    return OutOfBounds("hashes", options.hashes,
                       absl::StrCat("in [1, ", std::min(options.bits, kMostBitsOfValue), "]"));
  }
  if (options.prr_threshold < 1) return OutOfBounds("prr_threshold", 0, "at least 1");
  if (options.irr_q_threshold <= options.irr_p_threshold) {
    return OutOfBounds("irr_q_threshold", options.irr_q_threshold, "above irr_p_threshold");
  }
  return absl::OkStatus();
}

std::array<uint8_t, 4> BigEndian(uint64_t number) {
  return {static_cast<uint8_t>(number >> 24), static_cast<uint8_t>(number >> 16),
          static_cast<uint8_t>(number >> 8), static_cast<uint8_t>(number)};
}

uint64_t FirstWord(const crypto::Sha256Digest& digest) {
  uint64_t word = 0;
  for (size_t i = 0; i < 8; ++i) word = word << 8 | digest[i];
  return word;
}

// The bits that a value sets.
std::vector<uint8_t> Hashed(const BloomOptions& options, uint64_t value) {
  std::vector<uint8_t> set = {static_cast<uint8_t>(value)};
  const auto seed = BigEndian(options.seed);
  const auto number = BigEndian(value);
  for (uint64_t j = 0; static_cast<int64_t>(set.size()) < options.hashes; ++j) {
    const auto step = BigEndian(j);
    const crypto::Sha256Digest digest =
        crypto::Sha256({"tombola/v1/bloom", AsView(seed), AsView(number), AsView(step)});
    const auto bit = static_cast<uint8_t>(FirstWord(digest) % static_cast<uint64_t>(options.bits));
    if (std::find(set.begin(), set.end(), bit) == set.end()) set.push_back(bit);
  }
  return set;
}

}  // namespace

absl::StatusOr<Bloom> Bloom::Create(const BloomOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(Validate(options));
  Bloom bloom(options);
  if (!TellsValuesApart(bloom)) {
    return absl::InvalidArgumentError(
        absl::StrCat("rappor.seed is ", options.seed, "; with it ", options.hashes, " of ",
                     options.bits, " bits do not tell ", options.domain_size, " values apart"));
  }
  return bloom;
}

Bloom::Bloom(const BloomOptions& options) : options_(options) {
  for (int64_t value = 0; value < options.domain_size; ++value) {
    const std::vector<uint8_t> set = Hashed(options, static_cast<uint64_t>(value));
    set_.insert(set_.end(), set.begin(), set.end());
  }
}

BloomMemo Bloom::DrawMemo(uint64_t value, RandomSource& random) const {
  BloomMemo memo{};
  for (const uint8_t bit : BitsOf(value)) memo[bit] = true;
  for (size_t bit = 0; bit < static_cast<size_t>(options_.bits); ++bit) {
    const bool replaced = BernoulliBelow(options_.prr_threshold, random);
    const bool coin = (random.Next64() >> 63) != 0;
    memo[bit] = (replaced & coin) | (!replaced & memo[bit]);
  }
  return memo;
}

void Bloom::Say(const BloomMemo& memo, RandomSource& random, absl::Span<uint8_t> report) const {
  TOMBOLA_CHECK(report.size() == report_bytes());
  std::fill(report.begin(), report.end(), uint8_t{0});
  for (size_t bit = 0; bit < static_cast<size_t>(options_.bits); ++bit) {
    const uint64_t word = random.Next64();
    const bool one = word < options_.irr_q_threshold;
    const bool zero = word < options_.irr_p_threshold;
    const bool said = (memo[bit] & one) | (!memo[bit] & zero);
    report[1 + bit / 8] |= static_cast<uint8_t>(static_cast<unsigned>(said) << (bit % 8));
  }
}

void Bloom::DrawUniform(RandomSource& random, absl::Span<uint8_t> report) const {
  random.Fill(report);
  report[0] = 0;
  if (const auto used = static_cast<unsigned>(options_.bits % 8); used != 0) {
    report.back() &= static_cast<uint8_t>((1u << used) - 1);
  }
}

ReportState Bloom::Decode(absl::Span<const uint8_t> report) const {
  if (report.size() != report_bytes()) return ReportState::kMalformed;
  const auto used = static_cast<unsigned>(options_.bits % 8);
  const bool beyond = used != 0 && (report.back() >> used) != 0;
  return report[0] != 0 || beyond ? ReportState::kOutOfRange : ReportState::kValid;
}

}  // namespace tombola::mechanism
