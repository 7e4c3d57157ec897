// Many sources from one: what gives every thread its own.
#ifndef TOMBOLA_COMMON_RANDOM_KEYED_RANDOM_H_
#define TOMBOLA_COMMON_RANDOM_KEYED_RANDOM_H_

#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "common/random/random_source.h"

namespace tombola {

// The key stream of AES-256 in counter mode under a key that is drawn from another source: from a
// cryptographic source, one that cannot be told from uniform bits, independent of every other drawn
// from it; from a seeded one, the same stream again. The key is wiped with the object. For one
// piece of work, not for the life of a process: it is never keyed anew, and a fork copies it.
//
// Not thread-safe: one a thread.
class KeyedRandom final : public RandomSource {
 public:
  // Draws 32 bytes from `parent`, which is not used afterwards.
  explicit KeyedRandom(RandomSource& parent);
  // Of a key that is kept, 32 bytes: the same stream again. No key is for two uses.
  explicit KeyedRandom(absl::Span<const uint8_t> key);
  ~KeyedRandom() override;
  KeyedRandom(const KeyedRandom&) = delete;
  KeyedRandom& operator=(const KeyedRandom&) = delete;

  uint64_t Next64() override;
  void Fill(absl::Span<uint8_t> out) override;

 private:
  struct Cipher;
  std::unique_ptr<Cipher> cipher_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_RANDOM_KEYED_RANDOM_H_
