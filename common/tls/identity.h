// A certificate, its key and the roots, as they lie on disk now.
#ifndef TOMBOLA_COMMON_TLS_IDENTITY_H_
#define TOMBOLA_COMMON_TLS_IDENTITY_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "common/crypto/secret_bytes.h"
#include "common/disk/file_stamp.h"
#include "common/tls/files.h"

namespace tombola {
class Metrics;
}

namespace tombola::tls {

// One consistent reading of the files.
struct Material {
  uint64_t generation = 0;  // grows with every change
  std::string certificate;
  crypto::SecretBytes private_key;
  std::string roots;
};

// Follows three PEM files, so that certificates are changed without a restart: write the new key
// and the new certificate, in any order, best each by a rename. What is found is taken over only as
// a whole: the key must belong to the certificate, be readable by its owner alone, and the roots
// must be certificates, and a certificate whose time is not now does not take the place of one
// whose time is. Until then the former material stays in service.
//
// Thread-safe.
class Identity {
 public:
  // Told once for every change of the files that is not taken over, and when what was loaded at
  // first is out of its time: it is served all the same, since this machine's clock may be wrong.
  using Refused = std::function<void(const absl::Status&)>;

  // NotFound or PermissionDenied name the file, InvalidArgument what does not fit. The directory of
  // the private key is checked as well.
  static absl::StatusOr<std::shared_ptr<Identity>> Load(const Files& files, Refused refused = {});

  // Looks whether the files have changed; costs three calls of stat if they have not.
  std::shared_ptr<const Material> Current();
  // Reads the files even if they look unchanged. Not OK: what was found was not taken over, of
  // which Refused is told as well.
  absl::Status Reload();

 private:
  using Stamps = std::array<FileStamp, 3>;

  Identity(Files files, Refused refused) : files_(std::move(files)), refused_(std::move(refused)) {}

  Stamps Look() const;
  absl::StatusOr<Material> Read() const;
  absl::Status InTime(const Material& material) const;
  // Takes over what the files hold if it is as it should be.
  absl::Status TakeOver(const Stamps& stamps) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Files files_;
  const Refused refused_;
  Mutex mutex_;
  Stamps stamps_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const Material> material_ ABSL_GUARDED_BY(mutex_);
};

// How long a daemon's certificate lasts, for its operator:
// tombola_certificate_end_timestamp_seconds, of the certificate in service when it is asked for.
void AddCertificateEnd(std::shared_ptr<Identity> identity, Metrics& metrics);

}  // namespace tombola::tls

#endif  // TOMBOLA_COMMON_TLS_IDENTITY_H_
