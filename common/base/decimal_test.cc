#include "common/base/decimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

namespace tombola {
namespace {

double Read(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

TEST(DecimalTest, WritesWhatTheSharedTableSays) {
  std::ifstream table(TOMBOLA_TEST_DATA "/rounded.txt");
  int cases = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string value, up, down;
    int digits = 0;
    ASSERT_TRUE(words >> value >> digits >> up >> down) << line;
    EXPECT_EQ(RoundedUp(Read(value), digits), up) << line;
    EXPECT_EQ(RoundedDown(Read(value), digits), down) << line;
    ++cases;
  }
  EXPECT_GT(cases, 300);
}

TEST(DecimalTest, NeitherSideIsEverCrossedAndNothingAboveZeroBecomesZero) {
  std::mt19937_64 random(16);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t bits = random() >> 1;  // no sign
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value) || value == 0) continue;
    const int digits = 1 + static_cast<int>(random() % 17);
    const std::string up = RoundedUp(value, digits), down = RoundedDown(value, digits);
    ASSERT_GE(Read(up), value) << up;
    ASSERT_LE(Read(down), value) << down;
    ASSERT_GT(Read(down), 0) << down;
    ASSERT_EQ(RoundedUp(-value, digits), "-" + down);
    ASSERT_EQ(RoundedDown(-value, digits), "-" + up);
  }
}

TEST(DecimalTest, WhatWasWrittenWithFewDigitsReadsAsItWasWritten) {
  std::mt19937_64 random(17);
  for (int i = 0; i < 20000; ++i) {
    const std::string written = std::to_string(1 + random() % 9999) + "e" +
                                std::to_string(static_cast<int>(random() % 60) - 40);
    const double value = Read(written);
    EXPECT_EQ(Read(RoundedUp(value, 4)), value) << written;
    EXPECT_EQ(RoundedUp(value, 4), RoundedDown(value, 4)) << written;
  }
}

TEST(PercentText, HasAsManyDigitsAsTellItsDistanceToAHundred) {
  EXPECT_EQ(PercentText(0.95, 4), "95");
  EXPECT_EQ(PercentText(0.29, 4), "29");
  EXPECT_EQ(PercentText(0.999, 4), "99.9");
  EXPECT_EQ(PercentText(1.0 / 3, 4), "33.33");
  EXPECT_EQ(PercentText(1.0 / 3, 6), "33.3333");
  EXPECT_EQ(PercentText(0.9999999, 4), "99.99999");
  EXPECT_EQ(PercentText(1e-9, 4), "1e-07");
  EXPECT_NE(PercentText(std::nextafter(1, 0), 4), "100");
}

}  // namespace
}  // namespace tombola
