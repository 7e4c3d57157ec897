#include "common/crypto/certificate_pair.h"

#include <openssl/asn1.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/base/roles.h"
#include "common/crypto/certificate_reader.h"

namespace tombola::crypto {
namespace {

using Names = std::unique_ptr<GENERAL_NAMES, OpenSslDeleter<GENERAL_NAMES_free>>;

absl::StatusOr<absl::Time> TimeOf(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) {
    return absl::InvalidArgumentError("the certificate has no proper begin and end");
  }
  return absl::FromTM(parts, absl::UTCTimeZone());
}

}  // namespace

absl::Status CheckCertificates(absl::string_view pem) {
  const ErrorQueueScope errors;
  const Bio bio = Reading(pem);
  int found = 0;
  while (NextCertificate(bio.get()) != nullptr) ++found;
  if (found > 0 && AtEnd()) return absl::OkStatus();
  return absl::InvalidArgumentError("must hold whole certificates in PEM");
}

absl::Status CheckCertificateTime(absl::string_view chain, absl::Time now) {
  const ErrorQueueScope errors;
  const Certificate certificate = NextCertificate(Reading(chain).get());
  if (certificate == nullptr) {
    return absl::InvalidArgumentError("the certificate must be in PEM");
  }
  const absl::StatusOr<absl::Time> begin = TimeOf(X509_get0_notBefore(certificate.get()));
  const absl::StatusOr<absl::Time> end = TimeOf(X509_get0_notAfter(certificate.get()));
  if (!begin.ok()) return begin.status();
  if (!end.ok()) return end.status();
  if (now < *begin) {
    return absl::FailedPreconditionError(absl::StrCat("the certificate is valid from ",
                                                      absl::FormatTime(*begin, absl::UTCTimeZone()),
                                                      " on only"));
  }
  if (now > *end) {
    return absl::FailedPreconditionError(
        absl::StrCat("the certificate ended ", absl::FormatTime(*end, absl::UTCTimeZone())));
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::Time> CertificateEnd(absl::string_view chain) {
  const ErrorQueueScope errors;
  const Certificate certificate = NextCertificate(Reading(chain).get());
  if (certificate == nullptr) {
    return absl::InvalidArgumentError("the certificate must be in PEM");
  }
  return TimeOf(X509_get0_notAfter(certificate.get()));
}

absl::StatusOr<std::vector<std::string>> CertificateRoles(absl::string_view chain) {
  const ErrorQueueScope errors;
  const Certificate certificate = NextCertificate(Reading(chain).get());
  if (certificate == nullptr) {
    return absl::InvalidArgumentError("the certificate must be in PEM");
  }
  const Names names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> roles;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) continue;
    const ASN1_IA5STRING* uri = name->d.uniformResourceIdentifier;
    absl::string_view text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(uri)),
                           static_cast<size_t>(ASN1_STRING_length(uri)));
    if (absl::ConsumePrefix(&text, kRoleUriPrefix)) roles.emplace_back(text);
  }
  return roles;
}

std::string CertificateName(absl::string_view chain) {
  constexpr char kNone[] = "certificate without a name";
  const ErrorQueueScope errors;
  const Certificate certificate = NextCertificate(Reading(chain).get());
  if (certificate == nullptr) return kNone;
  const X509_NAME* const subject = X509_get_subject_name(certificate.get());
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return kNone;
  unsigned char* text = nullptr;
  const int length =
      ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  if (length < 0) return kNone;
  std::string name = absl::StrCat(
      "certificate CN=",
      absl::string_view(reinterpret_cast<const char*>(text), static_cast<size_t>(length)));
  OPENSSL_free(text);
  return name;
}

absl::Status CheckCertificatePair(absl::string_view chain, const SecretBytes& private_key) {
  const ErrorQueueScope errors;
  const Certificate certificate = NextCertificate(Reading(chain).get());
  if (certificate == nullptr) {
    return absl::InvalidArgumentError("the certificate must be in PEM");
  }
  const Bio key_bio = Reading(private_key.ExposeSecretAsString());
  const EvpKey key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, &NoPassword, nullptr));
  if (key == nullptr) {
    return absl::InvalidArgumentError("the private key must be in PEM, without a password");
  }
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return absl::InvalidArgumentError("the certificate is not that of the private key");
  }
  return absl::OkStatus();
}

}  // namespace tombola::crypto
