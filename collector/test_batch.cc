#include "collector/test_batch.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/crypto/hpke_seal.h"
#include "common/crypto/report_digest.h"
#include "common/kind/kind.h"
#include "common/task/manifest.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

absl::Span<const uint8_t> AsBytes(absl::string_view text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

absl::Span<uint8_t> AsWritableBytes(std::string& text) {
  return absl::MakeSpan(reinterpret_cast<uint8_t*>(text.data()), text.size());
}

}  // namespace

void ExecuteBehindItsBack(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
  sqlite3_close(database);
}

std::string PlainReport(uint32_t function, uint32_t bucket) {
  std::string plaintext(mechanism::PlaneReport::kBytes, '\0');
  mechanism::Write({.function = function, .bucket = bucket}, AsWritableBytes(plaintext));
  return plaintext;
}

std::string DrawReport(const Task& task, uint64_t value, RandomSource& random) {
  const mechanism::Hashing& local_hash = *task.kind().tables()[0]->hashing();
  mechanism::PlaneReport report = local_hash.DrawPlane(random);
  if (!BernoulliBelow(local_hash.options().blanket_threshold, random)) {
    report.bucket = local_hash.Bucket(report, value);
  }
  return PlainReport(report.function, report.bucket);
}

std::string Seal(const Task& task, const KeyId& key_id, absl::Span<const uint8_t> public_key,
                 absl::string_view plaintext, RandomSource& random, uint64_t part) {
  auto sealer = crypto::Sealer::Create(public_key, task.HpkeInfo(key_id, part));
  TOMBOLA_CHECK(sealer.ok());
  std::string sealed(plaintext.size() + crypto::kHpkeOverhead, '\0');
  TOMBOLA_CHECK(sealer->Seal(AsBytes(plaintext), random, AsWritableBytes(sealed)).ok());
  return sealed;
}

SignedBatch MakeBatch(const Task& task, const BatchId& batch, const KeyId& key,
                      std::string sealed_reports,
                      const std::function<void(v1::Manifest*)>& change) {
  return MakeBatchSignedBy(TestShufflerKey(), task, batch, key, std::move(sealed_reports), change);
}

SignedBatch MakeBatchSignedBy(const crypto::SigningKey& signer, const Task& task,
                              const BatchId& batch, const KeyId& key, std::string sealed_reports,
                              const std::function<void(v1::Manifest*)>& change) {
  const size_t sealed_bytes = task.sealed_bytes();
  TOMBOLA_CHECK(sealed_reports.size() % sealed_bytes == 0);
  crypto::DigestSum sum;
  for (size_t at = 0; at < sealed_reports.size(); at += sealed_bytes) {
    sum.Add(
        crypto::ReportDigest(task.id(), key, AsBytes(sealed_reports).subspan(at, sealed_bytes)));
  }
  const uint64_t reports = sealed_reports.size() / sealed_bytes;
  v1::Manifest manifest;
  manifest.set_task_id(std::string(AsView(task.id())));
  manifest.set_batch_id(std::string(AsView(batch)));
  manifest.set_key_id(std::string(AsView(key)));
  manifest.set_submissions(reports);
  manifest.set_reports_in(reports);
  manifest.set_reports_out(reports);
  manifest.set_digest_sum(std::string(AsView(sum.Value())));
  if (change) change(&manifest);
  SignedBatch signed_batch{.manifest = manifest.SerializeAsString(),
                           .signature = "",
                           .sealed_reports = std::move(sealed_reports)};
  signed_batch.signature = signer.Sign(absl::StrCat(kManifestContext, signed_batch.manifest));
  return signed_batch;
}

}  // namespace tombola::collector
