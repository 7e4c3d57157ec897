#include "common/crypto/report_digest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tests/support/seeded_random.h"

namespace tombola::crypto {
namespace {

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TaskId TestTask() {
  TaskId id;
  id.fill(0x11);
  return id;
}

KeyId TestKey() {
  KeyId id;
  id.fill(0x22);
  return id;
}

// A number of 256 bits whose last 64 are `low`.
Sha256Digest Number(uint64_t low) {
  Sha256Digest number{};
  for (int i = 0; i < 8; ++i) number[31 - i] = static_cast<uint8_t>(low >> (8 * i));
  return number;
}

Sha256Digest AllOnes() {
  Sha256Digest number;
  number.fill(0xff);
  return number;
}

Sha256Digest SumOf(const std::vector<Sha256Digest>& digests) {
  DigestSum sum;
  for (const Sha256Digest& digest : digests) sum.Add(digest);
  return sum.Value();
}

// Addition as on paper, a byte at a time.
Sha256Digest OnPaper(const Sha256Digest& a, const Sha256Digest& b) {
  Sha256Digest sum;
  int carry = 0;
  for (int i = 31; i >= 0; --i) {
    carry += a[i] + b[i];
    sum[i] = static_cast<uint8_t>(carry);
    carry >>= 8;
  }
  return sum;
}

std::vector<Sha256Digest> RandomDigests(size_t count, uint64_t seed) {
  SeededRandom random(seed);
  std::vector<Sha256Digest> digests(count);
  for (Sha256Digest& digest : digests) random.Fill(absl::MakeSpan(digest));
  return digests;
}

TEST(ReportDigestTest, IsSha256OfTaskKeyAndSealedReport) {
  const std::string sealed = "sealed report";
  const std::string whole = absl::StrCat(std::string(32, 0x11), std::string(8, 0x22), sealed);
  EXPECT_EQ(ReportDigest(TestTask(), TestKey(), Bytes(sealed)), Sha256(whole));
  // sha256sum's word for the same 53 bytes, so that a change of Sha256 is noticed here too.
  EXPECT_EQ(absl::BytesToHexString(AsView(ReportDigest(TestTask(), TestKey(), Bytes(sealed)))),
            "e6b284195abfbf348e5708d625453b8ba684d8b3b6c43613f57903d92a68f5d6");
}

TEST(ReportDigestTest, DependsOnEveryByteOfEveryPart) {
  const std::string sealed(58, 's');
  const Sha256Digest digest = ReportDigest(TestTask(), TestKey(), Bytes(sealed));
  for (size_t i = 0; i < 32; ++i) {
    TaskId task = TestTask();
    task[i] ^= 1;
    EXPECT_NE(ReportDigest(task, TestKey(), Bytes(sealed)), digest) << i;
  }
  for (size_t i = 0; i < 8; ++i) {
    KeyId key = TestKey();
    key[i] ^= 1;
    EXPECT_NE(ReportDigest(TestTask(), key, Bytes(sealed)), digest) << i;
  }
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] ^= 1;
    EXPECT_NE(ReportDigest(TestTask(), TestKey(), Bytes(changed)), digest) << i;
  }
}

TEST(DigestSumTest, OfNothingIsZero) { EXPECT_EQ(DigestSum().Value(), Sha256Digest{}); }

TEST(DigestSumTest, OfOneIsThatOne) {
  const Sha256Digest digest = Sha256(absl::string_view("one"));
  EXPECT_EQ(SumOf({digest}), digest);
}

TEST(DigestSumTest, WhatIsSubtractedIsTakenBack) {
  Sha256Digest one{}, most{}, other{};
  one.back() = 1;
  most.fill(0xff);
  other.fill(0x5a);
  for (const Sha256Digest& digest : {Sha256Digest{}, one, most}) {
    DigestSum sum;
    sum.Add(other);
    sum.Subtract(digest);
    sum.Add(digest);
    EXPECT_EQ(sum.Value(), other);
  }
  DigestSum below;
  below.Subtract(one);
  EXPECT_EQ(below.Value(), most);
}

TEST(DigestSumTest, CarriesFromWordToWord) {
  Sha256Digest two_to_the_64{};
  two_to_the_64[23] = 1;
  EXPECT_EQ(SumOf({Number(~uint64_t{0}), Number(1)}), two_to_the_64);
  Sha256Digest low_192_ones = AllOnes();
  std::fill(low_192_ones.begin(), low_192_ones.begin() + 8, 0);
  Sha256Digest two_to_the_192{};
  two_to_the_192[7] = 1;
  EXPECT_EQ(SumOf({low_192_ones, Number(1)}), two_to_the_192);
}

TEST(DigestSumTest, WrapsAtTwoToThe256) {
  EXPECT_EQ(SumOf({AllOnes(), Number(1)}), Number(0));
  EXPECT_EQ(SumOf({AllOnes(), Number(5)}), Number(4));
  Sha256Digest all_but_the_last_bit = AllOnes();
  all_but_the_last_bit[31] = 0xfe;
  EXPECT_EQ(SumOf({AllOnes(), AllOnes()}), all_but_the_last_bit);
}

TEST(DigestSumTest, AgreesWithAdditionOnPaper) {
  Sha256Digest expected{};
  DigestSum sum;
  for (const Sha256Digest& digest : RandomDigests(1000, 1)) {
    expected = OnPaper(expected, digest);
    sum.Add(digest);
    ASSERT_EQ(sum.Value(), expected);
  }
}

TEST(DigestSumTest, IsTheSameInEveryOrder) {
  std::vector<Sha256Digest> digests = RandomDigests(5, 2);
  std::sort(digests.begin(), digests.end());
  const Sha256Digest sum = SumOf(digests);
  while (std::next_permutation(digests.begin(), digests.end())) EXPECT_EQ(SumOf(digests), sum);
}

TEST(DigestSumTest, SumsOfPartsAddUp) {
  const std::vector<Sha256Digest> digests = RandomDigests(100, 3);
  for (const size_t cut : {0, 1, 50, 100}) {
    DigestSum first;
    DigestSum second;
    for (size_t i = 0; i < digests.size(); ++i) (i < cut ? first : second).Add(digests[i]);
    first.Add(second);
    EXPECT_EQ(first.Value(), SumOf(digests)) << cut;
  }
}

TEST(DigestSumTest, TellsALostADoubledAndAChangedReport) {
  const std::vector<Sha256Digest> digests = RandomDigests(10, 4);
  const Sha256Digest sum = SumOf(digests);
  std::vector<Sha256Digest> lost(digests.begin(), digests.end() - 1);
  EXPECT_NE(SumOf(lost), sum);
  std::vector<Sha256Digest> doubled = digests;
  doubled.push_back(digests[3]);
  EXPECT_NE(SumOf(doubled), sum);
  std::vector<Sha256Digest> changed = digests;
  changed[7][31] ^= 1;
  EXPECT_NE(SumOf(changed), sum);
}

}  // namespace
}  // namespace tombola::crypto
