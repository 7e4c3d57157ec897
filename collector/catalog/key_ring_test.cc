#include "collector/catalog/key_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

#include "collector/catalog/test_key_ring.h"
#include "common/crypto/key_file.h"
#include "common/disk/whole_file.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

TEST_F(KeyRingTest, MakesAFirstKeyThatDevicesAcceptAndThatOpens) {
  const KeyList list = Verified();
  ASSERT_EQ(list.keys().size(), 1u);
  EXPECT_EQ(list.serial(), 1u);
  const HpkeKey key = Active();
  EXPECT_EQ(key.not_before, TestTaskStart());
  EXPECT_EQ(key.not_after, TestTaskStart() + absl::Hours(24 * 10));
  EXPECT_TRUE(Opens(key));
}

TEST_F(KeyRingTest, TheListIsTheOneThatIsSigned) {
  EXPECT_EQ(ring_->List().SerializeAsString(), ring_->SignedList()->key_list());
}

TEST_F(KeyRingTest, ARotationEndsTheOldKeyAtOnceAndItStillOpens) {
  const HpkeKey old = Active();
  clock_.Advance(absl::Hours(5));
  ASSERT_TRUE(ring_->Rotate(std::nullopt, random_).ok());
  const HpkeKey fresh = Active();
  EXPECT_NE(fresh.id, old.id);
  EXPECT_EQ(fresh.not_before, clock_.Now());
  EXPECT_EQ(fresh.not_after, clock_.Now() + absl::Hours(24 * 10));
  const KeyList list = Verified();
  ASSERT_EQ(list.keys().size(), 2u);
  EXPECT_EQ(list.keys()[0].id, old.id);
  EXPECT_EQ(list.keys()[0].not_after, clock_.Now());
  EXPECT_TRUE(Opens(old));
  EXPECT_TRUE(Opens(fresh));
}

TEST_F(KeyRingTest, AtMostOneKeyIsValidAtAnyMomentAndTheSerialGrows) {
  uint64_t last = Verified().serial();
  for (int rotation = 1; rotation <= 5; ++rotation) {
    clock_.Advance(rotation == 3 ? absl::Hours(24 * 12) : absl::Seconds(1));
    ASSERT_TRUE(ring_->Rotate(std::nullopt, random_).ok());
    // Verified() fails if two keys overlap.
    EXPECT_EQ(Verified().serial(), last + 1);
    if (rotation == 2) Restart();
    last = Verified().serial();
  }
  EXPECT_EQ(Verified().keys().size(), 6u);
}

TEST_F(KeyRingTest, ASecondRotationWithinASecondIsRefusedAndChangesNothing) {
  const std::string before = ring_->List().SerializeAsString();
  EXPECT_TRUE(absl::IsFailedPrecondition(ring_->Rotate(std::nullopt, random_)));
  clock_.Advance(absl::Milliseconds(999));
  EXPECT_TRUE(absl::IsFailedPrecondition(ring_->Rotate(std::nullopt, random_)));
  EXPECT_EQ(ring_->List().SerializeAsString(), before);
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_TRUE(ring_->Rotate(std::nullopt, random_).ok());
}

TEST_F(KeyRingTest, KeysSurviveARestart) {
  const HpkeKey old = Active();
  clock_.Advance(absl::Hours(1));
  ASSERT_TRUE(ring_->Rotate(std::nullopt, random_).ok());
  const HpkeKey fresh = Active();
  const KeyList before = Verified();
  clock_.Advance(absl::Hours(1));
  Restart();
  EXPECT_EQ(Verified().version().keys, before.version().keys);
  EXPECT_TRUE(Opens(old));
  EXPECT_TRUE(Opens(fresh));
}

TEST_F(KeyRingTest, ARestartAfterTheLastKeyRanOutMakesANewOne) {
  const HpkeKey old = Active();
  clock_.Advance(absl::Hours(24 * 10));
  EXPECT_TRUE(absl::IsFailedPrecondition(Verified().ActiveAt(clock_.Now()).status()));
  Restart();
  EXPECT_NE(Active().id, old.id);
  EXPECT_EQ(Verified().serial(), 2u);
  // What ran out by itself keeps its end.
  EXPECT_EQ(Verified().keys()[0].not_after, old.not_after);
  EXPECT_TRUE(Opens(old));
}

TEST_F(KeyRingTest, PrivateKeysAreFilesThatOnlyTheirOwnerReads) {
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(ring_->Rotate(std::nullopt, random_).ok());
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.In("keys"))) {
    if (entry.path().extension() != ".key") continue;
    struct stat about {};
    ASSERT_EQ(stat(entry.path().c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777, 0600u) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 2);
}

TEST_F(KeyRingTest, NoPrivateKeyIsInTheDatabase) {
  const auto secret = crypto::ReadSecretFile(KeyPath(Active().id));
  ASSERT_TRUE(secret.ok());
  ring_.reset();
  const auto database = ReadSmallFile(directory_.In("keys/keys.db"));
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(database->find(std::string(secret->ExposeSecretAsString())), std::string::npos);
}

TEST_F(KeyRingTest, AnUnknownKeyIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(ring_->PrivateKey(KeyId{}).status()));
}

TEST_F(KeyRingTest, AMissingPrivateKeyStopsTheStart) {
  const KeyId id = Active().id;
  ring_.reset();
  std::filesystem::remove(KeyPath(id));
  const absl::Status status = Open().status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr(ToHex(id)));
}

TEST_F(KeyRingTest, ASwappedPrivateKeyStopsTheStart) {
  const KeyId first = Active().id;
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(ring_->Rotate(std::nullopt, random_).ok());
  const KeyId second = Active().id;
  ring_.reset();
  std::filesystem::copy_file(KeyPath(first), KeyPath(second),
                             std::filesystem::copy_options::overwrite_existing);
  const absl::Status status = Open().status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr(ToHex(second)));
}

TEST_F(KeyRingTest, APrivateKeyThatOthersMayReadStopsTheStart) {
  const KeyId id = Active().id;
  ring_.reset();
  ASSERT_EQ(chmod(KeyPath(id).c_str(), 0644), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(Open().status()));
}

}  // namespace
}  // namespace tombola::collector
