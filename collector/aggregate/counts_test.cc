#include "collector/aggregate/counts.h"

#include <gtest/gtest.h>

#include <string>

namespace tombola::collector {
namespace {

Counts TwoTables() {
  return {.tables = {{.reports = 7,
                      .counts = {3, -1, int64_t{1} << 40},
                      .hashes = {.functions = {4, 3}, .buckets = {7}}},
                     {.reports = 2, .counts = {2, 0}, .hashes = {}}}};
}

TEST(CountsTest, MergeByAddition) {
  Counts sum;
  ASSERT_TRUE(sum.Merge(TwoTables()).ok());
  EXPECT_EQ(sum, TwoTables());
  ASSERT_TRUE(sum.Merge(TwoTables()).ok());
  ASSERT_TRUE(sum.Merge(Counts()).ok());
  EXPECT_EQ(sum.tables[0].reports, 14);
  EXPECT_EQ(sum.tables[0].counts, (std::vector<int64_t>{6, -2, int64_t{1} << 41}));
  EXPECT_EQ(sum.tables[0].hashes.functions, (std::vector<int64_t>{8, 6}));
  EXPECT_EQ(sum.tables[1].counts, (std::vector<int64_t>{4, 0}));
}

TEST(CountsTest, ThoseOfOtherTablesDoNotMerge) {
  Counts fewer = TwoTables(), longer = TwoTables(), hashed = TwoTables();
  fewer.tables.pop_back();
  longer.tables[1].counts.push_back(0);
  hashed.tables[1].hashes.functions.push_back(0);
  for (const Counts& other : {fewer, longer, hashed}) {
    Counts sum = TwoTables();
    EXPECT_EQ(sum.Merge(other).code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(sum, TwoTables());
  }
}

TEST(CountsTest, BytesAreReadBack) {
  for (const Counts& counts : {TwoTables(), Counts()}) {
    EXPECT_EQ(CountsFromBytes(ToBytes(counts)).value(), counts);
  }
}

TEST(CountsTest, DamagedBytesAreDataLoss) {
  const std::string bytes = ToBytes(TwoTables());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(CountsFromBytes(bytes.substr(0, size)).status().code(), absl::StatusCode::kDataLoss);
  }
  EXPECT_EQ(CountsFromBytes(bytes + '\0').status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(CountsFromBytes('\2' + bytes.substr(1)).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tombola::collector
