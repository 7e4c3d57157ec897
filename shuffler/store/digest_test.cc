#include "shuffler/store/digest.h"

#include <string>
#include <vector>

#include "common/crypto/sha256.h"
#include "gtest/gtest.h"
#include "shuffler/store/encoding.h"

namespace tombola::shuffler {
namespace {

ReportDigest Number(uint8_t first, uint8_t last) {
  ReportDigest number{};
  number.front() = first;
  number.back() = last;
  return number;
}

TEST(DigestSumTest, AddsBigEndianNumbers) {
  DigestSum sum;
  EXPECT_EQ(sum.Value(), Number(0, 0));
  sum.Add(Number(3, 5));
  sum.Add(Number(4, 6));
  EXPECT_EQ(sum.Value(), Number(7, 11));
}

TEST(DigestSumTest, CarriesThroughEveryByteAndWrapsAt2To256) {
  ReportDigest largest;
  largest.fill(0xFF);
  DigestSum sum;
  sum.Add(largest);
  sum.Add(Number(0, 1));
  EXPECT_EQ(sum.Value(), Number(0, 0));
  sum.Add(largest);
  sum.Add(largest);  // 2 (2^256 - 1) = 2^256 - 2
  ReportDigest expected = largest;
  expected.back() = 0xFE;
  EXPECT_EQ(sum.Value(), expected);
}

TEST(DigestTest, IsTheHashOfTaskKeyAndReport) {
  TaskId task;
  task.fill(1);
  KeyId key;
  key.fill(2);
  const std::string report(58, 'r');
  const std::string flat = std::string(32, '\1') + std::string(8, '\2') + report;
  EXPECT_EQ(DigestOfReport(task, key, AsBytes(report)), crypto::Sha256(absl::string_view(flat)));
}

TEST(DigestTest, DependsOnTheTaskAndOnTheId) {
  TaskId one{}, other{};
  other[31] = 1;
  const std::vector<uint8_t> id(kSubmissionIdBytes, 9);
  std::vector<uint8_t> changed = id;
  changed[15] = 8;
  EXPECT_EQ(SubmissionDigest(one, id), SubmissionDigest(one, id));
  EXPECT_NE(SubmissionDigest(one, id), SubmissionDigest(other, id));
  EXPECT_NE(SubmissionDigest(one, id), SubmissionDigest(one, changed));
}

}  // namespace
}  // namespace tombola::shuffler
