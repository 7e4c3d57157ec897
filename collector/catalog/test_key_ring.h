// What the tests of the key ring share: a ring in a directory of its own, by a clock that stands
// still.
#ifndef TOMBOLA_COLLECTOR_CATALOG_TEST_KEY_RING_H_
#define TOMBOLA_COLLECTOR_CATALOG_TEST_KEY_RING_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "collector/catalog/key_ring.h"
#include "collector/test_batch.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {

class KeyRingTest : public ::testing::Test {
 protected:
  KeyRingTest() : clock_(TestTaskStart()), random_(1) { Restart(); }

  absl::StatusOr<std::unique_ptr<KeyRing>> Open() {
    return KeyRing::Open({.directory = directory_.In("keys"),
                          .signing_key = &TestCollectorKey(),
                          .clock = &clock_,
                          .times = times_,
                          .renewal = [this] { return renewal_; },
                          .tasks = [this] { return tasks_; }},
                         random_);
  }
  void Restart() {
    ring_.reset();
    auto ring = Open();
    ASSERT_TRUE(ring.ok()) << ring.status();
    ring_ = *std::move(ring);
  }
  // As a device sees it.
  KeyList Verified() {
    const v1::SignedKeyList list = *ring_->SignedList();
    const auto verified =
        KeyList::Verify(list.key_list(), list.signature(), TestCollectorKey().public_key());
    EXPECT_TRUE(verified.ok()) << verified.status();
    return *verified;
  }
  HpkeKey Active() {
    const auto key = Verified().ActiveAt(clock_.Now());
    EXPECT_TRUE(key.ok()) << key.status();
    return *key;
  }
  std::string KeyPath(const KeyId& id) const {
    return directory_.In(absl::StrCat("keys/", ToHex(id), ".key"));
  }
  bool Opens(const HpkeKey& key) {
    const auto task = MakeTestTask();
    const auto private_key = ring_->PrivateKey(key.id);
    if (!private_key.ok()) return false;
    const std::string sealed = Seal(*task, key.id, key.public_key, "0123456789", random_);
    auto opener = crypto::Opener::Create(**private_key, task->HpkeInfo(key.id, 0));
    uint8_t plaintext[10];
    return opener->Open(
               absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(sealed.data()), sealed.size()),
               absl::MakeSpan(plaintext)) &&
           std::string(plaintext, plaintext + 10) == "0123456789";
  }

  bool Tend() {
    const auto changed = ring_->Tend(random_);
    EXPECT_TRUE(changed.ok()) << changed.status();
    return *changed;
  }
  // The states of all keys there ever were, oldest first.
  std::vector<v1::KeyState> States() {
    std::vector<v1::KeyState> states;
    for (const v1::KeyHistory& key : History()) states.push_back(key.state());
    return states;
  }
  std::vector<v1::KeyHistory> History() {
    const v1::KeyInfo info = ring_->Describe();
    return {info.history().begin(), info.history().end()};
  }
  static absl::Time Day(int days) { return TestTaskStart() + absl::Hours(24 * days); }
  void Until(absl::Time time) { clock_.Advance(time - clock_.Now()); }

  ScratchDirectory directory_;
  FakeClock clock_;
  SeededRandom random_;
  // In days: sealed to for 10, announced 2 before, 5 more to send and hold, 3 more to deliver.
  KeyTimes times_ = {.lifetime = absl::Hours(24 * 10),
                     .announce = absl::Hours(24 * 2),
                     .window = absl::Hours(24 * 5),
                     .delivery = absl::Hours(24 * 3)};
  absl::Duration renewal_ = absl::InfiniteDuration();
  std::vector<CatalogEntry> tasks_;
  std::unique_ptr<KeyRing> ring_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_CATALOG_TEST_KEY_RING_H_
