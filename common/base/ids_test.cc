#include "common/base/ids.h"

#include <gtest/gtest.h>

namespace tombola {
namespace {

TEST(Ids, HexRoundTrip) {
  const auto id = IdFromHex<KeyId>("00ff10ab01020304");
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(ToHex(*id), "00ff10ab01020304");
}

TEST(Ids, RefusesOtherLengthsAndOtherCharacters) {
  EXPECT_FALSE(IdFromHex<KeyId>("00ff10ab010203").has_value());
  EXPECT_FALSE(IdFromHex<KeyId>("00ff10ab0102030g").has_value());
  EXPECT_FALSE(IdFromHex<KeyId>("00FF10AB01020304").has_value());
  EXPECT_FALSE(IdFromBytes<KeyId>("1234567").has_value());
  EXPECT_TRUE(IdFromBytes<KeyId>("12345678").has_value());
}

TEST(Ids, OneThatIsRequiredSaysWhichFieldAndHowLong) {
  EXPECT_EQ(*RequireId<KeyId>("key_id", "\1\2\3\4\5\6\7\10"), (KeyId{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(RequireId<TaskId>("task_id", "short").status(),
            absl::InvalidArgumentError("task_id must be 32 bytes"));
}

}  // namespace
}  // namespace tombola
