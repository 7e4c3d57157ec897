#include "common/crypto/certificate.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/crypto/openssl_handles.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::crypto {
namespace {

using ::testing::HasSubstr;

using Bio = std::unique_ptr<BIO, OpenSslDeleter<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, OpenSslDeleter<X509_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, OpenSslDeleter<GENERAL_NAMES_free>>;
using Store = std::unique_ptr<X509_STORE, OpenSslDeleter<X509_STORE_free>>;
using StoreContext = std::unique_ptr<X509_STORE_CTX, OpenSslDeleter<X509_STORE_CTX_free>>;

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);
constexpr absl::Duration kValidity = absl::Hours(24 * 30);

Certificate ParseCertificate(absl::string_view pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  TOMBOLA_CHECK(certificate != nullptr);
  return certificate;
}

EvpKey ParseKey(absl::string_view pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return EvpKey(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
}

CertificateAuthority Authority(absl::string_view name = "test authority") {
  return *CertificateAuthority::Create(name, kValidity, kNow);
}

IssueOptions ServerOptions() {
  return {.common_name = "shuffler 1",
          .dns_names = {"localhost", "*.example.org"},
          .ip_addresses = {"127.0.0.1", "::1"},
          .role = "shuffler"};
}

// X509_V_OK, or why a TLS peer would not accept the chain at that time for that purpose.
int VerifyChain(const CertificatePem& leaf, const std::string& authority, int purpose,
                absl::Time time = kNow) {
  const Store store(X509_STORE_new());
  const Certificate root = ParseCertificate(authority);
  const Certificate certificate = ParseCertificate(leaf.certificate);
  const StoreContext context(X509_STORE_CTX_new());
  TOMBOLA_CHECK(X509_STORE_add_cert(store.get(), root.get()) == 1);
  TOMBOLA_CHECK(X509_STORE_CTX_init(context.get(), store.get(), certificate.get(), nullptr) == 1);
  TOMBOLA_CHECK(X509_STORE_CTX_set_purpose(context.get(), purpose) == 1);
  X509_STORE_CTX_set_time(context.get(), 0, absl::ToTimeT(time));
  X509_STORE_CTX_set_flags(context.get(), X509_V_FLAG_X509_STRICT);
  X509_verify_cert(context.get());
  return X509_STORE_CTX_get_error(context.get());
}

std::vector<std::string> Uris(X509* certificate) {
  const Names names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> uris;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) continue;
    const ASN1_STRING* const uri = name->d.uniformResourceIdentifier;
    uris.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(uri)),
                      ASN1_STRING_length(uri));
  }
  return uris;
}

TEST(CertificateAuthority, IssuesWhatVerifiesAgainstItForBothEndsOfTls) {
  const CertificateAuthority authority = Authority();
  const auto pem = authority.Issue(ServerOptions());
  ASSERT_TRUE(pem.ok()) << pem.status();
  const Certificate leaf = ParseCertificate(pem->certificate);
  const Certificate root = ParseCertificate(authority.certificate());
  EXPECT_EQ(X509_verify(leaf.get(), X509_get0_pubkey(root.get())), 1);
  EXPECT_EQ(X509_get_signature_nid(leaf.get()), NID_ecdsa_with_SHA256);
  EXPECT_EQ(VerifyChain(*pem, authority.certificate(), X509_PURPOSE_SSL_SERVER), X509_V_OK);
  EXPECT_EQ(VerifyChain(*pem, authority.certificate(), X509_PURPOSE_SSL_CLIENT), X509_V_OK);
}

TEST(CertificateAuthority, IssuesTheKeyThatBelongsToTheCertificate) {
  const auto pem = Authority().Issue(ServerOptions());
  ASSERT_TRUE(pem.ok());
  const Certificate leaf = ParseCertificate(pem->certificate);
  const EvpKey key = ParseKey(pem->private_key.ExposeSecretAsString());
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(X509_check_private_key(leaf.get(), key.get()), 1);
  EXPECT_THAT(std::string(pem->private_key.ExposeSecretAsString()),
              ::testing::StartsWith("-----BEGIN PRIVATE KEY-----"));
  char group[32] = {};
  size_t size = 0;
  ASSERT_EQ(EVP_PKEY_get_group_name(key.get(), group, sizeof(group), &size), 1);
  EXPECT_STREQ(group, "prime256v1");
}

TEST(CertificateAuthority, PutsRoleNamesAndAddressesIntoTheAlternativeNames) {
  const auto pem = Authority().Issue(ServerOptions());
  ASSERT_TRUE(pem.ok());
  const Certificate leaf = ParseCertificate(pem->certificate);
  EXPECT_THAT(Uris(leaf.get()), ::testing::ElementsAre("tombola://role/shuffler"));
  EXPECT_EQ(X509_check_host(leaf.get(), "localhost", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(leaf.get(), "a.example.org", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(leaf.get(), "example.com", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "127.0.0.2", 0), 0);
}

TEST(CertificateAuthority, IssuesACertificateWithoutNamesForAClient) {
  const CertificateAuthority authority = Authority();
  const auto pem = authority.Issue({.common_name = "analyst", .role = "query"});
  ASSERT_TRUE(pem.ok()) << pem.status();
  EXPECT_THAT(Uris(ParseCertificate(pem->certificate).get()),
              ::testing::ElementsAre("tombola://role/query"));
  EXPECT_EQ(VerifyChain(*pem, authority.certificate(), X509_PURPOSE_SSL_CLIENT), X509_V_OK);
}

TEST(CertificateAuthority, IsNotTakenForAnotherOfTheSameName) {
  const CertificateAuthority authority = Authority(), other = Authority();
  const auto pem = authority.Issue(ServerOptions());
  ASSERT_TRUE(pem.ok());
  EXPECT_NE(VerifyChain(*pem, other.certificate(), X509_PURPOSE_SSL_SERVER), X509_V_OK);
}

TEST(CertificateAuthority, IssuesNoFurtherAuthority) {
  const CertificateAuthority authority = Authority();
  const auto pem = authority.Issue(ServerOptions());
  ASSERT_TRUE(pem.ok());
  const Certificate leaf = ParseCertificate(pem->certificate);
  EXPECT_EQ(X509_check_ca(leaf.get()), 0);
  EXPECT_EQ(X509_check_ca(ParseCertificate(authority.certificate()).get()), 1);
  EXPECT_EQ(X509_get_key_usage(leaf.get()), uint32_t{KU_DIGITAL_SIGNATURE});
  EXPECT_EQ(X509_get_extended_key_usage(leaf.get()), uint32_t{XKU_SSL_SERVER | XKU_SSL_CLIENT});
}

TEST(CertificateAuthority, IsGoodFromShortlyBeforeNowUntilItsValidityEnds) {
  const CertificateAuthority authority = Authority();
  const auto pem = authority.Issue(ServerOptions());
  ASSERT_TRUE(pem.ok());
  const auto verify = [&](absl::Time time) {
    return VerifyChain(*pem, authority.certificate(), X509_PURPOSE_SSL_SERVER, time);
  };
  EXPECT_EQ(verify(kNow - absl::Minutes(6)), X509_V_ERR_CERT_NOT_YET_VALID);
  EXPECT_EQ(verify(kNow - absl::Minutes(4)), X509_V_OK);
  EXPECT_EQ(verify(kNow + kValidity - absl::Seconds(1)), X509_V_OK);
  EXPECT_EQ(verify(kNow + kValidity + absl::Seconds(1)), X509_V_ERR_CERT_HAS_EXPIRED);
}

TEST(CertificateAuthority, GivesEveryCertificateItsOwnSerialAndKey) {
  const CertificateAuthority authority = Authority();
  const auto first = authority.Issue(ServerOptions()), second = authority.Issue(ServerOptions());
  ASSERT_TRUE(first.ok() && second.ok());
  const Certificate a = ParseCertificate(first->certificate);
  const Certificate b = ParseCertificate(second->certificate);
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(a.get()), X509_get0_serialNumber(b.get())), 0);
  EXPECT_EQ(EVP_PKEY_eq(X509_get0_pubkey(a.get()), X509_get0_pubkey(b.get())), 0);
}

// Each case breaks one option of a valid request; the message names it.
TEST(CertificateAuthority, RefusesOptionsOutOfBounds) {
  const CertificateAuthority authority = Authority();
  const auto refused = [&](void (*change)(IssueOptions&), const char* name) {
    IssueOptions options = ServerOptions();
    change(options);
    const absl::Status status = authority.Issue(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(name));
  };
  refused([](IssueOptions& o) { o.common_name = ""; }, "common_name");
  refused([](IssueOptions& o) { o.common_name = std::string(65, 'a'); }, "common_name");
  refused([](IssueOptions& o) { o.common_name = "a\nb"; }, "common_name");
  refused([](IssueOptions& o) { o.role = ""; }, "role");
  refused([](IssueOptions& o) { o.role = std::string(33, 'a'); }, "role");
  refused([](IssueOptions& o) { o.role = "query/admin"; }, "role");
  refused([](IssueOptions& o) { o.role = "Query"; }, "role");
  refused([](IssueOptions& o) { o.dns_names = {""}; }, "dns_names");
  refused([](IssueOptions& o) { o.dns_names = {"*."}; }, "dns_names");
  refused([](IssueOptions& o) { o.dns_names = {"a,DNS:b"}; }, "dns_names");
  refused([](IssueOptions& o) { o.dns_names = {std::string(254, 'a')}; }, "dns_names");
  refused([](IssueOptions& o) { o.dns_names = std::vector<std::string>(99, "a"); }, "dns_names");
  refused([](IssueOptions& o) { o.ip_addresses = {"localhost"}; }, "ip_addresses");
  refused([](IssueOptions& o) { o.ip_addresses = {"127.0.0.1", "1.2.3"}; }, "ip_addresses");
  refused([](IssueOptions& o) { o.ip_addresses = {""}; }, "ip_addresses");
  EXPECT_EQ(ERR_peek_error(), 0u);
}

TEST(CertificateAuthority, RefusesAnAuthorityOutOfBounds) {
  const auto code = [](absl::string_view name, absl::Duration validity) {
    return CertificateAuthority::Create(name, validity, kNow).status().code();
  };
  EXPECT_EQ(code("", kValidity), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code("name", absl::ZeroDuration()), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code("name", -kValidity), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code("name", absl::InfiniteDuration()), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code("name", absl::Hours(24 * 365 * 20)), absl::StatusCode::kOk);
}

}  // namespace
}  // namespace tombola::crypto
