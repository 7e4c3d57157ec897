#include "common/tls/revocation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "absl/time/clock.h"
#include "common/crypto/certificate.h"
#include "tests/support/scratch_directory.h"

namespace tombola::tls {
namespace {

using ::testing::HasSubstr;

crypto::CertificateAuthority MakeAuthority() {
  return *crypto::CertificateAuthority::Create("test", absl::Hours(1), absl::Now());
}

class RevocationTest : public ::testing::Test {
 protected:
  RevocationTest() {
    directory_.File("ca.pem", authority_.certificate());
    Write(authority_, {});
  }

  void Write(const crypto::CertificateAuthority& authority,
             const std::vector<std::string>& certificates) {
    directory_.File("revoked.pem", *authority.Revoke(certificates));
  }
  absl::StatusOr<std::shared_ptr<Revocation>> Follow() {
    return FollowRevocation(files_, metrics_);
  }

  const crypto::CertificateAuthority authority_ = MakeAuthority();
  const ScratchDirectory directory_;
  const RevocationFiles files_{directory_.In("revoked.pem"), directory_.In("ca.pem")};
  const std::string ada_ = authority_.Issue({.common_name = "ada", .role = "analyst"})->certificate;
  Metrics metrics_;
};

TEST_F(RevocationTest, FollowsItsFile) {
  const auto revocation = *Follow();
  EXPECT_FALSE(revocation->Current()->Revoke(ada_));
  Write(authority_, {ada_});
  EXPECT_TRUE(revocation->Current()->Revoke(ada_));
  EXPECT_THAT(metrics_.Text(), HasSubstr("tombola_revoked_certificates 1"));
  Write(authority_, {});
  EXPECT_FALSE(revocation->Current()->Revoke(ada_)) << "the authority has changed its mind";
}

TEST_F(RevocationTest, AFileThatIsGoneOrBrokenRevokesWhatItRevoked) {
  Write(authority_, {ada_});
  const auto revocation = *Follow();
  const std::string list = *ReadSmallFile(files_.lists);
  std::filesystem::remove(files_.lists);
  EXPECT_TRUE(revocation->Current()->Revoke(ada_));
  EXPECT_THAT(metrics_.Text(), HasSubstr("tombola_revocations_refused_total 1"));
  EXPECT_TRUE(absl::IsNotFound(revocation->Reload()));
  for (const std::string& text : {std::string(), list.substr(0, list.size() / 2)}) {
    directory_.File("revoked.pem", text);
    EXPECT_TRUE(revocation->Current()->Revoke(ada_));
    EXPECT_TRUE(absl::IsInvalidArgument(revocation->Reload()));
  }
  Write(MakeAuthority(), {});
  EXPECT_TRUE(revocation->Current()->Revoke(ada_)) << "a namesake has signed the empty list";
  EXPECT_THAT(metrics_.Text(), HasSubstr("tombola_revocations_refused_total 7"));
  Write(authority_, {});
  EXPECT_FALSE(revocation->Current()->Revoke(ada_));
}

TEST_F(RevocationTest, AListOfAnAuthorityThatComesLaterIsTakenOverThen) {
  const auto revocation = *Follow();
  const auto next = MakeAuthority();
  const std::string bob = next.Issue({.common_name = "bob", .role = "analyst"})->certificate;
  Write(next, {bob});
  EXPECT_FALSE(revocation->Current()->Revoke(bob));
  directory_.File("ca.pem", next.certificate());
  EXPECT_TRUE(revocation->Current()->Revoke(bob));
}

TEST_F(RevocationTest, TheFirstReadingMustSucceed) {
  std::filesystem::remove(files_.lists);
  EXPECT_TRUE(absl::IsNotFound(Follow().status()));
  directory_.File("revoked.pem", "");
  const absl::Status empty = Follow().status();
  EXPECT_TRUE(absl::IsInvalidArgument(empty));
  EXPECT_THAT(std::string(empty.message()), HasSubstr(files_.lists));
}

TEST_F(RevocationTest, WithoutAFileThereIsNothingToFollow) {
  const auto none = FollowRevocation({.lists = "", .roots = files_.roots}, metrics_);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(*none, nullptr);
  EXPECT_THAT(metrics_.Text(), HasSubstr("tombola_revoked_certificates 0"));
}

}  // namespace
}  // namespace tombola::tls
