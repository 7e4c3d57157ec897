#include "common/crypto/revocation_list.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/crypto/certificate_reader.h"

namespace tombola::crypto {
namespace {

using List = std::unique_ptr<X509_CRL, OpenSslDeleter<X509_CRL_free>>;

std::vector<Certificate> AllCertificates(absl::string_view pem) {
  std::vector<Certificate> all;
  const Bio bio = Reading(pem);
  while (Certificate next = NextCertificate(bio.get())) all.push_back(std::move(next));
  return all;
}

bool IsSigned(X509_CRL* list, const std::vector<Certificate>& roots) {
  return std::any_of(roots.begin(), roots.end(), [list](const Certificate& root) {
    return X509_NAME_cmp(X509_get_subject_name(root.get()), X509_CRL_get_issuer(list)) == 0 &&
           X509_CRL_verify(list, X509_get0_pubkey(root.get())) == 1;
  });
}

bool HasCritical(const STACK_OF(X509_EXTENSION) * extensions) {
  for (int i = 0; i < sk_X509_EXTENSION_num(extensions); ++i) {
    if (X509_EXTENSION_get_critical(sk_X509_EXTENSION_value(extensions, i)) != 0) return true;
  }
  return false;
}

// RFC 5280, section 5.2: a list with a critical extension that is not processed must not be used.
bool IsPlain(X509_CRL* list) {
  if (HasCritical(X509_CRL_get0_extensions(list))) return false;
  const STACK_OF(X509_REVOKED)* const revoked = X509_CRL_get_REVOKED(list);
  for (int i = 0; i < sk_X509_REVOKED_num(revoked); ++i) {
    if (HasCritical(X509_REVOKED_get0_extensions(sk_X509_REVOKED_value(revoked, i)))) return false;
  }
  return true;
}

}  // namespace

struct RevocationLists::Handles {
  std::vector<List> lists;
};

RevocationLists::RevocationLists(std::unique_ptr<Handles> handles) : handles_(std::move(handles)) {}
RevocationLists::~RevocationLists() = default;
RevocationLists::RevocationLists(RevocationLists&&) noexcept = default;
RevocationLists& RevocationLists::operator=(RevocationLists&&) noexcept = default;

absl::StatusOr<RevocationLists> RevocationLists::Parse(absl::string_view lists,
                                                       absl::string_view roots) {
  const ErrorQueueScope errors;
  const std::vector<Certificate> authorities = AllCertificates(roots);
  auto handles = std::make_unique<Handles>();
  const Bio bio = Reading(lists);
  while (List next{PEM_read_bio_X509_CRL(bio.get(), nullptr, &NoPassword, nullptr)}) {
    handles->lists.push_back(std::move(next));
  }
  if (handles->lists.empty() || !AtEnd()) {
    return absl::InvalidArgumentError("must hold whole revocation lists (CRL) in PEM");
  }
  for (const List& list : handles->lists) {
    if (!IsSigned(list.get(), authorities)) {
      return absl::InvalidArgumentError(
          "has a revocation list that no certificate of the roots has signed");
    }
    if (!IsPlain(list.get())) {
      return absl::InvalidArgumentError(
          "has a revocation list with a critical extension: it must be a whole list of one "
          "authority's certificates");
    }
  }
  return RevocationLists(std::move(handles));
}

bool RevocationLists::Revoke(absl::string_view chain) const {
  const ErrorQueueScope errors;
  const std::vector<Certificate> certificates = AllCertificates(chain);
  if (certificates.empty()) return true;
  for (const Certificate& certificate : certificates) {
    for (const List& list : handles_->lists) {
      X509_REVOKED* entry = nullptr;
      if (X509_NAME_cmp(X509_CRL_get_issuer(list.get()), X509_get_issuer_name(certificate.get())) ==
              0 &&
          X509_CRL_get0_by_cert(list.get(), &entry, certificate.get()) != 0) {
        return true;
      }
    }
  }
  return false;
}

int64_t RevocationLists::size() const {
  int64_t size = 0;
  for (const List& list : handles_->lists) {
    size += std::max(0, sk_X509_REVOKED_num(X509_CRL_get_REVOKED(list.get())));
  }
  return size;
}

}  // namespace tombola::crypto
