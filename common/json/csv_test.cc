#include "common/json/csv.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

namespace tombola {
namespace {

TEST(CsvTest, QuotesWhereItHasTo) {
  EXPECT_EQ(CsvText("plain text"), "plain text");
  EXPECT_EQ(CsvText(""), "");
  EXPECT_EQ(CsvText("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvText("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(CsvText("a\nb"), "\"a\nb\"");
  EXPECT_EQ(CsvText("a\r"), "\"a\r\"");
}

TEST(CsvTest, NumbersReadBackAreTheVerySame) {
  for (const double number : {0.1, 1.0 / 3, -2.5e-17, 0.27851234567890123, 5e-324, 0.0,
                              std::numeric_limits<double>::max()}) {
    EXPECT_EQ(std::strtod(CsvNumber(number).c_str(), nullptr), number) << CsvNumber(number);
  }
  EXPECT_EQ(CsvNumber(0.1), "0.1");
  EXPECT_EQ(CsvNumber(-0.25), "-0.25");
}

}  // namespace
}  // namespace tombola
