#include "common/strings/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "absl/status/status.h"
#include "common/strings/report.h"

namespace tombola::strings {
namespace {

using ::testing::HasSubstr;

ShapeOptions Valid() { return {.symbols = 42, .length = 6, .step = 3, .range = 65536}; }

void ExpectRefused(const ShapeOptions& options, const char* message) {
  const absl::StatusOr<Shape> shape = Shape::Create(options);
  ASSERT_EQ(shape.status().code(), absl::StatusCode::kInvalidArgument) << message;
  EXPECT_THAT(shape.status().message(), HasSubstr(message));
}

TEST(ShapeTest, HasLevelsAndChildren) {
  const absl::StatusOr<Shape> shape = Shape::Create(Valid());
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(shape->levels(), 2);
  EXPECT_EQ(shape->range_bits(), 16);
  EXPECT_EQ(shape->children(), 42 * 42 * 42);
  // No end, or one to three of them behind 2, 1 or no characters.
  EXPECT_EQ(shape->valid_children(), 41 * 41 * 41 + 41 * 41 + 41 + 1);
}

TEST(ShapeTest, WholeStringsAreOneLevel) {
  ShapeOptions options = Valid();
  options.length = 60;
  const absl::StatusOr<Shape> prefixes = Shape::Create(options);
  options.whole = true;
  const absl::StatusOr<Shape> whole = Shape::Create(options);
  ASSERT_TRUE(prefixes.ok() && whole.ok());
  EXPECT_EQ(prefixes->levels(), 20);
  EXPECT_EQ(prefixes->Before(19), 57);
  EXPECT_EQ(prefixes->Through(19), 60);
  EXPECT_EQ(whole->levels(), 1);
  EXPECT_EQ(whole->Before(0), 57);
  EXPECT_EQ(whole->Through(0), 60);
}

TEST(ShapeTest, NamesTheFieldThatIsOutOfBounds) {
  ShapeOptions options = Valid();
  options.symbols = 2;
  ExpectRefused(options, "strings.symbols must be in [3, 256], is 2");
  options.symbols = 257;
  ExpectRefused(options, "strings.symbols must be in [3, 256], is 257");
  options = Valid();
  options.length = 0;
  ExpectRefused(options, "strings.length must be in [1, 255], is 0");
  options.length = 256;
  ExpectRefused(options, "strings.length must be in [1, 255], is 256");
  options = Valid();
  options.step = 0;
  ExpectRefused(options, "strings.step must be in [1, 6], is 0");
  options.step = 7;
  ExpectRefused(options, "strings.step must be in [1, 6], is 7");
  options.step = 4;
  ExpectRefused(options, "strings.step must divide strings.length, is 4 and 6");
  options = Valid();
  options.range = 32;
  ExpectRefused(options, "strings.range must be in [64, 16777216], is 32");
  options.range = 1 << 25;
  ExpectRefused(options, "strings.range must be in [64, 16777216], is 33554432");
  options.range = 65537;
  ExpectRefused(options, "strings.range must be a power of two, is 65537");
}

TEST(ShapeTest, AStepHasAtMost2To32Extensions) {
  EXPECT_TRUE(Shape::Create({.symbols = 256, .length = 4, .step = 4, .range = 64}).ok());
  ExpectRefused({.symbols = 256, .length = 5, .step = 5, .range = 64},
                "strings.step must be so small that symbols^step is at most 2^32");
  ExpectRefused({.symbols = 3, .length = 255, .step = 255, .range = 64}, "strings.step");
}

TEST(StringReportTest, IsSixBytes) {
  const absl::StatusOr<Shape> shape = Shape::Create(Valid());
  const StringReport report = {.level = 1, .function = 255, .bucket = 0xABCD};
  std::array<uint8_t, StringReport::kBytes> bytes;
  Write(report, absl::MakeSpan(bytes));
  EXPECT_EQ(bytes, (std::array<uint8_t, 6>{1, 255, 0xCD, 0xAB, 0, 0}));
  const absl::StatusOr<StringReport> read = ReadStringReport(bytes, *shape);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, report);
}

TEST(StringReportTest, RefusesWhatTheShapeDoesNotHave) {
  const absl::StatusOr<Shape> shape = Shape::Create(Valid());
  const auto refused = [&](std::vector<uint8_t> bytes, const char* message) {
    const absl::StatusOr<StringReport> read = ReadStringReport(bytes, *shape);
    ASSERT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(read.status().message(), HasSubstr(message));
  };
  EXPECT_TRUE(ReadStringReport({1, 0, 0xFF, 0xFF, 0, 0}, *shape).ok());
  refused({2, 0, 0, 0, 0, 0}, "level must be below 2, is 2");
  refused({0, 0, 0, 0, 1, 0}, "bucket must be below 65536, is 65536");
  refused({0, 0, 0, 0, 0}, "a report must be 6 bytes, is 5");
  refused({0, 0, 0, 0, 0, 0, 0}, "a report must be 6 bytes, is 7");
}

}  // namespace
}  // namespace tombola::strings
