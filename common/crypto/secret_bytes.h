// Bytes that nobody else may see.
#ifndef TOMBOLA_COMMON_CRYPTO_SECRET_BYTES_H_
#define TOMBOLA_COMMON_CRYPTO_SECRET_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tombola::crypto {

// Owns a secret of a size fixed at construction. The bytes are wiped before their memory is given
// back: on destruction and when another secret is moved in. A move hands the memory over and leaves
// the source empty; a copy must be asked for with Clone(). Neither printable nor comparable: the
// content is read only through ExposeSecret(), a name that can be searched for.
//
// Does not keep the bytes out of swap or core dumps, and cannot wipe what the caller copied from.
//
// Thread-compatible: const members may be called from several threads at once.
class SecretBytes {
 public:
  SecretBytes() = default;
  explicit SecretBytes(absl::Span<const uint8_t> bytes);
  explicit SecretBytes(absl::string_view bytes);
  // `size` zero bytes, to be filled through ExposeSecretForWriting().
  static SecretBytes OfSize(size_t size);

  ~SecretBytes();
  SecretBytes(SecretBytes&& other) noexcept;
  SecretBytes& operator=(SecretBytes&& other) noexcept;
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;

  SecretBytes Clone() const;

  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  // Valid until this object is moved from, assigned to or destroyed.
  absl::Span<const uint8_t> ExposeSecret() const { return bytes_; }
  absl::string_view ExposeSecretAsString() const;
  absl::Span<uint8_t> ExposeSecretForWriting() { return absl::MakeSpan(bytes_); }

 private:
  void Wipe();

  std::vector<uint8_t> bytes_;  // Never grows, so it leaves no unwiped copy behind.
};

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_SECRET_BYTES_H_
