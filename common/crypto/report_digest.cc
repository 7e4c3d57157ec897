#include "common/crypto/report_digest.h"

#include "absl/strings/string_view.h"

namespace tombola::crypto {
namespace {

void AddWords(const std::array<uint64_t, 4>& from, std::array<uint64_t, 4>* to) {
  unsigned carry = 0;
  for (int i = 3; i >= 0; --i) {
    const __uint128_t sum = static_cast<__uint128_t>((*to)[i]) + from[i] + carry;
    (*to)[i] = static_cast<uint64_t>(sum);
    carry = static_cast<unsigned>(sum >> 64);
  }
}

std::array<uint64_t, 4> WordsOf(const Sha256Digest& digest) {
  std::array<uint64_t, 4> words{};
  for (size_t word = 0; word < words.size(); ++word) {
    for (size_t i = 0; i < 8; ++i) words[word] = words[word] << 8 | digest[8 * word + i];
  }
  return words;
}

}  // namespace

Sha256Digest ReportDigest(const TaskId& task, const KeyId& key,
                          absl::Span<const uint8_t> sealed_report) {
  const absl::string_view sealed(reinterpret_cast<const char*>(sealed_report.data()),
                                 sealed_report.size());
  return Sha256({AsView(task), AsView(key), sealed});
}

void DigestSum::Add(const Sha256Digest& digest) { AddWords(WordsOf(digest), &words_); }

void DigestSum::Add(const DigestSum& other) { AddWords(other.words_, &words_); }

void DigestSum::Subtract(const Sha256Digest& digest) {
  // -x is ~x + 1.
  std::array<uint64_t, 4> words = WordsOf(digest);
  for (uint64_t& word : words) word = ~word;
  AddWords({0, 0, 0, 1}, &words);
  AddWords(words, &words_);
}

Sha256Digest DigestSum::Value() const {
  Sha256Digest value;
  for (size_t i = 0; i < value.size(); ++i) {
    value[i] = static_cast<uint8_t>(words_[i / 8] >> (56 - 8 * (i % 8)));
  }
  return value;
}

}  // namespace tombola::crypto
