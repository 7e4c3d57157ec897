#include "common/http/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cli/test_directory.h"
#include "common/crypto/key_file.h"
#include "common/crypto/sha256.h"
#include "common/random/secure_random.h"

namespace tombola::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Digest(absl::string_view token) {
  const crypto::Sha256Digest digest = crypto::Sha256(token);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

std::string Line(absl::string_view role, absl::string_view token, absl::string_view name) {
  return absl::StrCat(role, " ", Digest(token), " ", name, "\n");
}

TEST(ParseTokensTest, ReadsRolesDigestsAndNames) {
  const auto entries =
      ParseTokens(absl::StrCat("# people\n\n", Line("analyst", "a", "Ada Lovelace # since May"),
                               "  monitor\t", absl::AsciiStrToUpper(Digest("m")),
                               "  prometheus \r\n", Line("operator", "o", "J\xc3\xbcrg")));
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].role, "analyst");
  EXPECT_EQ((*entries)[0].name, "Ada Lovelace");
  EXPECT_EQ((*entries)[0].digest, crypto::Sha256("a"));
  EXPECT_EQ((*entries)[1].digest, crypto::Sha256("m"));
  EXPECT_EQ((*entries)[1].name, "prometheus");
  EXPECT_TRUE(ParseTokens("")->empty());
}

TEST(ParseTokensTest, NamesTheLineThatIsWrong) {
  const std::string good = Line("analyst", "a", "ada");
  const std::pair<std::string, const char*> kBad[] = {
      {"analyst", "64 hexadecimal"},
      {"device " + Digest("x") + " x", "the role must be"},
      {"Analyst " + Digest("x") + " x", "the role must be"},
      {"analyst " + Digest("x").substr(1) + " x", "64 hexadecimal"},
      {"analyst x" + Digest("x").substr(1) + " x", "64 hexadecimal"},
      {"analyst " + Digest("x"), "the name must be"},
      {"analyst " + Digest("x") + " # x", "the name must be"},
      {"analyst " + Digest("x") + " " + std::string(65, 'n'), "the name must be"},
      {"analyst " + Digest("x") + " a\x01z", "the name must be"},
      {"analyst " + Digest("x") + " ada", "same name"},
      {"monitor " + Digest("a") + " bob", "same token"}};
  for (const auto& [line, why] : kBad) {
    const auto status = ParseTokens(absl::StrCat("# first\n", good, line, "\n")).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << line;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
    EXPECT_THAT(std::string(status.message()), ::testing::StartsWith("line 3: "));
  }
}

class TokensTest : public ::testing::Test {
 protected:
  std::string Path() const { return directory_.In("tokens"); }
  void WriteFile(const std::string& text) {
    ASSERT_TRUE(
        crypto::WriteSecretFile(Path(), crypto::SecretBytes(text), crypto::ExistingFile::kReplace)
            .ok());
  }
  std::shared_ptr<Tokens> Load() {
    auto tokens =
        Tokens::Load(Path(), [this](const absl::Status& status) { refused_.push_back(status); });
    TOMBOLA_CHECK(tokens.ok());
    return *std::move(tokens);
  }

  cli::TestDirectory directory_;
  SecureRandom random_;
  std::vector<absl::Status> refused_;
};

TEST_F(TokensTest, KnowsTokensByTheirDigests) {
  WriteFile(Line("analyst", "secret", "ada") + Line("monitor", "other", "prometheus"));
  const auto tokens = Load();
  EXPECT_THAT(tokens->RolesOf("secret"), ElementsAre("analyst"));
  EXPECT_THAT(tokens->RolesOf("other"), ElementsAre("monitor"));
  EXPECT_THAT(tokens->RolesOf("secre"), IsEmpty());
  EXPECT_THAT(tokens->RolesOf(""), IsEmpty());
  EXPECT_THAT(tokens->RolesOf(Digest("secret")), IsEmpty()) << "the file's content opens nothing";
}

TEST_F(TokensTest, FollowsTheFileAsAWholeOrNotAtAll) {
  WriteFile(Line("analyst", "one", "ada"));
  const auto tokens = Load();
  WriteFile(Line("analyst", "two", "ada"));
  EXPECT_THAT(tokens->RolesOf("one"), IsEmpty());
  EXPECT_THAT(tokens->RolesOf("two"), ElementsAre("analyst"));

  WriteFile(Line("analyst", "three", "ada") + "nonsense\n");
  EXPECT_THAT(tokens->RolesOf("three"), IsEmpty());
  EXPECT_THAT(tokens->RolesOf("two"), ElementsAre("analyst"));
  ASSERT_EQ(refused_.size(), 1u) << "once a change";
  EXPECT_THAT(std::string(refused_[0].message()), HasSubstr(Path() + ", line 2: "));

  WriteFile(Line("analyst", "four", "ada"));
  EXPECT_TRUE(tokens->Reload().ok());
  EXPECT_THAT(tokens->RolesOf("four"), ElementsAre("analyst"));
}

TEST_F(TokensTest, AFileThatIsGoneOrEmptyLetsNobodyIn) {
  WriteFile(Line("analyst", "one", "ada"));
  const auto tokens = Load();
  std::filesystem::resize_file(Path(), 0);
  EXPECT_THAT(tokens->RolesOf("one"), IsEmpty());
  EXPECT_THAT(refused_, IsEmpty());
  WriteFile(Line("analyst", "one", "ada"));
  EXPECT_THAT(tokens->RolesOf("one"), ElementsAre("analyst"));
  std::filesystem::remove(Path());
  EXPECT_THAT(tokens->RolesOf("one"), IsEmpty());
  ASSERT_EQ(refused_.size(), 1u);
  EXPECT_TRUE(absl::IsNotFound(refused_[0]));
  EXPECT_TRUE(absl::IsNotFound(tokens->Reload()));
}

TEST_F(TokensTest, WhatIsChangedAtOnceIsChangedOneAfterTheOther) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      SecureRandom random;
      EXPECT_TRUE(CreateToken(Path(), "analyst", absl::StrCat("n", i), random).ok());
      if (i % 2 == 0) {
        EXPECT_TRUE(RevokeToken(Path(), absl::StrCat("n", i)).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ReadTokenFile(Path())->size(), 8u);
}

TEST_F(TokensTest, RootChangesADaemonsFileAndItStaysTheDaemons) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  constexpr uid_t kDaemon = 65534;
  WriteFile(Line("analyst", "one", "ada"));
  ASSERT_EQ(chown(Path().c_str(), kDaemon, kDaemon), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(Tokens::Load(Path()).status())) << "a daemon's own must be";
  ASSERT_TRUE(CreateToken(Path(), "monitor", "prometheus", random_).ok());
  ASSERT_TRUE(RevokeToken(Path(), "ada").ok());
  struct stat info {};
  ASSERT_EQ(stat(Path().c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kDaemon);
  EXPECT_EQ(info.st_gid, kDaemon);
}

TEST_F(TokensTest, RefusesAFileThatOthersMayReadOrExchange) {
  WriteFile(Line("analyst", "one", "ada"));
  ASSERT_EQ(chmod(Path().c_str(), 0640), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(Tokens::Load(Path()).status()));
  ASSERT_EQ(chmod(Path().c_str(), 0604), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(Tokens::Load(Path()).status()));
  ASSERT_EQ(chmod(Path().c_str(), 0600), 0);
  const auto tokens = Load();
  ASSERT_EQ(chmod(directory_.path().c_str(), 0777), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(Tokens::Load(Path()).status()));
  ASSERT_EQ(chmod(directory_.path().c_str(), 0700), 0);

  WriteFile(Line("analyst", "two", "ada"));
  ASSERT_EQ(chmod(Path().c_str(), 0644), 0);
  EXPECT_THAT(tokens->RolesOf("two"), IsEmpty());
  EXPECT_THAT(tokens->RolesOf("one"), ElementsAre("analyst"));
  ASSERT_EQ(chmod(Path().c_str(), 0600), 0);
  EXPECT_THAT(tokens->RolesOf("two"), ElementsAre("analyst"));
  EXPECT_TRUE(absl::IsNotFound(Tokens::Load(directory_.In("none")).status()));
}

TEST_F(TokensTest, CreatesAndRevokes) {
  const auto ada = CreateToken(Path(), "analyst", "Ada L.", random_);
  ASSERT_TRUE(ada.ok()) << ada.status();
  EXPECT_EQ(ada->size(), 43u);
  EXPECT_EQ(ada->find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                   "0123456789-_"),
            std::string::npos);
  struct stat info {};
  ASSERT_EQ(stat(Path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(ReadSmallFile(Path())->find(*ada), std::string::npos) << "only its digest is written";

  const auto tokens = Load();
  EXPECT_THAT(tokens->RolesOf(*ada), ElementsAre("analyst"));
  const auto bob = CreateToken(Path(), "monitor", "bob", random_);
  ASSERT_TRUE(bob.ok());
  EXPECT_NE(*ada, *bob);
  EXPECT_THAT(tokens->RolesOf(*bob), ElementsAre("monitor"));
  EXPECT_TRUE(absl::IsAlreadyExists(CreateToken(Path(), "analyst", "bob", random_).status()));

  EXPECT_TRUE(RevokeToken(Path(), "Ada L.").ok());
  EXPECT_THAT(tokens->RolesOf(*ada), IsEmpty());
  EXPECT_THAT(tokens->RolesOf(*bob), ElementsAre("monitor"));
  EXPECT_TRUE(absl::IsNotFound(RevokeToken(Path(), "Ada L.")));
  EXPECT_TRUE(RevokeToken(Path(), "bob").ok());
  EXPECT_TRUE(ReadTokenFile(Path())->empty());
  EXPECT_TRUE(absl::IsNotFound(RevokeToken(directory_.In("none"), "bob")));
}

TEST_F(TokensTest, LeavesOtherLinesAndCommentsAsTheyAre) {
  const std::string before = "# mine\n" + Line("analyst", "one", "ada # boss") + "\n# end";
  WriteFile(before);
  ASSERT_TRUE(CreateToken(Path(), "operator", "bob", random_).ok());
  EXPECT_THAT(*ReadSmallFile(Path()), ::testing::StartsWith(before + "\noperator "));
  ASSERT_TRUE(RevokeToken(Path(), "bob").ok());
  EXPECT_EQ(*ReadSmallFile(Path()), before + "\n");
}

TEST_F(TokensTest, AFileThatOnlyTheTokenToRevokeIsInStaysAFile) {
  WriteFile(Line("analyst", "one", "ada"));
  ASSERT_TRUE(RevokeToken(Path(), "ada").ok());
  EXPECT_TRUE(ReadTokenFile(Path())->empty());
}

TEST_F(TokensTest, RefusesBadRolesAndNamesBeforeItWrites) {
  EXPECT_TRUE(absl::IsInvalidArgument(CreateToken(Path(), "device", "x", random_).status()));
  for (const char* name : {"", " a", "a ", "a\nb", "a#b", "\xff"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(CreateToken(Path(), "analyst", name, random_).status()));
  }
  EXPECT_FALSE(std::filesystem::exists(Path()));
  WriteFile("nonsense\n");
  const absl::Status status = CreateToken(Path(), "analyst", "x", random_).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("line 1: "));
  EXPECT_EQ(*ReadSmallFile(Path()), "nonsense\n");
}

}  // namespace
}  // namespace tombola::http
