#include "shuffler/digests/digest.h"

#include <vector>

#include "common/crypto/sha256.h"
#include "gtest/gtest.h"

namespace tombola::shuffler {
namespace {

TEST(DigestTest, IsTheFirstHalf) {
  crypto::Sha256Digest digest{};
  digest[0] = 1;
  digest[15] = 2;
  digest[16] = 3;
  EXPECT_EQ(Cut(digest).bytes.front(), 1);
  EXPECT_EQ(Cut(digest).bytes.back(), 2);
}

TEST(DigestTest, DependsOnTheTaskAndOnTheId) {
  TaskId one{}, other{};
  other[31] = 1;
  const std::vector<uint8_t> id(kSubmissionIdBytes, 9);
  std::vector<uint8_t> changed = id;
  changed[15] = 8;
  EXPECT_EQ(SubmissionDigest(one, id), SubmissionDigest(one, id));
  EXPECT_NE(SubmissionDigest(one, id), SubmissionDigest(other, id));
  EXPECT_NE(SubmissionDigest(one, id), SubmissionDigest(one, changed));
}

}  // namespace
}  // namespace tombola::shuffler
