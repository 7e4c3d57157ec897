#include "tests/support/deployment.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/ids.h"
#include "common/crypto/certificate.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/key_file.h"
#include "common/random/secure_random.h"
#include "tombola/v1/collector.grpc.pb.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola {
namespace {

void Must(const absl::Status& status) {
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  TOMBOLA_CHECK(status.ok());
}

template <typename T>
T Must(absl::StatusOr<T> value) {
  Must(value.status());
  return *std::move(value);
}

void WriteCertificates(const std::string& directory) {
  const auto authority =
      Must(crypto::CertificateAuthority::Create("test authority", absl::Hours(24), absl::Now()));
  Must(ReplaceFile(absl::StrCat(directory, "/ca.pem"), authority.certificate()));
  for (const char* role :
       {"collector", "shuffler", "operator", "analyst", "administrator", "monitor", "device"}) {
    crypto::IssueOptions options;
    options.common_name = role;
    options.role = role;
    options.ip_addresses = {"127.0.0.1"};
    const auto pem = Must(authority.Issue(options));
    Must(ReplaceFile(absl::StrCat(directory, "/", role, ".pem"), pem.certificate));
    Must(crypto::WriteSecretFile(absl::StrCat(directory, "/", role, ".key"), pem.private_key,
                                 crypto::ExistingFile::kReplace));
  }
}

// Writes a fresh long-term key and returns its public half.
std::string WriteLongTermKey(const std::string& directory, const std::string& who) {
  SecureRandom random;
  const auto key = Must(crypto::SigningKey::Generate(random));
  Must(crypto::WriteSecretFile(absl::StrCat(directory, "/", who, ".seed"), key.seed(),
                               crypto::ExistingFile::kReplace));
  Must(ReplaceFile(absl::StrCat(directory, "/", who, ".pub"), ToHex(key.public_key())));
  return std::string(AsView(key.public_key()));
}

}  // namespace

TestDeployment::TestDeployment(Options options) : options_(std::move(options)) {
  directory_ = (std::filesystem::temp_directory_path() / "tombola-test-XXXXXX").string();
  TOMBOLA_CHECK(mkdtemp(directory_.data()) != nullptr);
  WriteCertificates(directory_);
  WriteLongTermKey(directory_, "collector");
  shuffler_key_ = WriteLongTermKey(directory_, "shuffler");
  StartCollector();
  StartShuffler();
}

void TestDeployment::StartCollector() {
  const rpc::TlsFiles files = FilesFor("collector");
  collector::DaemonOptions options = options_.collector;
  options.data_directory = absl::StrCat(directory_, "/collector");
  options.listen_ingest = options.listen_query = "127.0.0.1:0";
  options.certificate = files.certificate;
  options.private_key = files.private_key;
  options.roots = files.roots;
  options.signing_key = absl::StrCat(directory_, "/collector.seed");
  collector_ = Must(collector::Daemon::Start(options, options_.clock));
}

TestDeployment::~TestDeployment() {
  shuffler_.reset();
  collector_.reset();
  std::error_code error;
  std::filesystem::remove_all(directory_, error);
}

void TestDeployment::StartShuffler() {
  const rpc::TlsFiles files = FilesFor("shuffler");
  shuffler_ = Must(
      shuffler::Daemon::Start({.data_directory = absl::StrCat(directory_, "/shuffler"),
                               .listen = "127.0.0.1:0",
                               .certificate = files.certificate,
                               .private_key = files.private_key,
                               .roots = files.roots,
                               .collector = ingest_address(),
                               .collector_key_file = absl::StrCat(directory_, "/collector.pub"),
                               .signing_key = absl::StrCat(directory_, "/shuffler.seed"),
                               .catalog_period = absl::Milliseconds(20)},
                              options_.clock));
}

std::string TestDeployment::shuffler_address() const {
  return absl::StrCat("127.0.0.1:", shuffler_->port());
}
std::string TestDeployment::ingest_address() const {
  return absl::StrCat("127.0.0.1:", collector_->ingest_port());
}
std::string TestDeployment::query_address() const {
  return absl::StrCat("127.0.0.1:", collector_->query_port());
}

rpc::TlsFiles TestDeployment::FilesFor(const std::string& role) const {
  rpc::TlsFiles files{
      .certificate = "", .private_key = "", .roots = absl::StrCat(directory_, "/ca.pem")};
  if (!role.empty()) {
    files.certificate = absl::StrCat(directory_, "/", role, ".pem");
    files.private_key = absl::StrCat(directory_, "/", role, ".key");
  }
  return files;
}

std::shared_ptr<grpc::Channel> TestDeployment::Connect(const std::string& address,
                                                       const std::string& role) const {
  return grpc::CreateChannel(address, Must(rpc::ChannelTls(FilesFor(role))));
}

v1::CreateTaskRequest TestDeployment::TaskRequest() const {
  v1::CreateTaskRequest request;
  request.set_name("test");
  request.set_domain_size(20);
  request.set_epsilon(8);
  request.set_delta(1e-6);
  request.set_users(100);
  request.set_shuffler_key(shuffler_key_);
  return request;
}

v1::TaskInfo TestDeployment::CreateTask(const v1::CreateTaskRequest& request) const {
  const auto admin = v1::CollectorAdmin::NewStub(Connect(query_address(), "administrator"));
  grpc::ClientContext context;
  v1::TaskInfo info;
  const grpc::Status created = admin->CreateTask(&context, request, &info);
  if (!created.ok()) std::fprintf(stderr, "%s\n", created.error_message().c_str());
  TOMBOLA_CHECK(created.ok());
  const auto device = v1::Shuffler::NewStub(Connect(shuffler_address(), ""));
  v1::GetTaskRequest wanted;
  wanted.set_task_id(info.task_id());
  while (true) {  // the test's own time limit bounds this
    grpc::ClientContext get;
    v1::GetTaskResponse response;
    if (device->GetTask(&get, wanted, &response).ok()) return info;
    absl::SleepFor(absl::Milliseconds(5));
  }
}

}  // namespace tombola
