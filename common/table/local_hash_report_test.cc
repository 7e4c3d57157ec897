#include "common/table/local_hash_report.h"

#include <gtest/gtest.h>

#include <cstdint>
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

TEST(LocalHashReportTest, PlaneBytesAreThoseOfProtobuf) {
  SeededRandom random(1);
  for (int i = 0; i < 200; ++i) {
    // Zeros too: optional fields are written even then.
    const PlaneReport report = {static_cast<uint32_t>(random.Next64() >> (32 + i % 32)),
                                static_cast<uint32_t>(random.Next64() >> (32 + i % 31))};
    v1::PlaneReport message;
    message.set_function(report.function);
    message.set_bucket(report.bucket);
    EXPECT_EQ(Bytes(report), Bytes(message.SerializeAsString()));
    PlaneReport read;
    ASSERT_TRUE(Read(Bytes(report), &read));
    EXPECT_EQ(read.function, report.function);
    EXPECT_EQ(read.bucket, report.bucket);
  }
}

TEST(LocalHashReportTest, AffineBytesAreThoseOfProtobuf) {
  SeededRandom random(2);
  for (int i = 0; i < 200; ++i) {
    const AffineReport report = {random.Next64() >> (i % 64), random.Next64() >> (i % 61),
                                 static_cast<uint32_t>(random.Next64() >> (32 + i % 32))};
    v1::AffineReport message;
    message.set_multiplier(report.multiplier);
    message.set_offset(report.offset);
    message.set_bucket(report.bucket);
    EXPECT_EQ(Bytes(report), Bytes(message.SerializeAsString()));
    AffineReport read;
    ASSERT_TRUE(Read(Bytes(report), &read));
    EXPECT_EQ(read.multiplier, report.multiplier);
    EXPECT_EQ(read.offset, report.offset);
    EXPECT_EQ(read.bucket, report.bucket);
  }
}

TEST(LocalHashReportTest, TheLayoutIsTheDocumentedOne) {
  EXPECT_EQ(Bytes(PlaneReport{0x04030201, 0x08070605}),
            (std::vector<uint8_t>{0x0d, 1, 2, 3, 4, 0x15, 5, 6, 7, 8}));
  EXPECT_EQ(Bytes(AffineReport{0x0807060504030201, 0x100f0e0d0c0b0a09, 0x14131211}),
            (std::vector<uint8_t>{0x09, 1,  2,  3,  4,  5,  6,    7,  8,  0x11, 9, 10,
                                  11,   12, 13, 14, 15, 16, 0x1d, 17, 18, 19,   20}));
}

template <typename Report>
void ExpectOnlyTheExactLayoutIsRead(const std::vector<size_t>& tags) {
  const std::vector<uint8_t> good = Bytes(Report{});
  Report read;
  ASSERT_TRUE(Read(good, &read));
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(Read(absl::MakeConstSpan(good).first(length), &read)) << length;
  }
  std::vector<uint8_t> bad = good;
  bad.push_back(0);
  EXPECT_FALSE(Read(bad, &read));
  for (const size_t tag : tags) {
    for (int bit = 0; bit < 8; ++bit) {
      bad = good;
      bad[tag] ^= static_cast<uint8_t>(1 << bit);
      EXPECT_FALSE(Read(bad, &read)) << "tag at " << tag << ", bit " << bit;
    }
  }
}

TEST(LocalHashReportTest, OnlyTheExactLayoutIsRead) {
  ExpectOnlyTheExactLayoutIsRead<PlaneReport>({0, 5});
  ExpectOnlyTheExactLayoutIsRead<AffineReport>({0, 9, 18});
}

}  // namespace
}  // namespace tombola::mechanism
