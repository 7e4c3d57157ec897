// What both daemons answer while they are in doubt of their clocks.
#include "absl/time/clock.h"

#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "common/base/retry_after.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/key_file.h"
#include "common/rpc/status.h"
#include "common/task/progress.h"
#include "common/task/shuffler_time.h"
#include "common/task/task.h"
#include "tests/support/deployment.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"
#include "tombola/v1/collector.grpc.pb.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola {
namespace {

using ::testing::HasSubstr;

// Both daemons share a wall clock that the test sets and a steady one that it does not.
class Clocks : public ::testing::Test {
 protected:
  Clocks()
      : wall_(std::make_shared<FakeClock>(absl::Now())),
        deployment_({.clock = wall_, .steady = std::make_shared<FakeSteadyClock>()}),
        info_(deployment_.CreateTask(deployment_.TaskRequest())),
        task_(*Task::Parse(info_.task())) {}

  // One submission; the shuffler cannot tell that nobody sealed it.
  absl::Status Submit(char name) {
    grpc::ClientContext context;
    v1::SignedKeyList list;
    const auto stub =
        v1::Shuffler::NewStub(deployment_.Connect(deployment_.shuffler_address(), ""));
    EXPECT_TRUE(stub->GetKeyList(&context, {}, &list).ok());
    v1::KeyList keys;
    EXPECT_TRUE(keys.ParseFromString(list.key_list()));
    v1::SubmitRequest request;
    request.set_task_id(info_.task_id());
    request.set_key_id(keys.keys(0).key_id());
    request.set_submission_ids(std::string(16, name));
    request.set_sealed_reports(std::string(task_->sealed_bytes(), name));
    grpc::ClientContext submit;
    v1::SubmitResponse response;
    return rpc::FromGrpc(stub->Submit(&submit, request, &response));
  }
  v1::ShufflerStatus Status() { return deployment_.ShufflerStatus(); }
  absl::Status CreateTask() {
    grpc::ClientContext context;
    v1::TaskInfo info;
    return rpc::FromGrpc(v1::CollectorAdmin::NewStub(
                             deployment_.Connect(deployment_.query_address(), "administrator"))
                             ->CreateTask(&context, deployment_.TaskRequest(), &info));
  }

  std::shared_ptr<FakeClock> wall_;
  TestDeployment deployment_;
  v1::TaskInfo info_;
  std::shared_ptr<const Task> task_;
};

TEST_F(Clocks, ADeviceIsAskedToWaitAndNothingIsRefusedForGood) {
  ASSERT_TRUE(Submit('a').ok());
  for (const absl::Duration jump : {absl::Hours(24 * 91), -absl::Hours(24 * 91)}) {
    wall_->Advance(jump);
    const absl::Status status = Submit('b');
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("the clock is in doubt"));
    EXPECT_TRUE(RetryAfter(status).has_value());
    EXPECT_THAT(Status().clock_doubt(), HasSubstr("the clock is in doubt"));
    wall_->Advance(-jump);
  }
  EXPECT_TRUE(Submit('b').ok());
  EXPECT_EQ(Status().clock_doubt(), "");
  EXPECT_EQ(Status().tasks(0).held(0).waiting(), 2u);
}

TEST_F(Clocks, TheCollectorMakesNoTaskByAClockInDoubt) {
  wall_->Advance(absl::Hours(24 * 91));
  EXPECT_TRUE(absl::IsUnavailable(CreateTask()));
  wall_->Advance(-absl::Hours(24 * 91));
  EXPECT_TRUE(CreateTask().ok());
}

// The role `shuffler` makes no witness: only the key that an open task names does.
TEST_F(Clocks, OnlyATasksShufflerConfirmsTheCollectorsTime) {
  deployment_.Issue("rogue", "shuffler");
  const auto stub =
      v1::CollectorIngest::NewStub(deployment_.Connect(deployment_.ingest_address(), "rogue"));
  const auto tell = [&](const crypto::SigningKey& signer, absl::string_view context) {
    v1::GetCatalogRequest request;
    request.mutable_time()->set_time(
        ShufflerTime{.shuffler_key = signer.public_key(), .time = wall_->Now()}.Serialise());
    if (!context.empty()) {
      request.mutable_time()->set_signature(signer.Sign(context, request.time().time()));
    }
    grpc::ClientContext call;
    v1::Catalog catalog;
    EXPECT_TRUE(stub->GetCatalog(&call, request, &catalog).ok()) << "it is ignored, not refused";
  };
  const auto seed = crypto::ReadSecretFile(deployment_.directory() + "/shuffler.seed");
  ASSERT_TRUE(seed.ok()) << seed.status();
  const auto named = crypto::SigningKey::FromSeed(*seed);
  SeededRandom random(5);
  const auto foreign = crypto::SigningKey::Generate(random);
  wall_->Advance(absl::Hours(24 * 91));
  tell(*foreign, kShufflerTimeContext);
  tell(*named, "");
  tell(*named, kProgressContext);
  EXPECT_TRUE(absl::IsUnavailable(CreateTask()));
  tell(*named, kShufflerTimeContext);
  EXPECT_TRUE(CreateTask().ok());
}

}  // namespace
}  // namespace tombola
