#include "common/tls/identity.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/base/status_macros.h"
#include "common/crypto/certificate_pair.h"
#include "common/crypto/key_file.h"
#include "common/disk/whole_file.h"

namespace tombola::tls {
namespace {

absl::Status Naming(const std::string& path, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

}  // namespace

Identity::Stamps Identity::Look() const {
  return {StampOf(files_.certificate), StampOf(files_.private_key), StampOf(files_.roots)};
}

absl::StatusOr<Material> Identity::Read() const {
  Material material;
  TOMBOLA_ASSIGN_OR_RETURN(material.roots, ReadSmallFile(files_.roots));
  TOMBOLA_RETURN_IF_ERROR(Naming(files_.roots, crypto::CheckCertificates(material.roots)));
  TOMBOLA_ASSIGN_OR_RETURN(material.certificate, ReadSmallFile(files_.certificate));
  TOMBOLA_RETURN_IF_ERROR(
      Naming(files_.certificate, crypto::CheckCertificates(material.certificate)));
  TOMBOLA_RETURN_IF_ERROR(crypto::CheckDirectoryOfSecret(files_.private_key));
  TOMBOLA_ASSIGN_OR_RETURN(material.private_key, crypto::ReadSecretFile(files_.private_key));
  TOMBOLA_RETURN_IF_ERROR(
      Naming(absl::StrCat(files_.certificate, " and ", files_.private_key),
             crypto::CheckCertificatePair(material.certificate, material.private_key)));
  return material;
}

absl::Status Identity::InTime(const Material& material) const {
  return Naming(files_.certificate,
                crypto::CheckCertificateTime(material.certificate, absl::Now()));
}

absl::StatusOr<std::shared_ptr<Identity>> Identity::Load(const Files& files, Refused refused) {
  std::shared_ptr<Identity> identity(new Identity(files, std::move(refused)));
  const Stamps stamps = identity->Look();
  TOMBOLA_ASSIGN_OR_RETURN(Material material, identity->Read());
  if (const absl::Status time = identity->InTime(material); !time.ok() && identity->refused_) {
    identity->refused_(time);
  }
  material.generation = 1;
  MutexLock lock(identity->mutex_);
  identity->stamps_ = stamps;
  identity->material_ = std::make_shared<const Material>(std::move(material));
  return identity;
}

absl::Status Identity::TakeOver(const Stamps& stamps) {
  stamps_ = stamps;
  TOMBOLA_ASSIGN_OR_RETURN(Material found, Read());
  if (const absl::Status time = InTime(found); !time.ok() && InTime(*material_).ok()) return time;
  if (found.certificate != material_->certificate || found.roots != material_->roots ||
      found.private_key.ExposeSecret() != material_->private_key.ExposeSecret()) {
    found.generation = material_->generation + 1;
    material_ = std::make_shared<const Material>(std::move(found));
  }
  return absl::OkStatus();
}

std::shared_ptr<const Material> Identity::Current() {
  const Stamps stamps = Look();
  absl::Status taken;
  std::shared_ptr<const Material> current;
  {
    MutexLock lock(mutex_);
    if (stamps == stamps_) return material_;
    taken = TakeOver(stamps);
    current = material_;
  }
  if (!taken.ok() && refused_) refused_(taken);
  return current;
}

absl::Status Identity::Reload() {
  const Stamps stamps = Look();
  absl::Status taken;
  {
    MutexLock lock(mutex_);
    taken = TakeOver(stamps);
  }
  if (!taken.ok() && refused_) refused_(taken);
  return taken;
}

}  // namespace tombola::tls
