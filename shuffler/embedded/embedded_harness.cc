#include "shuffler/embedded/embedded_harness.h"

#include <utility>

namespace tombola::shuffler {

void StoreTest::Reopen() {
  store_.reset();
  auto opened = EmbeddedStore::Open(options_);
  ASSERT_TRUE(opened.ok()) << opened.status();
  store_ = *std::move(opened);
  ASSERT_TRUE(store_->AddTask(task_, kSealedBytes, kMostReports).ok());
}

std::vector<Outcome> StoreTest::Submit(const Call& call) {
  auto outcomes = shuffler::Submit(*store_, call);
  EXPECT_TRUE(outcomes.ok()) << outcomes.status();
  return outcomes.ok() ? *std::move(outcomes) : std::vector<Outcome>();
}

int64_t StoreTest::Accepted(const Call& call) {
  int64_t accepted = 0;
  for (const Outcome outcome : Submit(call)) {
    EXPECT_NE(outcome, Outcome::kRejected);
    accepted += outcome == Outcome::kAccepted;
  }
  return accepted;
}

absl::StatusOr<Manifest> StoreTest::TryRelease(Store& store, const BatchKey& of,
                                               const MakeManifest& make_manifest) {
  const auto release = BatchRelease::Create(release_options_);
  if (!release.ok()) return release.status();
  ReleaseRequest request;
  request.of = of;
  request.make_manifest = make_manifest;
  return release->Run(store, request, random_);
}

absl::StatusOr<Manifest> StoreTest::TryRelease(const MakeManifest& make_manifest) {
  return TryRelease(*store_, of_, make_manifest);
}

Manifest StoreTest::Release(const KeyId& key) {
  const auto totals = TryRelease(*store_, {task_, key});
  EXPECT_TRUE(totals.ok()) << totals.status();
  return totals.value_or(Manifest());
}

}  // namespace tombola::shuffler
