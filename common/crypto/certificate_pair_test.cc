#include "common/crypto/certificate_pair.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/crypto/certificate.h"
#include "gtest/gtest.h"

namespace tombola::crypto {
namespace {

constexpr absl::Duration kSecond = absl::Seconds(1);

class CertificatePairTest : public ::testing::Test {
 protected:
  CertificatePairTest()
      : authority_(*CertificateAuthority::Create("test", absl::Hours(1),
                                                 absl::FromUnixSeconds(1'700'000'000))) {}
  CertificatePem Issue() const {
    return *authority_.Issue({.common_name = "x", .dns_names = {"x"}, .role = "shuffler"});
  }

  CertificateAuthority authority_;
};

TEST_F(CertificatePairTest, APairThatWasIssuedTogetherMatches) {
  const CertificatePem pem = Issue();
  EXPECT_TRUE(CheckCertificatePair(pem.certificate, pem.private_key).ok());
  // In a chain the first certificate counts.
  const std::string chain = absl::StrCat(pem.certificate, authority_.certificate());
  EXPECT_TRUE(CheckCertificatePair(chain, pem.private_key).ok());
}

TEST_F(CertificatePairTest, AKeyOfAnotherCertificateIsRefused) {
  const CertificatePem one = Issue(), other = Issue();
  EXPECT_TRUE(absl::IsInvalidArgument(CheckCertificatePair(one.certificate, other.private_key)));
  const std::string chain = absl::StrCat(authority_.certificate(), one.certificate);
  EXPECT_TRUE(absl::IsInvalidArgument(CheckCertificatePair(chain, one.private_key)));
}

TEST_F(CertificatePairTest, KnowsWhenACertificateBeginsAndEnds) {
  const std::string certificate = Issue().certificate;
  const absl::Time made = absl::FromUnixSeconds(1'700'000'000);
  EXPECT_TRUE(CheckCertificateTime(certificate, made).ok());
  EXPECT_TRUE(CheckCertificateTime(certificate, made + absl::Hours(1)).ok());
  const absl::Status ended = CheckCertificateTime(certificate, made + absl::Hours(1) + kSecond);
  EXPECT_TRUE(absl::IsFailedPrecondition(ended));
  EXPECT_EQ(ended.message(), "the certificate ended 2023-11-14T23:13:20+00:00");
  EXPECT_TRUE(
      absl::IsFailedPrecondition(CheckCertificateTime(certificate, made - absl::Hours(24 * 365))));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckCertificateTime("", made)));
  EXPECT_EQ(*CertificateEnd(certificate), made + absl::Hours(1));
  EXPECT_TRUE(absl::IsInvalidArgument(CertificateEnd("").status()));
}

TEST_F(CertificatePairTest, AnAuthorityHasNoRoleAndNoPemIsRefused) {
  EXPECT_TRUE(CertificateRoles(authority_.certificate())->empty());
  EXPECT_EQ(CertificateName(authority_.certificate()).rfind("certificate CN=", 0), 0u);
  EXPECT_EQ(CertificateName(""), "certificate without a name");
  EXPECT_TRUE(absl::IsInvalidArgument(CertificateRoles("").status()));
}

TEST_F(CertificatePairTest, WhatIsCutShortIsRefused) {
  const CertificatePem pem = Issue();
  const std::string half = pem.certificate.substr(0, pem.certificate.size() / 2);
  const absl::string_view key = pem.private_key.ExposeSecretAsString();
  const SecretBytes half_key(key.substr(0, key.size() / 2));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckCertificatePair(half, pem.private_key)));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckCertificatePair(pem.certificate, half_key)));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckCertificatePair("", pem.private_key)));
}

TEST_F(CertificatePairTest, RootsAreOneWholeCertificateOrMore) {
  const std::string& root = authority_.certificate();
  EXPECT_TRUE(CheckCertificates(root).ok());
  EXPECT_TRUE(CheckCertificates(absl::StrCat(root, "a comment\n", root)).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(CheckCertificates("")));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckCertificates(root.substr(0, root.size() / 2))));
  EXPECT_TRUE(absl::IsInvalidArgument(
      CheckCertificates(absl::StrCat(root, root.substr(0, root.size() / 2)))));
}

}  // namespace
}  // namespace tombola::crypto
