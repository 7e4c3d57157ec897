// A collector's catalogue and keys, the same in every process.
#ifndef TOMBOLA_TESTS_FUZZ_COLLECTOR_FIXTURE_H_
#define TOMBOLA_TESTS_FUZZ_COLLECTOR_FIXTURE_H_

#include <memory>
#include <string>
#include <vector>

#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "common/base/check.h"
#include "tests/fuzz/fixtures.h"
#include "tests/fuzz/scratch.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"

namespace tombola::fuzz {

struct CollectorFixture {
  CollectorFixture() {
    auto opened = collector::Catalog::Open(":memory:");
    TOMBOLA_CHECK(opened.ok());
    catalog = *std::move(opened);
    for (const v1::Task& proto : TasksOfEveryMechanism()) {
      auto task = Task::Parse(proto.SerializeAsString());
      TOMBOLA_CHECK(task.ok() && catalog->Add(*task).ok());
      tasks.push_back(*task);
    }
    SeededRandom random(11);
    auto ring = collector::KeyRing::Open(
        {.directory = TheScratch().In("keys"), .signing_key = &TestCollectorKey(), .clock = &clock},
        random);
    TOMBOLA_CHECK(ring.ok());
    keys = *std::move(ring);
    key = *IdFromBytes<KeyId>(keys->List().keys(0).key_id());
  }

  FakeClock clock{TestTaskStart()};
  std::unique_ptr<collector::Catalog> catalog;
  std::unique_ptr<collector::KeyRing> keys;
  std::vector<std::shared_ptr<const Task>> tasks;
  KeyId key{};
};

}  // namespace tombola::fuzz

#endif  // TOMBOLA_TESTS_FUZZ_COLLECTOR_FIXTURE_H_
