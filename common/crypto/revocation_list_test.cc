#include "common/crypto/revocation_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "common/crypto/certificate.h"

namespace tombola::crypto {
namespace {

using ::testing::HasSubstr;

CertificateAuthority MakeAuthority(const char* name) {
  return *CertificateAuthority::Create(name, absl::Hours(1), absl::FromUnixSeconds(1'700'000'000));
}

std::string Issue(const CertificateAuthority& authority) {
  return authority.Issue({.common_name = "x", .role = "analyst"})->certificate;
}

class RevocationListTest : public ::testing::Test {
 protected:
  RevocationLists Parse(const std::string& lists, const std::string& roots) const {
    auto parsed = RevocationLists::Parse(lists, roots);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    return *std::move(parsed);
  }
  void ExpectRefused(const std::string& lists, const std::string& roots, const char* why) const {
    const absl::Status status = RevocationLists::Parse(lists, roots).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
  }

  const CertificateAuthority authority_ = MakeAuthority("one");
  const CertificateAuthority other_ = MakeAuthority("two");
  const std::string good_ = Issue(authority_), bad_ = Issue(authority_);
};

TEST_F(RevocationListTest, RevokesWhatItNamesAndNothingElse) {
  const RevocationLists lists = Parse(*authority_.Revoke({bad_}), authority_.certificate());
  EXPECT_EQ(lists.size(), 1);
  EXPECT_TRUE(lists.Revoke(bad_));
  EXPECT_FALSE(lists.Revoke(good_));
  EXPECT_FALSE(lists.Revoke(Issue(other_)));
  EXPECT_TRUE(lists.Revoke(good_ + bad_)) << "anywhere in the chain";
  EXPECT_TRUE(lists.Revoke("")) << "what is no certificate is let in nowhere";
}

TEST_F(RevocationListTest, AnEmptyListRevokesNothing) {
  const RevocationLists lists = Parse(*authority_.Revoke({}), authority_.certificate());
  EXPECT_EQ(lists.size(), 0);
  EXPECT_FALSE(lists.Revoke(bad_));
}

TEST_F(RevocationListTest, EachAuthorityRevokesItsOwnOnly) {
  const std::string roots = absl::StrCat(authority_.certificate(), other_.certificate());
  // The other authority puts a serial number of the first on its list.
  EXPECT_FALSE(Parse(*other_.Revoke({bad_}), roots).Revoke(bad_));
  const std::string theirs = Issue(other_);
  const RevocationLists both =
      Parse(absl::StrCat("# lists\n", *other_.Revoke({theirs}), *authority_.Revoke({bad_})), roots);
  EXPECT_EQ(both.size(), 2);
  EXPECT_TRUE(both.Revoke(bad_));
  EXPECT_TRUE(both.Revoke(theirs));
  EXPECT_FALSE(both.Revoke(good_));
}

TEST_F(RevocationListTest, RefusesWhatIsNotWhole) {
  const std::string list = *authority_.Revoke({bad_}), roots = authority_.certificate();
  ExpectRefused("", roots, "whole revocation lists");
  ExpectRefused("nonsense", roots, "whole revocation lists");
  ExpectRefused(roots, roots, "whole revocation lists");
  ExpectRefused(list.substr(0, list.size() / 2), roots, "whole revocation lists");
  ExpectRefused(list + list.substr(0, list.size() / 2), roots, "whole revocation lists");
}

TEST_F(RevocationListTest, RefusesAListThatNobodyOfTheRootsHasSigned) {
  const std::string list = *authority_.Revoke({bad_});
  ExpectRefused(list, other_.certificate(), "no certificate of the roots has signed");
  ExpectRefused(list, "", "no certificate of the roots has signed");
  const CertificateAuthority namesake = MakeAuthority("one");
  ExpectRefused(*namesake.Revoke({}), authority_.certificate(), "has signed");
  ExpectRefused(absl::StrCat(list, *other_.Revoke({})), authority_.certificate(), "has signed");
  // A byte of what was signed, near its end: in the signature.
  std::string changed = list;
  char& letter = changed[list.rfind("\n-----END") - 10];
  letter = letter == 'A' ? 'B' : 'A';
  EXPECT_FALSE(RevocationLists::Parse(changed, authority_.certificate()).ok());
}

// Made with `openssl ca -gencrl` by an authority of its own, with a critical issuing distribution
// point: a list of some certificates only.
constexpr char kPartialRoot[] = R"(-----BEGIN CERTIFICATE-----
MIIBiTCCAS+gAwIBAgIUa0PaHLE3BukPxeM9TgYR1hKheOEwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHcGFydGlhbDAeFw0yNjExMTcxOTU3MTdaFw0zNjExMTQxOTU3
MTdaMBIxEDAOBgNVBAMMB3BhcnRpYWwwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AASMke9IIlZW1nBSasiZsnOv5m5GHcK0DArX+KF19ngy+5wntrFRtJMkv6z3Jq6m
90Sa5xnnFRB7wbO84yMZRICFo2MwYTAdBgNVHQ4EFgQUoNQM2wknnZD/7F6UtrO9
Y5KH8jgwHwYDVR0jBBgwFoAUoNQM2wknnZD/7F6UtrO9Y5KH8jgwDwYDVR0TAQH/
BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwCgYIKoZIzj0EAwIDSAAwRQIgaTh6uIwP
ELqKWYXXsJnOH/xebElYbAX3ZnAGGRDw35ICIQD/muufZRmd2y9CGOP7pnQSFMPM
uKJxfE6AHPAyQC40Hw==
-----END CERTIFICATE-----
)";
constexpr char kPartialList[] = R"(-----BEGIN X509 CRL-----
MIG7MGICAQEwCgYIKoZIzj0EAwIwEjEQMA4GA1UEAwwHcGFydGlhbBcNMjYxMTE3
MTk1NzE3WhcNMzYxMTE0MTk1NzE3WqAfMB0wDwYDVR0cAQH/BAUwA4EB/zAKBgNV
HRQEAwIBATAKBggqhkjOPQQDAgNJADBGAiEAwbCAhXUSU+heIsNFkSImY3qR3bvY
pvZGz4rMuKaQpqYCIQCfO2CjEj3fPHqjOH4VW3H0PoC7dQVKzUnlquRbXgiEIw==
-----END X509 CRL-----
)";

TEST_F(RevocationListTest, RefusesAListThatIsOnlyAPart) {
  ExpectRefused(kPartialList, kPartialRoot, "critical extension");
}

}  // namespace
}  // namespace tombola::crypto
