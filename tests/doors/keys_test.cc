// A key's life as both daemons live it, over real TLS and disk, with a clock that the test moves.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/encode/encoder.h"
#include "common/base/ids.h"
#include "common/crypto/hpke_seal.h"
#include "common/kind/kind.h"
#include "common/random/secure_random.h"
#include "common/task/task.h"
#include "tests/support/deployment.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"
#include "tombola/v1/collector.grpc.pb.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola {
namespace {

constexpr int kNeeded = 50;

absl::Span<const uint8_t> AsSpan(const std::string& bytes) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

// In days: a key is sealed to for 10, announced 2 before, takes reports for 5 more, and batches for
// another 3.
class Keys : public ::testing::Test {
 protected:
  Keys()
      : clock_(
            std::make_shared<FakeClock>(absl::FromUnixSeconds(absl::ToUnixSeconds(absl::Now())))),
        start_(clock_->Now()),
        deployment_({.clock = clock_,
                     .collector = {.key_times = {.lifetime = absl::Hours(24 * 10),
                                                 .announce = absl::Hours(24 * 2),
                                                 .window = absl::Hours(24 * 5),
                                                 .delivery = absl::Hours(24 * 3)}}}) {
    v1::CreateTaskRequest request = deployment_.TaskRequest();
    request.set_smallest_batch(kNeeded);
    info_ = deployment_.CreateTask(request);
    task_ = *Task::Parse(info_.task());
    first_ = Active();
  }

  void Until(int day) { clock_->Advance(start_ + absl::Hours(24 * day) - clock_->Now()); }

  // What takes a daemon a moment.
  static void Wait(const std::function<bool()>& condition) { ASSERT_TRUE(Eventually(condition)); }

  v1::KeyList ListOfDevices() {
    grpc::ClientContext context;
    v1::SignedKeyList list;
    EXPECT_TRUE(v1::Shuffler::NewStub(deployment_.Connect(deployment_.shuffler_address(), ""))
                    ->GetKeyList(&context, {}, &list)
                    .ok());
    v1::KeyList keys;
    EXPECT_TRUE(keys.ParseFromString(list.key_list()));
    return keys;
  }
  // The key that a device would seal to now.
  v1::HpkeKey Active() {
    const int64_t now = absl::ToUnixSeconds(clock_->Now());
    const v1::KeyList list = ListOfDevices();
    for (const v1::HpkeKey& key : list.keys()) {
      if (key.not_before() <= now && now < key.not_after()) return key;
    }
    ADD_FAILURE() << "no key is valid now";
    return {};
  }
  v1::KeyInfo History() {
    grpc::ClientContext context;
    v1::KeyInfo info;
    EXPECT_TRUE(
        v1::CollectorQuery::NewStub(deployment_.Connect(deployment_.query_address(), "analyst"))
            ->ListKeys(&context, {}, &info)
            .ok());
    return info;
  }
  grpc::Status Destroy(const v1::HpkeKey& key) {
    grpc::ClientContext context;
    v1::DestroyKeyRequest request;
    request.set_key_id(key.key_id());
    v1::KeyInfo info;
    return v1::CollectorAdmin::NewStub(
               deployment_.Connect(deployment_.query_address(), "administrator"))
        ->DestroyKey(&context, request, &info);
  }
  void Rotate() {
    grpc::ClientContext context;
    v1::KeyInfo info;
    const grpc::Status status =
        v1::CollectorAdmin::NewStub(
            deployment_.Connect(deployment_.query_address(), "administrator"))
            ->RotateKeys(&context, {}, &info);
    EXPECT_TRUE(status.ok()) << status.error_message();
    Wait([&] { return ListOfDevices().serial() == info.keys().serial(); });
  }

  // Submissions of honest devices, sealed to this key.
  grpc::Status Submit(int devices, const v1::HpkeKey& key) {
    SecureRandom random;
    auto sealer = crypto::Sealer::Create(AsSpan(key.public_key()),
                                         task_->HpkeInfo(*IdFromBytes<KeyId>(key.key_id()), 0));
    v1::SubmitRequest request;
    request.set_task_id(info_.task_id());
    request.set_key_id(key.key_id());
    request.set_window(task_->WindowAt(clock_->Now()));
    for (int i = 0; i < devices; ++i) {
      std::string plaintext, sealed(task_->sealed_bytes(), '\0'), id(16, '\0');
      client::MakeEncoder(task_->kind().tables()[0])->Encode(3, random, &plaintext);
      EXPECT_TRUE(
          sealer
              ->Seal(AsSpan(plaintext), random,
                     absl::MakeSpan(reinterpret_cast<uint8_t*>(sealed.data()), sealed.size()))
              .ok());
      random.Fill(absl::MakeSpan(reinterpret_cast<uint8_t*>(id.data()), id.size()));
      request.mutable_submission_ids()->append(id);
      request.mutable_sealed_reports()->append(sealed);
    }
    grpc::ClientContext context;
    v1::SubmitResponse response;
    const grpc::Status status =
        v1::Shuffler::NewStub(deployment_.Connect(deployment_.shuffler_address(), ""))
            ->Submit(&context, request, &response);
    for (const int outcome : response.outcomes()) EXPECT_EQ(outcome, v1::OUTCOME_ACCEPTED);
    return status;
  }
  v1::ShufflerTaskStatus Status() { return deployment_.ShufflerStatus().tasks(0); }
  v1::TaskInfo AtCollector() {
    grpc::ClientContext context;
    v1::GetTaskInfoRequest request;
    request.set_task_id(info_.task_id());
    v1::TaskInfo info;
    EXPECT_TRUE(
        v1::CollectorQuery::NewStub(deployment_.Connect(deployment_.query_address(), "analyst"))
            ->GetTask(&context, request, &info)
            .ok());
    return info;
  }
  uint64_t Held() {
    uint64_t held = 0;
    const auto status = Status();
    for (const v1::HeldBatch& batch : status.held()) held += batch.waiting();
    return held;
  }
  bool FileOf(const v1::HpkeKey& key) const {
    return std::filesystem::exists(absl::StrCat(deployment_.directory(), "/collector/keys/",
                                                absl::BytesToHexString(key.key_id()), ".key"));
  }

  std::shared_ptr<FakeClock> clock_;
  const absl::Time start_;
  TestDeployment deployment_;
  v1::TaskInfo info_;
  std::shared_ptr<const Task> task_;
  v1::HpkeKey first_;
};

TEST_F(Keys, WhatIsSealedToARetiredKeyIsTakenHeldAndCountedUntilItsWindowCloses) {
  ASSERT_TRUE(Submit(kNeeded, first_).ok());
  Until(8);
  Wait([&] { return ListOfDevices().keys_size() == 2; });
  EXPECT_EQ(Active().key_id(), first_.key_id());
  Until(10);
  const v1::HpkeKey second = Active();
  EXPECT_NE(second.key_id(), first_.key_id());
  // A device that was away sends what it sealed before.
  ASSERT_TRUE(Submit(1, first_).ok());
  ASSERT_TRUE(Submit(3, second).ok());
  EXPECT_EQ(Held(), kNeeded + 4u);
  EXPECT_EQ(Status().released_batches(), 0u);
  Until(15);
  EXPECT_EQ(Submit(1, first_).error_code(), grpc::FAILED_PRECONDITION);
  Wait([&] { return Status().forwarded() == kNeeded + 1; });
  EXPECT_EQ(Status().expired(), 0u);
  EXPECT_EQ(Held(), 3u) << "under the second key things go on";
  const v1::TaskInfo counted = AtCollector();
  EXPECT_EQ(counted.counted_batches(), 1u);
  EXPECT_EQ(counted.reports(), kNeeded + 1u);
  EXPECT_EQ(counted.rejected(), 0u);
  EXPECT_TRUE(FileOf(first_)) << "batches may still be on their way";
  Until(18);
  Wait([&] { return !FileOf(first_); });
  EXPECT_EQ(History().history(0).state(), v1::KEY_STATE_DESTROYED);
  EXPECT_EQ(AtCollector().reports(), kNeeded + 1u);
}

TEST_F(Keys, WhatNeverMetItsGuaranteeExpiresWhenTheWindowClosesAndIsCountedSo) {
  ASSERT_TRUE(Submit(kNeeded - 1, first_).ok());
  Until(10);
  Wait([&] { return ListOfDevices().keys_size() == 2; });
  Until(15);
  Wait([&] { return Status().expired() == kNeeded - 1; });
  const v1::ShufflerTaskStatus status = Status();
  EXPECT_EQ(status.accepted(), kNeeded - 1u);
  EXPECT_EQ(status.forwarded(), 0u);
  EXPECT_EQ(status.held_size(), 0);
  EXPECT_EQ(status.waiting_delivery(), 0u);
  EXPECT_EQ(AtCollector().counted_batches(), 0u);
}

TEST_F(Keys, WhatIsHeldUnderAKeyThatTheAdministratorDestroysExpires) {
  ASSERT_TRUE(Submit(kNeeded + 5, first_).ok());
  EXPECT_EQ(Destroy(first_).error_code(), grpc::FAILED_PRECONDITION) << "it is the active one";
  Until(1);
  Rotate();
  ASSERT_TRUE(Destroy(first_).ok());
  EXPECT_FALSE(FileOf(first_));
  Wait([&] { return Status().expired() == kNeeded + 5; });
  EXPECT_EQ(Status().forwarded(), 0u);
  EXPECT_EQ(Submit(1, first_).error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_TRUE(Submit(1, Active()).ok());
}

TEST_F(Keys, ATaskWhoseIntervalIsLongerThanAKeyLivesIsRefused) {
  const auto admin = v1::CollectorAdmin::NewStub(
      deployment_.Connect(deployment_.query_address(), "administrator"));
  const auto create = [&](int days) {
    v1::CreateTaskRequest request = deployment_.TaskRequest();
    request.set_interval(static_cast<uint64_t>(days) * 24 * 3600);
    grpc::ClientContext context;
    v1::TaskInfo info;
    return admin->CreateTask(&context, request, &info);
  };
  EXPECT_TRUE(create(10).ok());
  const grpc::Status status = create(11);
  EXPECT_EQ(status.error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("--key-lifetime"));
}

// The collector was away for so long that it destroys the key as it comes back.
TEST_F(Keys, ABatchThatComesAfterItsKeyIsDestroyedIsReceiptedErasedAndCountedAsExpired) {
  deployment_.StopCollector();
  ASSERT_TRUE(Submit(100, first_).ok());
  Wait([&] { return Status().waiting_delivery() == 1; });
  deployment_.StopShuffler();
  Until(30);
  deployment_.StartCollector();
  deployment_.StartShuffler();
  Wait([&] { return Status().waiting_delivery() == 0; });
  for (const bool restarted : {false, true}) {
    if (restarted) {
      deployment_.StopShuffler();
      deployment_.StartShuffler();
    }
    const v1::ShufflerTaskStatus status = Status();
    EXPECT_EQ(status.accepted(), 100u);
    EXPECT_EQ(status.expired(), 100u);
    EXPECT_EQ(status.forwarded(), 0u);
    EXPECT_EQ(AtCollector().expired_batches(), 1u);
    EXPECT_EQ(AtCollector().counted_batches(), 0u);
    EXPECT_EQ(AtCollector().reports(), 0u);
  }
}

// It came back in time: late, after the window, but within what is left for the delivery.
TEST_F(Keys, ABatchThatLeftInTimeIsCountedThoughItArrivesAfterTheWindow) {
  deployment_.StopCollector();
  ASSERT_TRUE(Submit(100, first_).ok());
  Wait([&] { return Status().waiting_delivery() == 1; });
  deployment_.StopShuffler();
  Until(17);
  deployment_.StartCollector();
  deployment_.StartShuffler();
  Wait([&] { return Status().forwarded() == 100; });
  EXPECT_EQ(AtCollector().reports(), 100u);
}

}  // namespace
}  // namespace tombola
