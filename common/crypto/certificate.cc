#include "common/crypto/certificate.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/crypto/certificate_reader.h"

namespace tombola::crypto {
namespace {

constexpr absl::Duration kClockSkew = absl::Minutes(5);
constexpr absl::Duration kMaxValidity = absl::Hours(24 * 365 * 20);
constexpr size_t kMaxCommonName = 64;  // ub-common-name of RFC 5280, appendix A.1.
constexpr size_t kMaxDnsName = 253;    // RFC 1035, section 2.3.4, in text.
constexpr size_t kMaxRole = 32;
constexpr size_t kMaxNames = 100;
constexpr int kSerialBits = 127;  // RFC 5280, section 4.1.2.2: positive, at most 20 bytes.

using BigNumber = std::unique_ptr<BIGNUM, OpenSslDeleter<BN_free>>;
using RevocationList = std::unique_ptr<X509_CRL, OpenSslDeleter<X509_CRL_free>>;
using RevokedEntry = std::unique_ptr<X509_REVOKED, OpenSslDeleter<X509_REVOKED_free>>;
using Asn1Time = std::unique_ptr<ASN1_TIME, OpenSslDeleter<ASN1_TIME_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, OpenSslDeleter<X509_EXTENSION_free>>;
using AlternativeName = std::unique_ptr<GENERAL_NAME, OpenSslDeleter<GENERAL_NAME_free>>;
using AlternativeNames = std::unique_ptr<GENERAL_NAMES, OpenSslDeleter<GENERAL_NAMES_free>>;

struct Subject {
  absl::string_view common_name;
  absl::Time not_before;
  absl::Time not_after;
};

absl::Status OpenSslError(absl::string_view what) {
  return absl::InternalError(absl::StrCat("OpenSSL could not ", what));
}

absl::Status CheckCommonName(absl::string_view name) {
  if (!name.empty() && name.size() <= kMaxCommonName &&
      std::all_of(name.begin(), name.end(), absl::ascii_isprint)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("common_name must have 1 to ", kMaxCommonName, " printable ASCII characters"));
}

absl::Status CheckRole(absl::string_view role) {
  const auto allowed = [](unsigned char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-' || c == '_';
  };
  if (!role.empty() && role.size() <= kMaxRole && std::all_of(role.begin(), role.end(), allowed)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("role must have 1 to ", kMaxRole, " characters of a-z, 0-9, '-' and '_'"));
}

absl::Status CheckDnsName(absl::string_view name) {
  const auto allowed = [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '.';
  };
  const absl::string_view labels = absl::StartsWith(name, "*.") ? name.substr(2) : name;
  if (!labels.empty() && name.size() <= kMaxDnsName &&
      std::all_of(labels.begin(), labels.end(), allowed)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("dns_names must have 1 to ", kMaxDnsName,
                   " characters of letters, digits, '-' and '.', with at most \"*.\" before them"));
}

absl::Status CheckOptions(const IssueOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(CheckCommonName(options.common_name));
  TOMBOLA_RETURN_IF_ERROR(CheckRole(options.role));
  if (options.dns_names.size() + options.ip_addresses.size() > kMaxNames) {
    return absl::InvalidArgumentError(
        absl::StrCat("dns_names and ip_addresses must be at most ", kMaxNames, " together"));
  }
  for (const std::string& name : options.dns_names) TOMBOLA_RETURN_IF_ERROR(CheckDnsName(name));
  return absl::OkStatus();
}

bool SetRandomSerial(X509* certificate) {
  const BigNumber serial(BN_new());
  return serial != nullptr &&
         BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool SetSubject(X509* certificate, const Subject& subject) {
  return X509_set_version(certificate, X509_VERSION_3) == 1 && SetRandomSerial(certificate) &&
         ASN1_TIME_set(X509_getm_notBefore(certificate), absl::ToTimeT(subject.not_before)) &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), absl::ToTimeT(subject.not_after)) &&
         X509_NAME_add_entry_by_NID(
             X509_get_subject_name(certificate), NID_commonName, MBSTRING_UTF8,
             reinterpret_cast<const uint8_t*>(subject.common_name.data()),
             static_cast<int>(subject.common_name.size()), /*loc=*/-1, /*set=*/0) == 1;
}

// `value` is in OpenSSL's configuration syntax: only constants come here.
bool AddExtension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), /*loc=*/-1) == 1;
}

bool AddTextName(GENERAL_NAMES* names, int type, absl::string_view text) {
  AlternativeName name(GENERAL_NAME_new());
  ASN1_IA5STRING* const value = ASN1_IA5STRING_new();
  if (name == nullptr || value == nullptr ||
      ASN1_STRING_set(value, text.data(), static_cast<int>(text.size())) != 1) {
    ASN1_IA5STRING_free(value);
    return false;
  }
  GENERAL_NAME_set0_value(name.get(), type, value);
  if (sk_GENERAL_NAME_push(names, name.get()) == 0) return false;
  name.release();
  return true;
}

// Takes `address`.
bool AddAddress(GENERAL_NAMES* names, ASN1_OCTET_STRING* address) {
  AlternativeName name(GENERAL_NAME_new());
  if (name == nullptr) {
    ASN1_OCTET_STRING_free(address);
    return false;
  }
  GENERAL_NAME_set0_value(name.get(), GEN_IPADD, address);
  if (sk_GENERAL_NAME_push(names, name.get()) == 0) return false;
  name.release();
  return true;
}

absl::Status AddAlternativeNames(X509* certificate, const IssueOptions& options) {
  const AlternativeNames names(GENERAL_NAMES_new());
  bool added = names != nullptr &&
               AddTextName(names.get(), GEN_URI, absl::StrCat(kRoleUriPrefix, options.role));
  for (const std::string& dns_name : options.dns_names) {
    added = added && AddTextName(names.get(), GEN_DNS, dns_name);
  }
  for (const std::string& text : options.ip_addresses) {
    ASN1_OCTET_STRING* const address = a2i_IPADDRESS(text.c_str());
    if (address == nullptr) {
      return absl::InvalidArgumentError("ip_addresses must be IPv4 or IPv6 addresses");
    }
    added = AddAddress(names.get(), address) && added;
  }
  if (!added || X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), /*crit=*/0,
                                  X509V3_ADD_APPEND) != 1) {
    return OpenSslError("write the subject alternative names");
  }
  return absl::OkStatus();
}

bool Sign(X509* certificate, EVP_PKEY* key) {
  return X509_sign(certificate, key, EVP_sha256()) != 0;
}

// `write` is OpenSSL's function for what is written.
template <typename T, typename Write>
absl::StatusOr<std::string> ToPem(T* thing, const Write& write) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (bio == nullptr || write(bio.get(), thing) != 1) return OpenSslError("write PEM");
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return std::string(text, static_cast<size_t>(size));
}

absl::StatusOr<std::string> CertificateToPem(X509* certificate) {
  return ToPem(certificate, &PEM_write_bio_X509);
}

bool AddRevoked(X509_CRL* list, X509* certificate, const ASN1_TIME* when) {
  RevokedEntry entry(X509_REVOKED_new());
  if (entry == nullptr ||
      X509_REVOKED_set_serialNumber(entry.get(), X509_get_serialNumber(certificate)) != 1 ||
      X509_REVOKED_set_revocationDate(entry.get(), const_cast<ASN1_TIME*>(when)) != 1 ||
      X509_CRL_add0_revoked(list, entry.get()) != 1) {
    return false;
  }
  entry.release();  // the list's now
  return true;
}

absl::StatusOr<SecretBytes> KeyToPem(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_secmem()));
  if (bio == nullptr ||
      PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return OpenSslError("write a private key");
  }
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return SecretBytes(absl::string_view(text, static_cast<size_t>(size)));
}

}  // namespace

struct CertificateAuthority::Handles {
  EvpKey key;
  Certificate certificate;
};

CertificateAuthority::CertificateAuthority() = default;
CertificateAuthority::~CertificateAuthority() = default;
CertificateAuthority::CertificateAuthority(CertificateAuthority&&) noexcept = default;
CertificateAuthority& CertificateAuthority::operator=(CertificateAuthority&&) noexcept = default;

absl::StatusOr<CertificateAuthority> CertificateAuthority::Create(absl::string_view common_name,
                                                                  absl::Duration validity,
                                                                  absl::Time now) {
  TOMBOLA_RETURN_IF_ERROR(CheckCommonName(common_name));
  if (validity <= absl::ZeroDuration() || validity > kMaxValidity) {
    return absl::InvalidArgumentError("validity must be above 0 and at most 20 years");
  }
  const ErrorQueueScope errors;
  CertificateAuthority authority;
  authority.not_before_ = now - kClockSkew;
  authority.not_after_ = now + validity;
  authority.handles_ = std::make_unique<Handles>();
  EvpKey& key = authority.handles_->key;
  key.reset(EVP_EC_gen("P-256"));
  authority.handles_->certificate.reset(X509_new());
  X509* const own = authority.handles_->certificate.get();
  if (key == nullptr || own == nullptr ||
      !SetSubject(own, {common_name, authority.not_before_, authority.not_after_}) ||
      X509_set_issuer_name(own, X509_get_subject_name(own)) != 1 ||
      X509_set_pubkey(own, key.get()) != 1 ||
      !AddExtension(own, own, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
      !AddExtension(own, own, NID_key_usage, "critical,keyCertSign,cRLSign") ||
      !AddExtension(own, own, NID_subject_key_identifier, "hash") || !Sign(own, key.get())) {
    return OpenSslError("make the authority's certificate");
  }
  TOMBOLA_ASSIGN_OR_RETURN(authority.certificate_, CertificateToPem(own));
  return authority;
}

absl::StatusOr<CertificatePem> CertificateAuthority::Issue(const IssueOptions& options) const {
  TOMBOLA_CHECK(handles_ != nullptr);
  TOMBOLA_RETURN_IF_ERROR(CheckOptions(options));
  const ErrorQueueScope errors;
  X509* const issuer = handles_->certificate.get();
  const EvpKey key(EVP_EC_gen("P-256"));
  const Certificate leaf(X509_new());
  if (key == nullptr || leaf == nullptr ||
      !SetSubject(leaf.get(), {options.common_name, not_before_, not_after_}) ||
      X509_set_issuer_name(leaf.get(), X509_get_subject_name(issuer)) != 1 ||
      X509_set_pubkey(leaf.get(), key.get()) != 1 ||
      !AddExtension(leaf.get(), issuer, NID_basic_constraints, "critical,CA:FALSE") ||
      !AddExtension(leaf.get(), issuer, NID_key_usage, "critical,digitalSignature") ||
      !AddExtension(leaf.get(), issuer, NID_ext_key_usage, "serverAuth,clientAuth") ||
      !AddExtension(leaf.get(), issuer, NID_subject_key_identifier, "hash") ||
      !AddExtension(leaf.get(), issuer, NID_authority_key_identifier, "keyid:always")) {
    return OpenSslError("make a certificate");
  }
  TOMBOLA_RETURN_IF_ERROR(AddAlternativeNames(leaf.get(), options));
  if (!Sign(leaf.get(), handles_->key.get())) return OpenSslError("sign a certificate");
  CertificatePem pem;
  TOMBOLA_ASSIGN_OR_RETURN(pem.certificate, CertificateToPem(leaf.get()));
  TOMBOLA_ASSIGN_OR_RETURN(pem.private_key, KeyToPem(key.get()));
  return pem;
}

absl::StatusOr<std::string> CertificateAuthority::Revoke(
    const std::vector<std::string>& certificates) const {
  TOMBOLA_CHECK(handles_ != nullptr);
  const ErrorQueueScope errors;
  const RevocationList list(X509_CRL_new());
  const Asn1Time begin(ASN1_TIME_set(nullptr, absl::ToTimeT(not_before_)));
  const Asn1Time end(ASN1_TIME_set(nullptr, absl::ToTimeT(not_after_)));
  bool made = list != nullptr && X509_CRL_set_version(list.get(), X509_CRL_VERSION_2) == 1 &&
              X509_CRL_set_issuer_name(list.get(),
                                       X509_get_subject_name(handles_->certificate.get())) == 1 &&
              X509_CRL_set1_lastUpdate(list.get(), begin.get()) == 1 &&
              X509_CRL_set1_nextUpdate(list.get(), end.get()) == 1;
  for (const std::string& pem : certificates) {
    const Certificate certificate = NextCertificate(Reading(pem).get());
    if (certificate == nullptr) {
      return absl::InvalidArgumentError("certificates must each be in PEM");
    }
    made = made && AddRevoked(list.get(), certificate.get(), begin.get());
  }
  if (!made || X509_CRL_sign(list.get(), handles_->key.get(), EVP_sha256()) == 0) {
    return OpenSslError("make a revocation list");
  }
  return ToPem(list.get(), &PEM_write_bio_X509_CRL);
}

}  // namespace tombola::crypto
