#include "common/random/keyed_random.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "common/base/check.h"

namespace tombola {
namespace {

constexpr size_t kKeyBytes = 32;
constexpr size_t kMostAtOnce = size_t{1} << 30;  // OpenSSL counts in int

}  // namespace

struct KeyedRandom::Cipher {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  // What single words are served from.
  std::array<uint8_t, 512> words;
  size_t used = sizeof(words);

  explicit Cipher(absl::Span<const uint8_t> key) {
    const std::array<uint8_t, 16> counter{};  // a key is used for one stream only
    TOMBOLA_CHECK(key.size() == kKeyBytes);
    TOMBOLA_CHECK(context != nullptr);
    TOMBOLA_CHECK(
        EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, key.data(), counter.data()) == 1);
  }
  ~Cipher() {
    EVP_CIPHER_CTX_free(context);  // wipes the key
    OPENSSL_cleanse(words.data(), words.size());
  }
};

KeyedRandom::KeyedRandom(RandomSource& parent) {
  std::array<uint8_t, kKeyBytes> key;
  parent.Fill(absl::MakeSpan(key));
  cipher_ = std::make_unique<Cipher>(key);
  OPENSSL_cleanse(key.data(), key.size());
}

KeyedRandom::KeyedRandom(absl::Span<const uint8_t> key) : cipher_(std::make_unique<Cipher>(key)) {}

KeyedRandom::~KeyedRandom() = default;

void KeyedRandom::Fill(absl::Span<uint8_t> out) {
  while (!out.empty()) {
    const absl::Span<uint8_t> piece = out.first(std::min(out.size(), kMostAtOnce));
    std::memset(piece.data(), 0, piece.size());
    int written = 0;
    TOMBOLA_CHECK(EVP_EncryptUpdate(cipher_->context, piece.data(), &written, piece.data(),
                                    static_cast<int>(piece.size())) == 1);
    TOMBOLA_CHECK(static_cast<size_t>(written) == piece.size());
    out.remove_prefix(piece.size());
  }
}

uint64_t KeyedRandom::Next64() {
  if (cipher_->used == cipher_->words.size()) {
    Fill(absl::MakeSpan(cipher_->words));
    cipher_->used = 0;
  }
  uint64_t value;
  std::memcpy(&value, cipher_->words.data() + cipher_->used, sizeof(value));
  std::memset(cipher_->words.data() + cipher_->used, 0, sizeof(value));
  cipher_->used += sizeof(value);
  return value;
}

}  // namespace tombola
