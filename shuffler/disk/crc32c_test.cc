#include "shuffler/disk/crc32c.h"

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {
namespace {

absl::Span<const uint8_t> Bytes(absl::string_view text) {
  return absl::MakeSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

TEST(Crc32cTest, KnownVectors) {
  EXPECT_EQ(Crc32c(Bytes("123456789")), 0xE3069283u);
  EXPECT_EQ(Crc32cByTable(Bytes("123456789")), 0xE3069283u);
  // RFC 3720, appendix B.4.
  EXPECT_EQ(Crc32c(std::vector<uint8_t>(32, 0x00)), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(std::vector<uint8_t>(32, 0xFF)), 0x62A8AB43u);
  EXPECT_EQ(Crc32c({}), 0u);
}

TEST(Crc32cTest, InstructionAndTableAgreeAtEveryLengthAndAlignment) {
  SeededRandom random(1);
  std::vector<uint8_t> bytes(300);
  random.Fill(absl::MakeSpan(bytes));
  for (size_t start = 0; start < 9; ++start) {
    for (size_t length = 0; start + length <= bytes.size(); ++length) {
      const absl::Span<const uint8_t> part = absl::MakeSpan(bytes).subspan(start, length);
      ASSERT_EQ(Crc32c(part, 7), Crc32cByTable(part, 7)) << start << " " << length;
    }
  }
}

TEST(Crc32cTest, GoesOnWhereItStopped) {
  EXPECT_EQ(Crc32c(Bytes("6789"), Crc32c(Bytes("12345"))), 0xE3069283u);
  EXPECT_EQ(Crc32cByTable(Bytes("6789"), Crc32cByTable(Bytes("12345"))), 0xE3069283u);
}

}  // namespace
}  // namespace tombola::shuffler
