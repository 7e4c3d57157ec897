// What a certificate with the role `shuffler` can do, and what needs the key that a task names.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "collector/test_batch.h"
#include "common/base/mutex.h"
#include "common/base/retry_after.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/key_file.h"
#include "common/rpc/status.h"
#include "common/task/progress.h"
#include "tests/support/deployment.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"
#include "tombola/v1/collector.grpc.pb.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola {
namespace {

using collector::SignedBatch;

// One stream, which goes on when the test says so.
class Stream {
 public:
  // The time is only there so that a test that fails does not last for ever.
  explicit Stream(const std::shared_ptr<grpc::Channel>& channel,
                  std::chrono::seconds most = std::chrono::seconds(60))
      : stub_(v1::CollectorIngest::NewStub(channel)) {
    context_.set_deadline(std::chrono::system_clock::now() + most);
    writer_ = stub_->DeliverBatch(&context_, &receipt_);
  }
  bool SendHeader(const SignedBatch& batch) {
    v1::BatchChunk chunk;
    chunk.mutable_header()->set_manifest(batch.manifest);
    chunk.mutable_header()->set_signature(batch.signature);
    return writer_->Write(chunk);
  }
  bool SendReports(const SignedBatch& batch) {
    v1::BatchChunk chunk;
    chunk.set_sealed_reports(batch.sealed_reports);
    return writer_->Write(chunk);
  }
  // Waits for the server's answer; what comes before it from here is up to the test.
  absl::Status End() { return rpc::FromGrpc(writer_->Finish()); }
  absl::Status Deliver(const SignedBatch& batch) {
    if (SendHeader(batch) && SendReports(batch)) writer_->WritesDone();
    return End();
  }
  void Cancel() { context_.TryCancel(); }

 private:
  std::unique_ptr<v1::CollectorIngest::Stub> stub_;
  grpc::ClientContext context_;
  v1::BatchReceipt receipt_;
  std::unique_ptr<grpc::ClientWriter<v1::BatchChunk>> writer_;
};

// Streams that stall, and the statuses of those that the server ends.
class Stalled {
 public:
  ~Stalled() {
    for (Stream& stream : streams_) stream.Cancel();
    for (std::thread& thread : threads_) thread.join();
  }
  Stream& Add(const std::shared_ptr<grpc::Channel>& channel) {
    return streams_.emplace_back(channel);
  }
  // Waits until as many have been ended by the server; the status of the first of them.
  absl::Status WaitForEnded(size_t number) {
    for (; threads_.size() < streams_.size();) {
      threads_.emplace_back([this, &stream = streams_[threads_.size()]] {
        const absl::Status status = stream.End();
        MutexLock lock(mutex_);
        ended_.push_back(status);
        changed_.NotifyAll();
      });
    }
    MutexLock lock(mutex_);
    while (ended_.size() < number) changed_.Wait(mutex_);
    return ended_.front();
  }

 private:
  std::deque<Stream> streams_;
  std::vector<std::thread> threads_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<absl::Status> ended_ ABSL_GUARDED_BY(mutex_);
};

class Deliveries : public ::testing::Test {
 protected:
  void Start(collector::DaemonOptions options = {}) {
    deployment_ = std::make_unique<TestDeployment>(
        TestDeployment::Options{.clock = clock_, .collector = std::move(options)});
    deployment_->Issue("rogue", "shuffler");
    honest_ = deployment_->Connect(deployment_->ingest_address(), "shuffler");
    rogue_ = deployment_->Connect(deployment_->ingest_address(), "rogue");
    const auto seed = crypto::ReadSecretFile(deployment_->directory() + "/shuffler.seed");
    key_ = std::make_unique<crypto::SigningKey>(*crypto::SigningKey::FromSeed(*seed));
    task_ = *Task::Parse(deployment_->CreateTask(deployment_->TaskRequest()).task());
  }
  // As many reports as the task has users. None of them opens, which the collector finds out when
  // it has all of them.
  SignedBatch Batch(const crypto::SigningKey& signer, const Task& task, uint8_t number) {
    return collector::MakeBatchSignedBy(signer, task, BatchId{number}, ActiveKey(),
                                        std::string(100 * task.sealed_bytes(), 'x'));
  }
  KeyId ActiveKey() {
    const auto device =
        v1::Shuffler::NewStub(deployment_->Connect(deployment_->shuffler_address(), ""));
    grpc::ClientContext context;
    v1::SignedKeyList list;
    v1::KeyList keys;
    EXPECT_TRUE(device->GetKeyList(&context, {}, &list).ok());
    EXPECT_TRUE(keys.ParseFromString(list.key_list()));
    return *IdFromBytes<KeyId>(keys.keys(keys.keys_size() - 1).key_id());
  }
  absl::Status Tell(const std::shared_ptr<grpc::Channel>& channel, const crypto::SigningKey& signer,
                    uint32_t percent) {
    const Progress progress{
        .task = task_->id(), .held_percent = percent, .expired = 0, .time = clock_->Now()};
    v1::SignedProgress message;
    message.set_progress(progress.Serialise());
    message.set_signature(signer.Sign(absl::StrCat(kProgressContext, message.progress())));
    grpc::ClientContext context;
    v1::ProgressReceipt receipt;
    return rpc::FromGrpc(
        v1::CollectorIngest::NewStub(channel)->ReportProgress(&context, message, &receipt));
  }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>(absl::Now());
  std::unique_ptr<TestDeployment> deployment_;
  std::shared_ptr<grpc::Channel> honest_, rogue_;
  std::unique_ptr<crypto::SigningKey> key_;
  std::shared_ptr<const Task> task_;
  SeededRandom random_{5};
};

TEST_F(Deliveries, IdleStreamsOfAnotherCertificateKeepNobodyOut) {
  Start({.header_patience = absl::Hours(1)});
  // More than the four deliveries that may be under way, and more than the certificate's share: one
  // that is refused shows that as many others as possible are there.
  Stalled idle;
  for (int i = 0; i < 20; ++i) idle.Add(rogue_);
  const absl::Status refused = idle.WaitForEnded(1);
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_EQ(RetryAfter(refused), absl::Seconds(1));
  for (uint8_t number = 1; number <= 4; ++number) {
    const absl::Status delivered = Stream(honest_).Deliver(Batch(*key_, *task_, number));
    EXPECT_TRUE(delivered.ok()) << delivered;
  }
}

TEST_F(Deliveries, AShufflerThatStallsHoldsItsOwnShareOnly) {
  Start({.max_deliveries = 4, .stream_patience = absl::Hours(1)});
  const auto other = *crypto::SigningKey::Generate(random_);
  v1::CreateTaskRequest request = deployment_->TaskRequest();
  request.set_shuffler_key(std::string(AsView(other.public_key())));
  const auto admin = v1::CollectorAdmin::NewStub(
      deployment_->Connect(deployment_->query_address(), "administrator"));
  grpc::ClientContext context;
  v1::TaskInfo info;
  ASSERT_TRUE(admin->CreateTask(&context, request, &info).ok());
  const auto theirs = *Task::Parse(info.task());
  Stalled stalled;
  for (uint8_t number = 1; number <= 4; ++number) {
    ASSERT_TRUE(stalled.Add(rogue_).SendHeader(Batch(other, *theirs, number)));
  }
  const absl::Status refused = stalled.WaitForEnded(2);
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_EQ(RetryAfter(refused), absl::Seconds(1));
  const absl::Status delivered = Stream(honest_).Deliver(Batch(*key_, *task_, 9));
  EXPECT_TRUE(delivered.ok()) << delivered;
}

TEST_F(Deliveries, AStreamWithoutAManifestHasSecondsAndOneWithAManifestMinutes) {
  Start({.header_patience = absl::Milliseconds(1), .stream_patience = absl::Hours(1)});
  const absl::Status silent = Stream(honest_).End();
  EXPECT_TRUE(absl::IsCancelled(silent)) << silent;
  // A signature of somebody else is as good as nothing.
  Stream forged(rogue_);
  const auto other = *crypto::SigningKey::Generate(random_);
  (void)forged.SendHeader(Batch(other, *task_, 1));
  const absl::Status refused = forged.End();
  EXPECT_TRUE(absl::IsUnauthenticated(refused) || absl::IsCancelled(refused)) << refused;
}

TEST_F(Deliveries, ADeliveryThatStallsIsCancelledAndMakesRoom) {
  Start({.max_deliveries = 1,
         .header_patience = absl::Hours(1),
         .stream_patience = absl::Milliseconds(1)});
  Stream stalled(honest_);
  ASSERT_TRUE(stalled.SendHeader(Batch(*key_, *task_, 1)));
  absl::Status status = stalled.End();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  // One that does not stall may still be looked at in a bad moment, and the place be free a moment
  // after the end was heard of; the test's own time limit bounds this.
  while (!status.ok()) {
    EXPECT_TRUE(absl::IsCancelled(status) || absl::IsResourceExhausted(status)) << status;
    status = Stream(honest_).Deliver(Batch(*key_, *task_, 2));
  }
}

TEST_F(Deliveries, AStepOfTheSystemsClockEndsNone) {
  Start();
  // Longer than the watch's period: it looks while the clock is hours ahead of every call.
  Stream stream(honest_, std::chrono::seconds(3));
  ASSERT_TRUE(stream.SendHeader(Batch(*key_, *task_, 1)));
  std::atomic<bool> ended = false;
  std::thread steps([&] {
    while (!ended) {
      clock_->Advance(absl::Minutes(10));
      absl::SleepFor(absl::Milliseconds(10));
    }
  });
  const absl::Status status = stream.End();
  ended = true;
  steps.join();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
}

TEST_F(Deliveries, AFloodOfBadHeadersIsALineASecondInTheLog) {
  Start();
  const auto other = *crypto::SigningKey::Generate(random_);
  const SignedBatch forged = Batch(other, *task_, 1);
  constexpr int kForged = 200;
  const absl::Time start = absl::Now();
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < kForged; ++i) {
    Stream stream(rogue_);
    (void)stream.SendHeader(forged);
    EXPECT_TRUE(absl::IsUnauthenticated(stream.End()));
  }
  deployment_->StopCollector();  // which writes what has not been said yet
  const std::string log = ::testing::internal::GetCapturedStderr();
  int64_t lines = 0, counted = 0;
  for (const absl::string_view line : absl::StrSplit(log, '\n')) {
    const size_t at = line.find(R"("delivery_refused","count":)");
    if (at == absl::string_view::npos) continue;
    ++lines;
    counted += std::stoll(std::string(line.substr(line.find("count", at) + 7)));
  }
  EXPECT_EQ(counted, kForged);
  EXPECT_LE(lines, absl::ToDoubleSeconds(absl::Now() - start) + 2);
}

TEST_F(Deliveries, ProgressIsTakenFromTheShufflerThatTheTaskNames) {
  Start();
  const auto other = *crypto::SigningKey::Generate(random_);
  for (const auto& channel : {rogue_, honest_}) {
    const absl::Status refused = Tell(channel, other, 95);
    EXPECT_TRUE(absl::IsUnauthenticated(refused)) << refused;
  }
  EXPECT_TRUE(Tell(honest_, *key_, 40).ok());
  const auto analyst =
      v1::CollectorQuery::NewStub(deployment_->Connect(deployment_->query_address(), "analyst"));
  grpc::ClientContext context;
  v1::GetTaskInfoRequest request;
  request.set_task_id(std::string(AsView(task_->id())));
  v1::TaskInfo info;
  ASSERT_TRUE(analyst->GetTask(&context, request, &info).ok());
  EXPECT_EQ(info.held_percent(), 40u);
}

TEST_F(Deliveries, ARevokedCertificateEndsADeliveryUnderWay) {
  Start();
  const SignedBatch batch = Batch(*key_, *task_, 1);
  Stream stream(honest_);
  ASSERT_TRUE(stream.SendHeader(batch));
  deployment_->Revoke({"shuffler"});
  (void)stream.SendReports(batch);
  const absl::Status refused = stream.End();
  EXPECT_TRUE(absl::IsUnauthenticated(refused)) << refused;
  deployment_->Revoke({});
  EXPECT_TRUE(Stream(honest_).Deliver(batch).ok()) << "nothing was kept of it";
}

TEST_F(Deliveries, WhatACollectorWithARevokedCertificateSaysDoesNotCount) {
  Start();
  const auto count_failures = [&] {
    const auto stub = v1::ShufflerOperator::NewStub(
        deployment_->Connect(deployment_->shuffler_address(), "operator"));
    grpc::ClientContext context;
    v1::ShufflerMetrics metrics;
    EXPECT_TRUE(stub->GetMetrics(&context, {}, &metrics).ok());
    const std::string name = "\ntombola_shuffler_catalog_failures_total ";
    return std::stod(metrics.text().substr(metrics.text().find(name) + name.size()));
  };
  const auto wait_for_failure = [&] {
    // A call that began before may still succeed, the one after the next failure may not.
    const double before = count_failures();
    EXPECT_TRUE(Eventually([&] { return count_failures() >= before + 2; }));
  };
  deployment_->Revoke({"collector"});
  wait_for_failure();
  v1::CreateTaskRequest request = deployment_->TaskRequest();
  request.set_name("later");
  const auto admin = v1::CollectorAdmin::NewStub(
      deployment_->Connect(deployment_->query_address(), "administrator"));
  grpc::ClientContext context;
  v1::TaskInfo info;
  ASSERT_TRUE(admin->CreateTask(&context, request, &info).ok());
  wait_for_failure();
  const auto device =
      v1::Shuffler::NewStub(deployment_->Connect(deployment_->shuffler_address(), ""));
  const auto get = [&] {
    grpc::ClientContext call;
    v1::GetTaskRequest wanted;
    wanted.set_task_id(info.task_id());
    v1::GetTaskResponse response;
    return device->GetTask(&call, wanted, &response).error_code();
  };
  EXPECT_EQ(get(), grpc::NOT_FOUND);
  deployment_->Issue("collector", "collector");  // a new one in its place, which is not revoked
  EXPECT_TRUE(Eventually([&] { return get() == grpc::OK; }));
}

}  // namespace
}  // namespace tombola
