#include "collector/ingest/batch_quality.h"

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"

namespace tombola::collector {
namespace {

TEST(BatchQualityTest, ComesBackFromItsBytes) {
  const BatchQuality quality = {.duplicates = 7,
                                .hashes = {.functions = {1, 2, 3}, .buckets = {4, -5}}};
  const auto read = BatchQualityFromBytes(ToBytes(quality));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->duplicates, 7);
  EXPECT_EQ(read->hashes.functions, quality.hashes.functions);
  EXPECT_EQ(read->hashes.buckets, quality.hashes.buckets);
  EXPECT_TRUE(BatchQualityFromBytes(ToBytes({})).ok());
}

TEST(BatchQualityTest, HasTheLayoutThatIsSaid) {
  EXPECT_EQ(absl::BytesToHexString(
                ToBytes({.duplicates = 7, .hashes = {.functions = {1}, .buckets = {2}}})),
            "01"
            "0700000000000000"
            "01000100"
            "0100000000000000"
            "0200000000000000");
}

TEST(BatchQualityTest, RefusesWhatItDidNotWrite) {
  const std::string good = ToBytes({.duplicates = 7, .hashes = {.functions = {1}, .buckets = {2}}});
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(BatchQualityFromBytes(good.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(BatchQualityFromBytes(good + "x").ok());
  std::string later = good;
  later[0] = 2;
  EXPECT_EQ(BatchQualityFromBytes(later).status().code(), absl::StatusCode::kDataLoss);
}

TEST(BatchQualityTest, AddsUp) {
  BatchQuality sum;
  sum += {.duplicates = 1, .hashes = {.functions = {1, 2}, .buckets = {3}}};
  sum += {.duplicates = 2, .hashes = {.functions = {10, 20}, .buckets = {30}}};
  EXPECT_EQ(sum.duplicates, 3);
  EXPECT_EQ(sum.hashes.functions, (std::vector<int64_t>{11, 22}));
  EXPECT_EQ(sum.hashes.buckets, (std::vector<int64_t>{33}));
}

}  // namespace
}  // namespace tombola::collector
