#include "common/table/value_report.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/seeded_random.h"
#include "tombola/v1/report.pb.h"

namespace tombola::mechanism {
namespace {

template <typename Report>
std::vector<uint8_t> Bytes(const Report& report) {
  std::vector<uint8_t> bytes(Report::kBytes);
  Write(report, absl::MakeSpan(bytes));
  return bytes;
}

std::vector<uint8_t> Bytes(const std::string& text) { return {text.begin(), text.end()}; }

TEST(ValueReportTest, BytesAreThoseOfProtobuf) {
  SeededRandom random(1);
  for (int i = 0; i < 200; ++i) {
    // Zeros too: optional fields are written even then.
    const ValueReport report = {static_cast<uint32_t>((random.Next64() >> 32) >> i % 33)};
    v1::ValueReport message;
    message.set_value(report.value);
    EXPECT_EQ(Bytes(report), Bytes(message.SerializeAsString()));
    ValueReport read;
    ASSERT_TRUE(Read(Bytes(report), &read));
    EXPECT_EQ(read.value, report.value);
  }
}

TEST(SignedReportTest, BytesAreThoseOfProtobuf) {
  SeededRandom random(2);
  std::vector<int32_t> changes = {0, 1, -1, std::numeric_limits<int32_t>::max(),
                                  std::numeric_limits<int32_t>::min()};
  for (int i = 0; i < 200; ++i) changes.push_back(static_cast<int32_t>(random.Next64()));
  for (const int32_t change : changes) {
    v1::SignedReport message;
    message.set_change(change);
    EXPECT_EQ(Bytes(SignedReport{change}), Bytes(message.SerializeAsString()));
    SignedReport read;
    ASSERT_TRUE(Read(Bytes(SignedReport{change}), &read));
    EXPECT_EQ(read.change, change);
  }
}

TEST(ValueReportTest, TheLayoutIsATagAndALittleEndianWord) {
  EXPECT_EQ(Bytes(ValueReport{0x01020304}), (std::vector<uint8_t>{13, 4, 3, 2, 1}));
  EXPECT_EQ(Bytes(SignedReport{-2}), (std::vector<uint8_t>{13, 0xfe, 0xff, 0xff, 0xff}));
}

TEST(ValueReportTest, RefusesOtherLengthsAndTags) {
  ValueReport value;
  SignedReport change;
  std::vector<uint8_t> bytes = Bytes(ValueReport{7});
  for (size_t length = 0; length < 8; ++length) {
    bytes.resize(length, 0);
    if (length > 0) bytes[0] = 13;
    EXPECT_EQ(Read(bytes, &value), length == 5) << length;
    EXPECT_EQ(Read(bytes, &change), length == 5) << length;
  }
  bytes.resize(5);
  for (int tag = 0; tag < 256; ++tag) {
    bytes[0] = static_cast<uint8_t>(tag);
    EXPECT_EQ(Read(bytes, &value), tag == 13) << tag;
    EXPECT_EQ(Read(bytes, &change), tag == 13) << tag;
  }
}

}  // namespace
}  // namespace tombola::mechanism
