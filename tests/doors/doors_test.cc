// Bad input at every door: the right status, a message that names the field, nothing else harmed.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "client/encode/encoder.h"
#include "common/base/ids.h"
#include "common/crypto/hpke_seal.h"
#include "common/kind/kind.h"
#include "common/random/secure_random.h"
#include "common/task/task.h"
#include "tests/support/deployment.h"
#include "tombola/v1/collector.grpc.pb.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola {
namespace {

using ::testing::HasSubstr;

class Doors : public ::testing::Test {
 protected:
  // One deployment serves all: what a bad call harms would show in the others.
  static void SetUpTestSuite() {
    deployment_ = new TestDeployment();
    info_ = new v1::TaskInfo(deployment_->CreateTask(deployment_->TaskRequest()));
    task_ = new std::shared_ptr<const Task>(*Task::Parse(info_->task()));
  }
  static void TearDownTestSuite() {
    delete task_;
    delete info_;
    delete deployment_;
  }

  static TestDeployment* deployment_;
  static v1::TaskInfo* info_;
  static std::shared_ptr<const Task>* task_;

  std::unique_ptr<v1::Shuffler::Stub> Device() {
    return v1::Shuffler::NewStub(deployment_->Connect(deployment_->shuffler_address(), ""));
  }
  v1::HpkeKey ActiveKey() {
    grpc::ClientContext context;
    v1::SignedKeyList list;
    EXPECT_TRUE(Device()->GetKeyList(&context, {}, &list).ok());
    v1::KeyList keys;
    EXPECT_TRUE(keys.ParseFromString(list.key_list()));
    return keys.keys(keys.keys_size() - 1);
  }
  // A submission as an honest device makes it.
  v1::SubmitRequest Honest() {
    const v1::HpkeKey key = ActiveKey();
    const Task& task = **task_;
    SecureRandom random;
    std::string plaintext;
    client::MakeEncoder(task.kind().tables()[0])->Encode(3, random, &plaintext);
    auto sealer = crypto::Sealer::Create(
        absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(key.public_key().data()), 32),
        task.HpkeInfo(*IdFromBytes<KeyId>(key.key_id()), 0));
    std::string sealed(task.sealed_bytes(), '\0');
    EXPECT_TRUE(sealer
                    ->Seal(absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(plaintext.data()),
                                               plaintext.size()),
                           random,
                           absl::MakeSpan(reinterpret_cast<uint8_t*>(sealed.data()), sealed.size()))
                    .ok());
    std::string id(16, '\0');
    random.Fill(absl::MakeSpan(reinterpret_cast<uint8_t*>(id.data()), id.size()));
    v1::SubmitRequest request;
    request.set_task_id(info_->task_id());
    request.set_key_id(key.key_id());
    request.set_window(task.WindowAt(absl::Now()));
    request.set_submission_ids(id);
    request.set_sealed_reports(sealed);
    return request;
  }
  grpc::Status Submit(const v1::SubmitRequest& request, v1::SubmitResponse* response = nullptr) {
    v1::SubmitResponse ignored;
    grpc::ClientContext context;
    return Device()->Submit(&context, request, response == nullptr ? &ignored : response);
  }
};

TestDeployment* Doors::deployment_ = nullptr;
v1::TaskInfo* Doors::info_ = nullptr;
std::shared_ptr<const Task>* Doors::task_ = nullptr;

TEST_F(Doors, TheHonestSubmissionIsAcceptedOnceAndThenADuplicate) {
  const v1::SubmitRequest request = Honest();
  v1::SubmitResponse response;
  ASSERT_TRUE(Submit(request, &response).ok());
  EXPECT_EQ(response.outcomes(0), v1::OUTCOME_ACCEPTED);
  ASSERT_TRUE(Submit(request, &response).ok());
  EXPECT_EQ(response.outcomes(0), v1::OUTCOME_DUPLICATE);
  // The same sealed report under another id is a replay.
  v1::SubmitRequest replay = request;
  replay.set_submission_ids(std::string(16, 'r'));
  ASSERT_TRUE(Submit(replay, &response).ok());
  EXPECT_EQ(response.outcomes(0), v1::OUTCOME_DUPLICATE);
}

struct BadSubmit {
  const char* name;
  std::function<void(v1::SubmitRequest*)> change;
  grpc::StatusCode code;
  const char* names;
};

TEST_F(Doors, EveryBadSubmissionGetsItsStatus) {
  const BadSubmit table[] = {
      {"short task id", [](auto* r) { r->set_task_id("x"); }, grpc::INVALID_ARGUMENT, "task_id"},
      {"unknown task", [](auto* r) { r->set_task_id(std::string(32, 'x')); }, grpc::NOT_FOUND,
       "task_id"},
      {"short key id", [](auto* r) { r->set_key_id("x"); }, grpc::INVALID_ARGUMENT, "key_id"},
      {"unknown key", [](auto* r) { r->set_key_id("12345678"); }, grpc::FAILED_PRECONDITION,
       "key_id"},
      {"no submission", [](auto* r) { r->clear_submission_ids(); }, grpc::INVALID_ARGUMENT,
       "submission_ids"},
      {"half an id", [](auto* r) { r->set_submission_ids("12345678"); }, grpc::INVALID_ARGUMENT,
       "submission_ids"},
      {"two ids, one report", [](auto* r) { r->set_submission_ids(std::string(32, 'i')); },
       grpc::INVALID_ARGUMENT, "sealed_reports"},
      {"truncated report", [](auto* r) { r->mutable_sealed_reports()->pop_back(); },
       grpc::INVALID_ARGUMENT, "sealed_reports"},
      {"no report", [](auto* r) { r->clear_sealed_reports(); }, grpc::INVALID_ARGUMENT,
       "sealed_reports"},
      {"counts for another number",
       [](auto* r) {
         r->add_report_counts(1);
         r->add_report_counts(1);
       },
       grpc::INVALID_ARGUMENT, "report_counts"},
      {"window in the future", [](auto* r) { r->set_window(r->window() + 2); },
       grpc::INVALID_ARGUMENT, "window"},
      {"window that wraps", [](auto* r) { r->set_window(std::numeric_limits<uint64_t>::max()); },
       grpc::INVALID_ARGUMENT, "window"},
      {"too many submissions", [](auto* r) { r->set_submission_ids(std::string(16 * 10001, 'i')); },
       grpc::INVALID_ARGUMENT, "10000"},
      {"oversized message", [](auto* r) { r->set_sealed_reports(std::string(9 << 20, 'x')); },
       grpc::RESOURCE_EXHAUSTED, ""},
  };
  for (const BadSubmit& bad : table) {
    v1::SubmitRequest request = Honest();
    bad.change(&request);
    const grpc::Status status = Submit(request);
    EXPECT_EQ(status.error_code(), bad.code) << bad.name << ": " << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr(bad.names)) << bad.name;
  }
  // Nothing else was harmed.
  v1::SubmitResponse response;
  ASSERT_TRUE(Submit(Honest(), &response).ok());
  EXPECT_EQ(response.outcomes(0), v1::OUTCOME_ACCEPTED);
}

TEST_F(Doors, AReportCountBeyondTheTasksCapRejectsOnlyItsSubmission) {
  v1::SubmitRequest request = Honest();
  const v1::SubmitRequest other = Honest();
  request.mutable_submission_ids()->append(other.submission_ids());
  request.mutable_sealed_reports()->append(other.sealed_reports());
  request.mutable_sealed_reports()->append(Honest().sealed_reports());
  request.add_report_counts(1);
  request.add_report_counts(2);
  v1::SubmitResponse response;
  ASSERT_TRUE(Submit(request, &response).ok());
  ASSERT_EQ(response.outcomes_size(), 2);
  EXPECT_EQ(response.outcomes(0), v1::OUTCOME_ACCEPTED);
  EXPECT_EQ(response.outcomes(1), v1::OUTCOME_REJECTED);
}

TEST_F(Doors, BytesThatAreNoProtobufAreRefused) {
  // A field of length 100 with one byte behind it.
  const std::string bytes("\x0a\x64x", 3);
  grpc::GenericStub stub(deployment_->Connect(deployment_->shuffler_address(), ""));
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const grpc::Slice slice(bytes);
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  grpc::Status status;
  const auto call = stub.PrepareUnaryCall(&context, "/tombola.v1.Shuffler/Submit", request, &queue);
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag;
  bool ok;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_FALSE(status.ok());
  v1::SubmitResponse after;
  EXPECT_TRUE(Submit(Honest(), &after).ok());
}

struct BadTask {
  const char* name;
  std::function<void(v1::CreateTaskRequest*)> change;
  const char* names;
};

TEST_F(Doors, EveryBadTaskGetsItsStatus) {
  const double nan = std::nan("");
  const BadTask table[] = {
      {"epsilon zero", [](auto* r) { r->set_epsilon(0); }, "epsilon"},
      {"epsilon negative", [](auto* r) { r->set_epsilon(-1); }, "epsilon"},
      {"epsilon NaN", [=](auto* r) { r->set_epsilon(nan); }, "epsilon"},
      {"epsilon infinite", [](auto* r) { r->set_epsilon(std::numeric_limits<double>::infinity()); },
       "epsilon"},
      {"delta zero", [](auto* r) { r->set_delta(0); }, "delta"},
      {"delta one", [](auto* r) { r->set_delta(1); }, "delta"},
      {"delta NaN", [=](auto* r) { r->set_delta(nan); }, "delta"},
      {"zero domain", [](auto* r) { r->set_domain_size(0); }, "domain"},
      {"domain of one", [](auto* r) { r->set_domain_size(1); }, "domain"},
      {"huge domain", [](auto* r) { r->set_domain_size(uint64_t{1} << 40); }, "domain"},
      {"no users", [](auto* r) { r->set_users(0); }, "users"},
      {"dishonest share one", [](auto* r) { r->set_dishonest_share(1); }, "dishonest_share"},
      {"smallest batch above users", [](auto* r) { r->set_smallest_batch(101); }, "smallest_batch"},
      {"unknown mechanism", [](auto* r) { r->set_mechanism("magic"); }, "mechanism"},
      {"short shuffler key", [](auto* r) { r->set_shuffler_key("x"); }, "shuffler_key"},
      {"no name", [](auto* r) { r->clear_name(); }, "name"},
      {"a range that is no prime and no power of two", [](auto* r) { r->set_range(24); }, "range"},
      {"local epsilon NaN", [=](auto* r) { r->set_max_local_epsilon(nan); }, "max_local_epsilon"},
  };
  const auto admin = v1::CollectorAdmin::NewStub(
      deployment_->Connect(deployment_->query_address(), "administrator"));
  for (const BadTask& bad : table) {
    v1::CreateTaskRequest request = deployment_->TaskRequest();
    bad.change(&request);
    grpc::ClientContext context;
    v1::TaskInfo info;
    const grpc::Status status = admin->CreateTask(&context, request, &info);
    EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT) << bad.name;
    EXPECT_THAT(status.error_message(), HasSubstr(bad.names)) << bad.name;
  }
}

TEST_F(Doors, EveryBadQuestionGetsItsStatus) {
  const auto analyst =
      v1::CollectorQuery::NewStub(deployment_->Connect(deployment_->query_address(), "analyst"));
  const auto ask = [&](const v1::GetAnswerRequest& request) {
    grpc::ClientContext context;
    v1::Answer answer;
    return analyst->GetAnswer(&context, request, &answer);
  };
  v1::GetAnswerRequest request;
  request.set_task_id(info_->task_id());
  request.set_confidence(0.95);
  request.set_postprocess(v1::POSTPROCESS_POP);
  EXPECT_THAT(ask(request).error_message(), HasSubstr("question must be set"));
  request.mutable_histogram();
  EXPECT_EQ(ask(request).error_code(), grpc::FAILED_PRECONDITION);  // nothing was counted yet
  request.set_confidence(std::nan(""));
  EXPECT_EQ(ask(request).error_code(), grpc::INVALID_ARGUMENT);
  request.set_confidence(1);
  EXPECT_THAT(ask(request).error_message(), HasSubstr("confidence"));
  request.set_confidence(0.95);
  request.set_postprocess(v1::POSTPROCESS_UNSPECIFIED);
  EXPECT_THAT(ask(request).error_message(), HasSubstr("postprocess"));
  request.set_postprocess(v1::POSTPROCESS_POP);
  request.set_task_id("x");
  EXPECT_EQ(ask(request).error_code(), grpc::INVALID_ARGUMENT);
  request.set_task_id(std::string(32, 'x'));
  EXPECT_EQ(ask(request).error_code(), grpc::NOT_FOUND);
}

TEST_F(Doors, ADeliveryMustBeSignedAndWellFormed) {
  const auto shuffler =
      v1::CollectorIngest::NewStub(deployment_->Connect(deployment_->ingest_address(), "shuffler"));
  const auto deliver = [&](const v1::BatchChunk& first) {
    grpc::ClientContext context;
    v1::BatchReceipt receipt;
    const auto writer = shuffler->DeliverBatch(&context, &receipt);
    writer->Write(first);
    writer->WritesDone();
    return writer->Finish();
  };
  v1::BatchChunk chunk;
  EXPECT_EQ(deliver(chunk).error_code(), grpc::INVALID_ARGUMENT);
  chunk.set_sealed_reports("x");
  EXPECT_EQ(deliver(chunk).error_code(), grpc::INVALID_ARGUMENT);
  chunk.mutable_header()->set_manifest("\xff\xff");
  EXPECT_EQ(deliver(chunk).error_code(), grpc::INVALID_ARGUMENT);
  v1::Manifest manifest;
  manifest.set_task_id(info_->task_id());
  manifest.set_batch_id(std::string(16, 'b'));
  manifest.set_key_id(ActiveKey().key_id());
  manifest.set_submissions(1);
  manifest.set_reports_in(1);
  manifest.set_reports_out(1);
  manifest.set_digest_sum(std::string(32, '\0'));
  chunk.mutable_header()->set_manifest(manifest.SerializeAsString());
  chunk.mutable_header()->set_signature(std::string(64, 's'));
  EXPECT_EQ(deliver(chunk).error_code(), grpc::UNAUTHENTICATED);
  manifest.set_task_id(std::string(32, 'x'));
  chunk.mutable_header()->set_manifest(manifest.SerializeAsString());
  EXPECT_EQ(deliver(chunk).error_code(), grpc::NOT_FOUND);
}

TEST_F(Doors, PlainTextIsRefusedOnEveryPort) {
  for (const std::string& address : {deployment_->shuffler_address(), deployment_->ingest_address(),
                                     deployment_->query_address()}) {
    const auto stub =
        v1::Shuffler::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    v1::SignedKeyList list;
    EXPECT_EQ(stub->GetKeyList(&context, {}, &list).error_code(), grpc::UNAVAILABLE) << address;
  }
}

}  // namespace
}  // namespace tombola
