#include "common/totals/sealed_seed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "common/random/secure_random.h"
#include "tests/support/scratch_directory.h"

namespace tombola::stream {
namespace {

using ::testing::HasSubstr;

class SealedSeedTest : public ::testing::Test {
 protected:
  SecureRandom random_;
  const ScratchDirectory directory_;
  const crypto::SealingKey key_ = crypto::SealingKey::Draw(random_);
  const std::string path_ = directory_.In("stream");
};

TEST_F(SealedSeedTest, IsReadAsItWasWritten) {
  const TotalsOptions options = {.question = {.epsilon = 0.5,
                                              .delta = 1e-6,
                                              .periods = 365,
                                              .sensitivity = 3,
                                              .intervals = 7,
                                              .adaptive = true,
                                              .method = Method::kBlt},
                                 .unbounded = true,
                                 .largest = 1000};
  const SealedSeed drawn = SealedSeed::Draw(options, random_);
  ASSERT_TRUE(drawn.Write(path_, key_, random_).ok());
  const SealedSeed read = *SealedSeed::Read(path_, key_);
  EXPECT_EQ(read.seed.ExposeSecretAsString(), drawn.seed.ExposeSecretAsString());
  EXPECT_EQ(read.increments.bytes().ExposeSecretAsString(),
            drawn.increments.bytes().ExposeSecretAsString());
  EXPECT_EQ(read.options.question.epsilon, 0.5);
  EXPECT_EQ(read.options.question.delta, 1e-6);
  EXPECT_EQ(read.options.question.periods, 365);
  EXPECT_EQ(read.options.question.sensitivity, 3);
  EXPECT_EQ(read.options.question.intervals, 7);
  EXPECT_TRUE(read.options.question.adaptive);
  EXPECT_EQ(read.options.question.method, Method::kBlt);
  EXPECT_TRUE(read.options.unbounded);
  EXPECT_EQ(read.options.largest, 1000);
}

TEST_F(SealedSeedTest, NoMethodIsNoMethod) {
  ASSERT_TRUE(SealedSeed::Draw({}, random_).Write(path_, key_, random_).ok());
  EXPECT_FALSE(SealedSeed::Read(path_, key_)->options.question.method.has_value());
}

TEST_F(SealedSeedTest, TheFileIsItsOwnersAndShowsNeitherSeedNorKey) {
  const SealedSeed drawn = SealedSeed::Draw({}, random_);
  ASSERT_TRUE(drawn.Write(path_, key_, random_).ok());
  EXPECT_EQ(std::filesystem::status(path_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const std::string content = *ReadSmallFile(path_);
  EXPECT_FALSE(absl::StrContains(content, drawn.seed.ExposeSecretAsString()));
  EXPECT_FALSE(absl::StrContains(content, drawn.increments.bytes().ExposeSecretAsString()));
}

TEST_F(SealedSeedTest, RefusesAnotherKeyAndDamage) {
  ASSERT_TRUE(SealedSeed::Draw({}, random_).Write(path_, key_, random_).ok());
  EXPECT_EQ(SealedSeed::Draw({}, random_).Write(path_, key_, random_).code(),
            absl::StatusCode::kAlreadyExists);
  const auto other = SealedSeed::Read(path_, crypto::SealingKey::Draw(random_));
  EXPECT_EQ(other.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(other.status().message(), HasSubstr("does not open with this key"));
  const std::string content = *ReadSmallFile(path_);
  for (size_t at = 0; at < content.size(); ++at) {
    std::string changed = content;
    changed[at] ^= 1;
    EXPECT_FALSE(SealedSeed::Read(directory_.File("changed", changed), key_).ok()) << at;
    EXPECT_FALSE(SealedSeed::Read(directory_.File("cut", content.substr(0, at)), key_).ok()) << at;
  }
  EXPECT_TRUE(absl::IsNotFound(SealedSeed::Read(directory_.In("none"), key_).status()));
}

}  // namespace
}  // namespace tombola::stream
