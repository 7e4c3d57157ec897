#include "collector/open/opening.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "collector/test_batch.h"
#include "common/base/work_pool.h"
#include "common/crypto/hpke_suite.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

constexpr uint32_t kRange = 23;  // of the test task

class OpeningTest : public ::testing::Test {
 protected:
  OpeningTest()
      : random_(7),
        task_(MakeTestTask()),
        key_(*crypto::HpkePrivateKey::Generate(random_)),
        key_id_(crypto::HpkeKeyId(key_.public_key())) {}

  std::string Sealed(const std::string& plaintext) {
    return Seal(*task_, key_id_, key_.public_key(), plaintext, random_);
  }
  std::string GoodReport() {
    return Sealed(DrawReport(*task_, UniformBelow(20, random_), random_));
  }
  std::vector<std::string> GoodReports(int n) {
    std::vector<std::string> reports;
    reports.reserve(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) reports.push_back(GoodReport());
    return reports;
  }
  static std::string Join(const std::vector<std::string>& reports) {
    std::string joined;
    for (const std::string& report : reports) joined += report;
    return joined;
  }
  std::unique_ptr<Opening> NewOpening(int workers = 1) {
    auto opening =
        Opening::Create(task_, {.task = task_->id(), .key = key_id_, .part = part_}, key_, workers);
    EXPECT_TRUE(opening.ok()) << opening.status();
    return *std::move(opening);
  }
  OpenedBatch OpenAll(const std::vector<std::string>& reports) {
    const auto opening = NewOpening();
    opening->Open(Join(reports), 0);
    return opening->Finish();
  }
  // `bad` among good reports: it is dropped, and the others count as they do without it.
  RejectedReports Cause(const std::string& bad) {
    std::vector<std::string> reports = GoodReports(6);
    const OpenedBatch without = OpenAll(reports);
    reports.insert(reports.begin() + 3, bad);
    const OpenedBatch with = OpenAll(reports);
    EXPECT_EQ(with.reports, 7);
    EXPECT_EQ(with.good, 6);
    EXPECT_EQ(with.rejected.total(), 1);
    EXPECT_EQ(with.counts, without.counts);
    EXPECT_NE(with.digest_sum, without.digest_sum);
    return with.rejected;
  }

  SeededRandom random_;
  std::shared_ptr<const Task> task_;
  crypto::HpkePrivateKey key_;
  KeyId key_id_;
  uint64_t part_ = 0;  // of the batch; reports are sealed for 0
};

TEST_F(OpeningTest, CountsForEachValueTheReportsThatSupportIt) {
  // Lines of slope 0 through (row, column): a report (0, y) supports every value with v mod 5 = y,
  // and (23, y), the vertical class, those of row y.
  const OpenedBatch batch = OpenAll({Sealed(PlainReport(0, 2)), Sealed(PlainReport(kRange, 1)),
                                     Sealed(PlainReport(0, 2)), Sealed(PlainReport(kRange, 22))});
  std::vector<int64_t> expected(20, 0);
  for (size_t v = 2; v < 20; v += 5) expected[v] += 2;
  for (size_t v = 5; v < 10; ++v) ++expected[v];
  EXPECT_EQ(batch.counts.tables[0].counts, expected);
  EXPECT_EQ(batch.counts.tables[0].hashes.functions[0], 2);
  EXPECT_EQ(batch.counts.tables[0].hashes.functions[kRange], 2);
  EXPECT_EQ(batch.counts.tables[0].hashes.buckets[2], 2);
  EXPECT_EQ(batch.reports, 4);
  EXPECT_EQ(batch.good, 4);  // the last one supports no value, and is a report all the same
  EXPECT_EQ(batch.rejected.total(), 0);
}

TEST_F(OpeningTest, AnEmptyBatchIsAllZero) {
  const OpenedBatch batch = NewOpening()->Finish();
  EXPECT_EQ(batch.reports, 0);
  EXPECT_EQ(batch.counts.tables[0].counts, std::vector<int64_t>(20, 0));
  EXPECT_EQ(batch.digest_sum, crypto::Sha256Digest{});
}

TEST_F(OpeningTest, ATamperedReportIsUnopened) {
  const std::string good = GoodReport();
  // The encapsulated key, the ciphertext and the tag.
  for (const size_t at : {size_t{0}, size_t{35}, good.size() - 1}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_EQ(Cause(bad).unopened, 1) << at;
  }
}

TEST_F(OpeningTest, NoiseIsUnopened) {
  EXPECT_EQ(Cause(std::string(task_->sealed_bytes(), '\0')).unopened, 1);
  EXPECT_EQ(Cause(std::string(task_->sealed_bytes(), '\xff')).unopened, 1);
}

TEST_F(OpeningTest, AReportSealedForAnotherTaskIsUnopened) {
  const auto other = MakeTestTask([](v1::Task* task) { task->set_name("another"); });
  EXPECT_EQ(Cause(Seal(*other, key_id_, key_.public_key(), PlainReport(1, 1), random_)).unopened,
            1);
}

TEST_F(OpeningTest, AReportSealedToAnotherKeyIsUnopened) {
  const auto other = *crypto::HpkePrivateKey::Generate(random_);
  EXPECT_EQ(Cause(Seal(*task_, key_id_, other.public_key(), PlainReport(1, 1), random_)).unopened,
            1);
}

TEST_F(OpeningTest, AReportUnderAnotherKeyIdIsUnopened) {
  EXPECT_EQ(Cause(Seal(*task_, KeyId{}, key_.public_key(), PlainReport(1, 1), random_)).unopened,
            1);
}

TEST_F(OpeningTest, AWrongLayoutIsMalformed) {
  std::string plaintext = PlainReport(1, 1);
  plaintext[0] = static_cast<char>(plaintext[0] ^ 1);
  EXPECT_EQ(Cause(Sealed(plaintext)).malformed, 1);
  plaintext = PlainReport(1, 1);
  plaintext[5] = static_cast<char>(plaintext[5] ^ 1);
  EXPECT_EQ(Cause(Sealed(plaintext)).malformed, 1);
  EXPECT_EQ(Cause(Sealed(std::string(10, '\0'))).malformed, 1);
}

TEST_F(OpeningTest, AFieldOutsideItsRangeIsOutOfRange) {
  EXPECT_EQ(Cause(Sealed(PlainReport(1, kRange))).out_of_range, 1);
  EXPECT_EQ(Cause(Sealed(PlainReport(kRange, kRange))).out_of_range, 1);
  EXPECT_EQ(Cause(Sealed(PlainReport(kRange + 1, 0))).out_of_range, 1);
  EXPECT_EQ(Cause(Sealed(PlainReport(~0u, ~0u))).out_of_range, 1);
}

TEST_F(OpeningTest, CountsBadReportsByTheirCauses) {
  std::string tampered = GoodReport();
  tampered.back() = static_cast<char>(tampered.back() ^ 1);
  const std::string malformed = Sealed(std::string(10, 'x'));
  const std::string outside = Sealed(PlainReport(0, kRange));
  const OpenedBatch batch = OpenAll({tampered, outside, GoodReport(), malformed, outside, tampered,
                                     outside, GoodReport(), malformed, outside});
  EXPECT_EQ(batch.reports, 10);
  EXPECT_EQ(batch.good, 2);
  EXPECT_EQ(batch.rejected.unopened, 2);
  EXPECT_EQ(batch.rejected.malformed, 2);
  EXPECT_EQ(batch.rejected.out_of_range, 4);
}

TEST_F(OpeningTest, TheOrderOfReportsDoesNotMatter) {
  std::vector<std::string> reports = GoodReports(12);
  reports.push_back(Sealed(PlainReport(0, kRange)));
  const OpenedBatch forward = OpenAll(reports);
  std::reverse(reports.begin(), reports.end());
  const OpenedBatch backward = OpenAll(reports);
  EXPECT_EQ(backward.counts, forward.counts);
  EXPECT_EQ(backward.digest_sum, forward.digest_sum);
}

TEST_F(OpeningTest, SeveralWorkersAtOnceEqualOne) {
  std::vector<std::string> reports = GoodReports(600);
  for (size_t i = 0; i < reports.size(); i += 50) reports[i].back() ^= 1;
  for (size_t i = 7; i < reports.size(); i += 100) reports[i] = Sealed(PlainReport(kRange + 1, 0));
  const OpenedBatch alone = OpenAll(reports);
  EXPECT_EQ(alone.good, 582);
  EXPECT_EQ(alone.rejected.unopened, 12);
  EXPECT_EQ(alone.rejected.out_of_range, 6);

  const std::string all = Join(reports);
  const size_t chunk = 7 * task_->sealed_bytes();
  constexpr int kWorkers = 4;
  const auto opening = NewOpening(kWorkers);
  {
    WorkPool pool(kWorkers);
    for (size_t at = 0; at < all.size(); at += chunk) {
      pool.Add(
          [&, at](int worker) { opening->Open(absl::string_view(all).substr(at, chunk), worker); });
    }
  }  // waits for all
  const OpenedBatch together = opening->Finish();
  EXPECT_EQ(together.reports, alone.reports);
  EXPECT_EQ(together.good, alone.good);
  EXPECT_EQ(together.rejected.unopened, alone.rejected.unopened);
  EXPECT_EQ(together.rejected.malformed, alone.rejected.malformed);
  EXPECT_EQ(together.rejected.out_of_range, alone.rejected.out_of_range);
  EXPECT_EQ(together.counts, alone.counts);
  EXPECT_EQ(together.digest_sum, alone.digest_sum);
}

// The affine family sets reports aside before it counts them, so each worker must settle its own.
TEST_F(OpeningTest, SeveralWorkersEqualOneForTheAffineFamilyToo) {
  task_ = MakeTestTask([](v1::Task* task) {
    v1::LocalHash* local_hash = task->mutable_mechanism()->mutable_local_hash();
    local_hash->set_family(v1::HASH_FAMILY_AFFINE);
    local_hash->set_range(16);
    local_hash->set_lane_bits(32);
  });
  std::vector<std::string> reports;
  for (int i = 0; i < 100; ++i) {
    std::string plaintext(task_->scheme()->report_bytes(), '\0');
    task_->scheme()->DrawFake(
        random_, absl::MakeSpan(reinterpret_cast<uint8_t*>(plaintext.data()), plaintext.size()));
    reports.push_back(Sealed(plaintext));
  }
  const OpenedBatch alone = OpenAll(reports);
  EXPECT_EQ(alone.good, 100);
  const auto opening = NewOpening(3);
  for (size_t i = 0; i < reports.size(); ++i) opening->Open(reports[i], static_cast<int>(i % 3));
  EXPECT_EQ(opening->Finish().counts, alone.counts);
}

TEST_F(OpeningTest, AReportOfAnotherPartDoesNotOpen) {
  EXPECT_EQ(OpenAll(GoodReports(6)).good, 6);
  const std::vector<std::string> reports = GoodReports(6);
  part_ = 1;
  const OpenedBatch batch = OpenAll(reports);
  EXPECT_EQ(batch.good, 0);
  EXPECT_EQ(batch.rejected.unopened, 6);
}

}  // namespace
}  // namespace tombola::collector
