#include "common/base/encoding.h"

#include <gtest/gtest.h>

namespace tombola {
namespace {

TEST(Encoding, NumbersAreLittleEndian) {
  std::string bytes;
  PutNumber<uint32_t>(0x04030201, bytes);
  PutNumber<int16_t>(-2, bytes);
  EXPECT_EQ(bytes, std::string("\x01\x02\x03\x04\xfe\xff"));
  EXPECT_EQ(LoadNumber<uint32_t>(AsBytes(bytes).data()), 0x04030201u);
  std::array<uint8_t, 2> stored{};
  StoreNumber<uint16_t>(0x0201, stored.data());
  EXPECT_EQ(stored, (std::array<uint8_t, 2>{1, 2}));
}

TEST(Encoding, ReadsBackWhatItPut) {
  std::string bytes;
  PutNumbers(std::vector<int64_t>{-1, 2}, bytes);
  PutBytes(std::array<uint8_t, 3>{7, 8, 9}, bytes);
  Decoder decoder(AsBytes(bytes));
  EXPECT_EQ(decoder.Numbers<int64_t>(2), (std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(decoder.Bytes<3>(), (std::array<uint8_t, 3>{7, 8, 9}));
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(decoder.left(), 0u);
}

TEST(Encoding, WhatRanOutReadsAsZeroFromThenOn) {
  const std::string bytes = "\x01\x02\x03";
  Decoder decoder(AsBytes(bytes));
  EXPECT_EQ(decoder.Number<uint16_t>(), 0x0201);
  EXPECT_EQ(decoder.Number<uint32_t>(), 0u);
  EXPECT_FALSE(decoder.ok());
  EXPECT_EQ(decoder.Number<uint8_t>(), 0);
  EXPECT_TRUE(decoder.Numbers<int64_t>(1000).empty());
}

}  // namespace
}  // namespace tombola
