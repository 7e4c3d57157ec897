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
#include "absl/time/clock.h"
#include "common/crypto/key_file.h"
#include "common/crypto/sha256.h"
#include "common/random/secure_random.h"
#include "tests/support/scratch_directory.h"

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
      {"monitor " + Digest("a") + " bob", "same token"},
      {"analyst " + Digest("x") + " expires=soon x", "expires= must be a time"},
      {"analyst " + Digest("x") + " expires=2027-01-31 x", "expires= must be a time"},
      {"analyst " + Digest("x") + " expires=2027-01-31T08:00:00Z", "the name must be"},
      {"analyst " + Digest("x") + " tasks= x", "each task must be an id"},
      {"analyst " + Digest("x") + " tasks=" + Digest("t") + ", x", "each task must be an id"},
      {"analyst " + Digest("x") + " tasks=" + Digest("t") + " expires=2027-01-31T08:00:00Z x",
       "the name must be"},
      {"administrator " + Digest("x") + " tasks=" + Digest("t") + " x", "only the role analyst"}};
  for (const auto& [line, why] : kBad) {
    const auto status = ParseTokens(absl::StrCat("# first\n", good, line, "\n")).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << line;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
    EXPECT_THAT(std::string(status.message()), ::testing::StartsWith("line 3: "));
  }
}

std::vector<std::string> RolesOf(const Tokens& tokens, absl::string_view token) {
  const auto grant = tokens.Find(token, absl::Now());
  return grant.has_value() ? std::vector<std::string>{grant->role} : std::vector<std::string>();
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

  ScratchDirectory directory_;
  SecureRandom random_;
  std::vector<absl::Status> refused_;
};

TEST_F(TokensTest, KnowsTokensByTheirDigests) {
  WriteFile(Line("analyst", "secret", "ada") + Line("monitor", "other", "prometheus"));
  const auto tokens = Load();
  EXPECT_THAT(RolesOf(*tokens, "secret"), ElementsAre("analyst"));
  EXPECT_THAT(RolesOf(*tokens, "other"), ElementsAre("monitor"));
  EXPECT_THAT(RolesOf(*tokens, "secre"), IsEmpty());
  EXPECT_THAT(RolesOf(*tokens, ""), IsEmpty());
  EXPECT_THAT(RolesOf(*tokens, Digest("secret")), IsEmpty()) << "the file's content opens nothing";
}

TEST_F(TokensTest, ATokenEndsWhenItExpires) {
  const absl::Time end = absl::FromUnixSeconds(2'000'000'000);
  const auto token =
      CreateToken(Path(), {.role = "analyst", .name = "ada", .expires = end}, random_);
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_THAT(*ReadSmallFile(Path()), HasSubstr(" expires=2033-05-18T03:33:20Z ada\n"));
  const auto tokens = Load();
  EXPECT_TRUE(tokens->Find(*token, end - absl::Nanoseconds(1)).has_value());
  EXPECT_FALSE(tokens->Find(*token, end).has_value());
}

TEST_F(TokensTest, ATokenMayNameTheTasksThatItIsFor) {
  const std::string one = Digest("one"), two = Digest("two");
  const absl::Time end = absl::FromUnixSeconds(2'000'000'000);
  const auto token = CreateToken(
      Path(), {.role = "analyst", .name = "ada", .expires = end, .tasks = {one, two}}, random_);
  ASSERT_TRUE(token.ok()) << token.status();
  const auto grant = Load()->Find(*token, absl::UnixEpoch());
  ASSERT_TRUE(grant.has_value());
  EXPECT_THAT(grant->tasks, ElementsAre(one, two));
  EXPECT_EQ(grant->name, "ada");
  EXPECT_EQ(grant->expires, end);
  const TokenGrant all{.role = "monitor", .name = "bob", .tasks = {one}};
  EXPECT_TRUE(absl::IsInvalidArgument(CreateToken(Path(), all, random_).status()));
}

TEST_F(TokensTest, FollowsTheFileAsAWholeOrNotAtAll) {
  WriteFile(Line("analyst", "one", "ada"));
  const auto tokens = Load();
  WriteFile(Line("analyst", "two", "ada"));
  EXPECT_THAT(RolesOf(*tokens, "one"), IsEmpty());
  EXPECT_THAT(RolesOf(*tokens, "two"), ElementsAre("analyst"));

  WriteFile(Line("analyst", "three", "ada") + "nonsense\n");
  EXPECT_THAT(RolesOf(*tokens, "three"), IsEmpty());
  EXPECT_THAT(RolesOf(*tokens, "two"), ElementsAre("analyst"));
  ASSERT_EQ(refused_.size(), 1u) << "once a change";
  EXPECT_THAT(std::string(refused_[0].message()), HasSubstr(Path() + ", line 2: "));

  WriteFile(Line("analyst", "four", "ada"));
  EXPECT_TRUE(tokens->Reload().ok());
  EXPECT_THAT(RolesOf(*tokens, "four"), ElementsAre("analyst"));
}

TEST_F(TokensTest, AFileThatIsGoneOrEmptyLetsNobodyIn) {
  WriteFile(Line("analyst", "one", "ada"));
  const auto tokens = Load();
  std::filesystem::resize_file(Path(), 0);
  EXPECT_THAT(RolesOf(*tokens, "one"), IsEmpty());
  EXPECT_THAT(refused_, IsEmpty());
  WriteFile(Line("analyst", "one", "ada"));
  EXPECT_THAT(RolesOf(*tokens, "one"), ElementsAre("analyst"));
  std::filesystem::remove(Path());
  EXPECT_THAT(RolesOf(*tokens, "one"), IsEmpty());
  ASSERT_EQ(refused_.size(), 1u);
  EXPECT_TRUE(absl::IsNotFound(refused_[0]));
  EXPECT_TRUE(absl::IsNotFound(tokens->Reload()));
}

TEST_F(TokensTest, WhatIsChangedAtOnceIsChangedOneAfterTheOther) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      SecureRandom random;
      EXPECT_TRUE(
          CreateToken(Path(), {.role = "analyst", .name = absl::StrCat("n", i)}, random).ok());
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
  ASSERT_TRUE(CreateToken(Path(), {.role = "monitor", .name = "prometheus"}, random_).ok());
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
  EXPECT_THAT(RolesOf(*tokens, "two"), IsEmpty());
  EXPECT_THAT(RolesOf(*tokens, "one"), ElementsAre("analyst"));
  ASSERT_EQ(chmod(Path().c_str(), 0600), 0);
  EXPECT_THAT(RolesOf(*tokens, "two"), ElementsAre("analyst"));
  EXPECT_TRUE(absl::IsNotFound(Tokens::Load(directory_.In("none")).status()));
}

TEST_F(TokensTest, CreatesAndRevokes) {
  const auto ada = CreateToken(Path(), {.role = "analyst", .name = "Ada L."}, random_);
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
  EXPECT_THAT(RolesOf(*tokens, *ada), ElementsAre("analyst"));
  const auto bob = CreateToken(Path(), {.role = "monitor", .name = "bob"}, random_);
  ASSERT_TRUE(bob.ok());
  EXPECT_NE(*ada, *bob);
  EXPECT_THAT(RolesOf(*tokens, *bob), ElementsAre("monitor"));
  EXPECT_TRUE(absl::IsAlreadyExists(
      CreateToken(Path(), {.role = "analyst", .name = "bob"}, random_).status()));

  EXPECT_TRUE(RevokeToken(Path(), "Ada L.").ok());
  EXPECT_THAT(RolesOf(*tokens, *ada), IsEmpty());
  EXPECT_THAT(RolesOf(*tokens, *bob), ElementsAre("monitor"));
  EXPECT_TRUE(absl::IsNotFound(RevokeToken(Path(), "Ada L.")));
  EXPECT_TRUE(RevokeToken(Path(), "bob").ok());
  EXPECT_TRUE(ReadTokenFile(Path())->empty());
  EXPECT_TRUE(absl::IsNotFound(RevokeToken(directory_.In("none"), "bob")));
}

TEST_F(TokensTest, LeavesOtherLinesAndCommentsAsTheyAre) {
  const std::string before = "# mine\n" + Line("analyst", "one", "ada # boss") + "\n# end";
  WriteFile(before);
  ASSERT_TRUE(CreateToken(Path(), {.role = "operator", .name = "bob"}, random_).ok());
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
  EXPECT_TRUE(absl::IsInvalidArgument(
      CreateToken(Path(), {.role = "device", .name = "x"}, random_).status()));
  for (const char* name : {"", " a", "a ", "a\nb", "a#b", "\xff", "tasks=a", "expires=1"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(
        CreateToken(Path(), {.role = "analyst", .name = name}, random_).status()));
  }
  EXPECT_FALSE(std::filesystem::exists(Path()));
  WriteFile("nonsense\n");
  const absl::Status status =
      CreateToken(Path(), {.role = "analyst", .name = "x"}, random_).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("line 1: "));
  EXPECT_EQ(*ReadSmallFile(Path()), "nonsense\n");
}

}  // namespace
}  // namespace tombola::http
