#include "tests/support/test_task.h"

#include <cmath>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace tombola {
namespace {

crypto::SigningKey KeyOf(char seed) {
  return *crypto::SigningKey::FromSeed(crypto::SecretBytes(std::string(32, seed)));
}

}  // namespace

const crypto::SigningKey& TestCollectorKey() {
  static const crypto::SigningKey* const key = new crypto::SigningKey(KeyOf('c'));
  return *key;
}

const crypto::SigningKey& TestShufflerKey() {
  static const crypto::SigningKey* const key = new crypto::SigningKey(KeyOf('s'));
  return *key;
}

absl::Time TestTaskStart() { return absl::FromUnixSeconds(1'800'000'000); }

v1::Task TestTaskProto() {
  constexpr double kRange = 23, kLocalEpsilon = 2;
  v1::Task task;
  task.set_version(kTaskVersion);
  task.set_kind(v1::KIND_HISTOGRAM);
  task.set_name("test");
  task.mutable_domain()->set_size(20);
  for (int i = 0; i < 20; ++i) task.mutable_domain()->add_labels(absl::StrCat("v", i));
  v1::LocalHash* local_hash = task.mutable_mechanism()->mutable_local_hash();
  local_hash->set_family(v1::HASH_FAMILY_PLANE);
  local_hash->set_range(static_cast<uint64_t>(kRange));
  const double gamma = kRange / (std::expm1(kLocalEpsilon) + kRange);
  local_hash->set_blanket_threshold(static_cast<uint64_t>(std::ldexp(gamma, 64)));
  task.mutable_target()->set_epsilon(3);
  task.mutable_target()->set_delta(1e-6);
  task.mutable_batch_policy()->set_planned_submissions(10);
  task.mutable_batch_policy()->set_smallest_batch(5);
  task.mutable_batch_policy()->set_retry_window(3600);
  task.set_submissions_per_device(1);
  task.set_collector_key(std::string(AsView(TestCollectorKey().public_key())));
  task.set_shuffler_key(std::string(AsView(TestShufflerKey().public_key())));
  task.set_not_before(absl::ToUnixSeconds(TestTaskStart()));
  task.set_not_after(task.not_before() + 30 * 24 * 3600);
  task.set_nonce(std::string(16, 'n'));
  task.set_key_list_age(30 * 24 * 3600);
  return task;
}

void MakeStream(const std::vector<uint32_t>& start, v1::Task* task) {
  constexpr uint64_t kDay = 24 * 3600, kHonest = 5;
  task->set_kind(v1::KIND_STREAM);
  task->clear_mechanism();
  task->mutable_batch_policy()->set_interval(kDay);
  task->set_not_after(task->not_before() + static_cast<int64_t>(start.size() * kDay));
  for (uint32_t node = 1; node <= start.size(); ++node) {
    const uint64_t honest = kHonest * (node - start[node - 1]);
    task->mutable_stream()->add_start(start[node - 1]);
    v1::StreamNode* const wire = task->mutable_stream()->add_nodes();
    wire->set_smallest_batch(honest);
    v1::Dummies* const dummies = wire->mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
    // 40 dummies for each of the 20 values in a batch.
    dummies->set_rate((uint64_t{800} << 40) / honest);
    dummies->set_honest(honest);
    dummies->set_max(1000);
  }
}

std::shared_ptr<const Task> MakeTestTask(const std::function<void(v1::Task*)>& change) {
  v1::Task proto = TestTaskProto();
  if (change) change(&proto);
  auto task = Task::Parse(proto.SerializeAsString());
  if (!task.ok()) std::fprintf(stderr, "%s\n", task.status().ToString().c_str());
  TOMBOLA_CHECK(task.ok());
  return *task;
}

}  // namespace tombola
