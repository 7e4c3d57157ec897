#include "client/session/session_harness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/crypto/hpke_suite.h"
#include "common/kind/kind.h"
#include "common/task/whole_life.h"
#include "tests/support/seeded_random.h"

namespace tombola::client {

class ScriptedTransport final : public Transport {
 public:
  explicit ScriptedTransport(std::shared_ptr<ScriptedShuffler> shuffler)
      : shuffler_(std::move(shuffler)) {}
  absl::StatusOr<std::string> GetTask(const TaskId&, absl::Duration) override {
    return shuffler_->GetTask();
  }
  absl::StatusOr<v1::SignedKeyList> GetKeyList(absl::Duration) override {
    return shuffler_->GetKeyList();
  }
  absl::StatusOr<v1::SubmitResponse> Submit(const v1::SubmitRequest& request,
                                            absl::Duration) override {
    return shuffler_->Submit(request);
  }

 private:
  std::shared_ptr<ScriptedShuffler> shuffler_;
};

const crypto::HpkePrivateKey& TestHpkeKey(char name) {
  static const auto* const keys = [] {
    auto* made = new std::vector<crypto::HpkePrivateKey>();
    for (char c = 'a'; c <= 'l'; ++c) {
      made->push_back(*crypto::HpkePrivateKey::FromBytes(crypto::SecretBytes(std::string(32, c))));
    }
    return made;
  }();
  return keys->at(static_cast<size_t>(name - 'a'));
}

KeyId TestHpkeKeyId(char name) { return crypto::HpkeKeyId(TestHpkeKey(name).public_key()); }

v1::SignedKeyList SignedKeys(uint64_t serial, const std::vector<KeyLife>& keys,
                             const crypto::SigningKey& signer, absl::Time issued) {
  v1::KeyList list;
  list.set_serial(serial);
  list.set_issued(absl::ToUnixSeconds(issued));
  for (const KeyLife& life : keys) {
    v1::HpkeKey* key = list.add_keys();
    const absl::Span<const uint8_t> bytes = TestHpkeKey(life.name).public_key();
    key->set_public_key(std::string(bytes.begin(), bytes.end()));
    key->set_key_id(std::string(AsView(TestHpkeKeyId(life.name))));
    key->set_not_before(absl::ToUnixSeconds(life.not_before));
    key->set_not_after(absl::ToUnixSeconds(life.not_after));
    if (life.task.has_value()) key->set_task_id(std::string(AsView(*life.task)));
    key->set_part(life.node);
  }
  v1::SignedKeyList signed_list;
  signed_list.set_key_list(list.SerializeAsString());
  signed_list.set_signature(signer.Sign(absl::StrCat(kKeyListContext, signed_list.key_list())));
  return signed_list;
}

ScriptedShuffler::ScriptedShuffler(std::string task, v1::SignedKeyList keys)
    : task_(std::move(task)), keys_(std::move(keys)) {}

std::unique_ptr<Transport> ScriptedShuffler::Connect() {
  return std::make_unique<ScriptedTransport>(shared_from_this());
}

absl::Status ScriptedShuffler::Failures::Next() {
  if (calls == 0) return absl::OkStatus();
  --calls;
  return status;
}

void ScriptedShuffler::ServeTask(std::string bytes) {
  MutexLock lock(mutex_);
  task_ = std::move(bytes);
}

void ScriptedShuffler::ServeKeys(v1::SignedKeyList keys) {
  MutexLock lock(mutex_);
  keys_ = std::move(keys);
}

void ScriptedShuffler::FailTask(int calls, absl::Status status) {
  MutexLock lock(mutex_);
  fail_task_ = {calls, std::move(status)};
}

void ScriptedShuffler::FailKeys(int calls, absl::Status status) {
  MutexLock lock(mutex_);
  fail_keys_ = {calls, std::move(status)};
}

void ScriptedShuffler::FailSubmit(int calls, absl::Status status) {
  MutexLock lock(mutex_);
  fail_submit_ = {calls, std::move(status)};
}

void ScriptedShuffler::LoseAnswers(int calls) {
  MutexLock lock(mutex_);
  lost_answers_ = calls;
}

void ScriptedShuffler::AnswerWith(v1::SubmitResponse response) {
  MutexLock lock(mutex_);
  answer_ = std::move(response);
}

void ScriptedShuffler::DuringKeyList(std::function<void()> action) {
  MutexLock lock(mutex_);
  during_key_list_ = std::move(action);
}

void ScriptedShuffler::DuringSubmit(std::function<void(const v1::SubmitRequest&)> action) {
  MutexLock lock(mutex_);
  during_submit_ = std::move(action);
}

std::vector<v1::SubmitRequest> ScriptedShuffler::requests() const {
  MutexLock lock(mutex_);
  return requests_;
}

int ScriptedShuffler::key_fetches() const {
  MutexLock lock(mutex_);
  return key_fetches_;
}

size_t ScriptedShuffler::stored() const {
  MutexLock lock(mutex_);
  return stored_.size();
}

int ScriptedShuffler::most_at_once() const {
  MutexLock lock(mutex_);
  return most_at_once_;
}

absl::StatusOr<std::string> ScriptedShuffler::GetTask() {
  MutexLock lock(mutex_);
  TOMBOLA_RETURN_IF_ERROR(fail_task_.Next());
  return task_;
}

absl::StatusOr<v1::SignedKeyList> ScriptedShuffler::GetKeyList() {
  absl::StatusOr<v1::SignedKeyList> answer;
  std::function<void()> action;
  {
    MutexLock lock(mutex_);
    ++key_fetches_;
    TOMBOLA_RETURN_IF_ERROR(fail_keys_.Next());
    answer = keys_;
    action = std::exchange(during_key_list_, nullptr);
  }
  if (action) action();
  return answer;
}

absl::StatusOr<v1::SubmitResponse> ScriptedShuffler::Settle(const v1::SubmitRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(fail_submit_.Next());
  if (answer_.has_value()) return *std::exchange(answer_, std::nullopt);
  v1::SubmitResponse response;
  const std::string& ids = request.submission_ids();
  for (size_t at = 0; at < ids.size(); at += sizeof(SubmissionId)) {
    const bool fresh = stored_.insert(ids.substr(at, sizeof(SubmissionId))).second;
    response.add_outcomes(fresh ? v1::OUTCOME_ACCEPTED : v1::OUTCOME_DUPLICATE);
  }
  if (lost_answers_ > 0) {
    --lost_answers_;
    return absl::UnavailableError("the answer is lost");
  }
  return response;
}

absl::StatusOr<v1::SubmitResponse> ScriptedShuffler::Submit(const v1::SubmitRequest& request) {
  absl::StatusOr<v1::SubmitResponse> answer;
  std::function<void(const v1::SubmitRequest&)> action;
  {
    MutexLock lock(mutex_);
    requests_.push_back(request);
    most_at_once_ = std::max(most_at_once_, ++under_way_);
    answer = Settle(request);
    action = std::exchange(during_submit_, nullptr);
  }
  if (action) action(request);
  MutexLock lock(mutex_);
  --under_way_;
  return answer;
}

SessionTest::SessionTest() {
  clock_ = std::make_shared<FakeClock>(TestTaskStart() + absl::Hours(1));
  options_.ledger_directory = absl::StrCat(root_, "/ledger");
  UseTask(nullptr);
}

void SessionTest::UseTask(const std::function<void(v1::Task*)>& change) {
  task_ = MakeTestTask(change);
  shuffler_ = std::make_shared<ScriptedShuffler>(
      task_->bytes(), SignedKeys(5, {{'a', task_->not_before(), task_->not_after()}}));
  options_.task = task_->id();
  // Of a stream's life it takes seconds, and no test here is about it.
  const bool stream = task_->nodes() != nullptr;
  const accounting::EpsilonDelta life =
      stream
          ? accounting::EpsilonDelta{.epsilon = std::numeric_limits<double>::infinity(), .delta = 1}
          : WholeLife(*task_);
  options_.policy = {.max_epsilon = task_->target().epsilon,
                     .max_delta = task_->target().delta,
                     .max_total_epsilon = life.epsilon,
                     .max_total_delta = std::max(1e-12, life.delta),
                     .max_local_epsilon = task_->scheme()->local_epsilon(),
                     .min_batch = task_->batch_policy().smallest_batch,
                     .max_submissions = task_->submissions_per_device()};
}

void SessionTest::Truthful(v1::Task* task) {
  task->mutable_mechanism()->mutable_local_hash()->set_blanket_threshold(
      static_cast<uint64_t>(std::ldexp(23 / (std::expm1(30) + 23), 64)));
  task->mutable_target()->set_epsilon(31);
}

absl::StatusOr<std::unique_ptr<Session>> SessionTest::Create() {
  SessionParts parts;
  parts.transport = shuffler_->Connect();
  parts.clock = clock_;
  parts.pause = [clock = clock_](absl::Duration duration) { clock->Advance(duration); };
  parts.make_random = [this] { return std::make_unique<SeededRandom>(seed_++); };
  return Session::Create(options_, std::move(parts));
}

std::unique_ptr<Session> SessionTest::MustCreate() {
  auto session = Create();
  EXPECT_TRUE(session.ok()) << session.status();
  TOMBOLA_CHECK(session.ok());
  return *std::move(session);
}

std::vector<mechanism::PlaneReport> SessionTest::Open(const v1::SubmitRequest& request) const {
  std::vector<mechanism::PlaneReport> reports;
  const mechanism::Hashing& local_hash = *task_->kind().tables()[0]->hashing();
  for (const char name : {'a', 'b', 'c'}) {
    const KeyId id = TestHpkeKeyId(name);
    if (request.key_id() != AsView(id)) continue;
    auto opener = *crypto::Opener::Create(TestHpkeKey(name), task_->HpkeInfo(id, request.part()));
    const auto* sealed = reinterpret_cast<const uint8_t*>(request.sealed_reports().data());
    for (size_t at = 0; at < request.sealed_reports().size(); at += task_->sealed_bytes()) {
      std::vector<uint8_t> plaintext(task_->scheme()->report_bytes());
      EXPECT_TRUE(opener.Open({sealed + at, task_->sealed_bytes()}, absl::MakeSpan(plaintext)));
      EXPECT_EQ(local_hash.Decode(plaintext, &reports.emplace_back()),
                mechanism::ReportState::kValid);
    }
    return reports;
  }
  ADD_FAILURE() << "the request names a key that the collector does not have";
  return reports;
}

bool SessionTest::Supports(const mechanism::PlaneReport& report, uint64_t value) const {
  const mechanism::Hashing& local_hash = *task_->kind().tables()[0]->hashing();
  return local_hash.Bucket(report, value) == report.bucket;
}

}  // namespace tombola::client
