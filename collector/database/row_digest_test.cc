#include <gtest/gtest.h>

#include <string>

#include "collector/database/database.h"
#include "common/base/ids.h"

namespace tombola::collector {
namespace {

TEST(RowDigest, IsSha256OfNumbersAndOfLengthsWithBytes) {
  const std::string by_hand("\x05\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0ab", 18);
  EXPECT_EQ(RowDigest({int64_t{5}, absl::string_view("ab")}), crypto::Sha256(by_hand));
}

TEST(RowDigest, TellsEveryColumnAndWhereItEnds) {
  const auto digest = RowDigest({int64_t{1}, absl::string_view("ab"), absl::string_view("c")});
  EXPECT_NE(digest, RowDigest({int64_t{2}, absl::string_view("ab"), absl::string_view("c")}));
  EXPECT_NE(digest, RowDigest({int64_t{1}, absl::string_view("a"), absl::string_view("bc")}));
  EXPECT_NE(digest, RowDigest({int64_t{1}, absl::string_view("ab")}));
  EXPECT_NE(digest, RowDigest({absl::string_view("ab"), int64_t{1}, absl::string_view("c")}));
}

}  // namespace
}  // namespace tombola::collector
