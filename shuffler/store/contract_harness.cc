#include "shuffler/store/contract_harness.h"

#include <utility>

#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/crypto/report_digest.h"

namespace tombola::shuffler {

crypto::Sha256Digest SumOf(const BatchKey& of, const std::vector<uint64_t>& numbers) {
  crypto::DigestSum sum;
  for (const uint64_t number : numbers) {
    sum.Add(crypto::ReportDigest(of.task, of.key, AsBytes(ReportOf(number))));
  }
  return sum.Value();
}

std::vector<uint64_t> NodesOver(uint64_t period) {
  constexpr uint64_t kStart[] = {0, 0, 2, 0};
  std::vector<uint64_t> nodes;
  for (uint64_t node = period; node <= 4; ++node) {
    if (kStart[node - 1] < period) nodes.push_back(node);
  }
  return nodes;
}

void StoreContractTest::Reopen() {
  store_.reset();
  auto opened = world_->Open();
  ASSERT_TRUE(opened.ok()) << opened.status();
  store_ = *std::move(opened);
  ASSERT_TRUE(store_->AddTask(task_, kSealedBytes, kMostReports).ok());
}

void StoreContractTest::Crash() {
  world_->Crash();
  Reopen();
}

void StoreContractTest::Send(const Call& call) {
  const auto outcomes = Submit(*store_, call);
  ASSERT_TRUE(outcomes.ok()) << outcomes.status();
  ASSERT_EQ(outcomes->size(), call.numbers.size());
  for (const Outcome outcome : *outcomes) EXPECT_NE(outcome, Outcome::kRejected);
}

void StoreContractTest::SendToPeriod(uint64_t period, const std::vector<uint64_t>& numbers,
                                     uint32_t window) {
  const auto outcomes = SubmitToPeriod(
      *store_,
      {.numbers = numbers, .period = period, .nodes = NodesOver(period), .window = window});
  ASSERT_TRUE(outcomes.ok()) << outcomes.status();
  for (const Outcome outcome : *outcomes) EXPECT_NE(outcome, Outcome::kRejected);
}

absl::StatusOr<Manifest> StoreContractTest::TryRelease(const BatchKey& of) {
  TOMBOLA_ASSIGN_OR_RETURN(auto from, store_->Detach(of));
  const BatchId batch = {++batches_};
  TOMBOLA_ASSIGN_OR_RETURN(auto writer, store_->NewBatch(batch));
  TOMBOLA_ASSIGN_OR_RETURN(
      const DetachedTotals read,
      from->Read({.memory = {}, .take = [&](absl::Span<const uint8_t> reports) {
                    return writer->Append(reports);
                  }}));
  const Manifest totals = {.of = of,
                           .batch = batch,
                           .submissions = read.submissions,
                           .reports_in = read.reports,
                           .duplicates = read.duplicates,
                           .fakes = 0,
                           .reports_out = read.reports,
                           .digest_sum = read.digest_sum.Value()};
  TOMBOLA_RETURN_IF_ERROR(store_->Publish(std::move(from), std::move(writer), totals, "manifest"));
  return totals;
}

Manifest StoreContractTest::Release(const BatchKey& of) {
  const auto totals = TryRelease(of);
  EXPECT_TRUE(totals.ok()) << totals.status();
  return totals.value_or(Manifest());
}

bool StoreContractTest::Holds(const BatchKey& of) const {
  for (const HeldInfo& held : store_->Held()) {
    if (held.of == of) return true;
  }
  return false;
}

}  // namespace tombola::shuffler
