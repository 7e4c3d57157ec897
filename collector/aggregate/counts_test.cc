#include "collector/aggregate/counts.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tombola::collector {
namespace {

Counts TwoTables() {
  return {.tables = {{.reports = 7,
                      .counts = {3, -1, int64_t{1} << 40},
                      .hashes = {.functions = {4, 3}, .buckets = {7}}},
                     {.reports = 2, .counts = {2, 0}, .hashes = {}}}};
}

Counts Sparse(SparseCells cells) {
  return {.tables = {{.reports = 3, .counts = {}, .cells = std::move(cells), .hashes = {}}}};
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

TEST(CountsTest, CellsThatOccurMerge) {
  Counts sum = Sparse({{4, 1}, {7, 2}});
  ASSERT_TRUE(sum.Merge(Sparse({{2, 5}, {7, 1}})).ok());
  EXPECT_EQ(sum.tables[0].cells, (SparseCells{{2, 5}, {4, 1}, {7, 3}}));
  EXPECT_EQ(sum.tables[0].reports, 6);
}

// Neighbouring cells take two bytes each.
TEST(CountsTest, CellsThatOccurAreWrittenAsDistances) {
  const size_t none = ToBytes(Sparse({})).size();
  EXPECT_EQ(ToBytes(Sparse({{5, 1}, {6, 2}, {100, 1}})).size(), none + 6);
}

TEST(CountsTest, DamagedCellsAreDataLoss) {
  const std::string bytes = ToBytes(Sparse({{5, 1}, {300, 200}}));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(CountsFromBytes(bytes.substr(0, size)).status().code(), absl::StatusCode::kDataLoss);
  }
  const size_t sparse = ToBytes(Sparse({})).size();
  std::string same = bytes, none = bytes, far = bytes, many = bytes;
  same[sparse] = '\0';      // a distance of 0
  none[sparse + 1] = '\0';  // a count of 0
  far.replace(sparse, 1, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f");
  many.replace(sparse - 8, 8, std::string(8, '\xff'));
  for (const std::string& damaged : {same, none, far, many}) {
    EXPECT_EQ(CountsFromBytes(damaged).status().code(), absl::StatusCode::kDataLoss);
  }
}

TEST(CountsTest, BytesAreReadBack) {
  for (const Counts& counts :
       {TwoTables(), Counts(),
        Sparse({{0, 1}, {1, 127}, {129, 128}, {(uint64_t{1} << 40) - 1, 1}})}) {
    EXPECT_EQ(CountsFromBytes(ToBytes(counts)).value(), counts);
  }
}

TEST(CountsTest, DamagedBytesAreDataLoss) {
  const std::string bytes = ToBytes(TwoTables());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(CountsFromBytes(bytes.substr(0, size)).status().code(), absl::StatusCode::kDataLoss);
  }
  EXPECT_EQ(CountsFromBytes(bytes + '\0').status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(CountsFromBytes('\1' + bytes.substr(1)).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tombola::collector
