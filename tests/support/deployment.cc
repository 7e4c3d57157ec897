#include "tests/support/deployment.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/key_file.h"
#include "common/disk/whole_file.h"
#include "common/random/secure_random.h"
#include "tests/support/eventually.h"
#include "tombola/v1/collector.grpc.pb.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola {
namespace {

// Goes as another clock goes.
class Follower final : public SteadyClock {
 public:
  explicit Follower(std::shared_ptr<const Clock> clock) : clock_(std::move(clock)) {}
  absl::Duration Now() const override { return clock_->Now() - absl::UnixEpoch(); }

 private:
  const std::shared_ptr<const Clock> clock_;
};

void Must(const absl::Status& status) {
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  TOMBOLA_CHECK(status.ok());
}

template <typename T>
T Must(absl::StatusOr<T> value) {
  Must(value.status());
  return *std::move(value);
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

std::shared_ptr<const SteadyClock> TestDeployment::Steady() const {
  if (options_.steady != nullptr) return options_.steady;
  return std::make_shared<const Follower>(options_.clock);
}

TestDeployment::TestDeployment(Options options)
    : options_(std::move(options)),
      authority_(Must(
          crypto::CertificateAuthority::Create("test authority", absl::Hours(24), absl::Now()))) {
  Must(ReplaceFile(FilesFor("").roots, authority_.certificate()));
  for (const char* role :
       {"collector", "shuffler", "operator", "analyst", "administrator", "monitor", "device"}) {
    Issue(role, role);
  }
  Revoke({});
  WriteLongTermKey(directory_.path(), "collector");
  shuffler_key_ = WriteLongTermKey(directory_.path(), "shuffler");
  StartCollector();
  StartShuffler();
}

daemon::Options TestDeployment::OptionsFor(const std::string& name) const {
  const tls::Files files = FilesFor(name);
  return {.data_directory = directory_.In(name),
          .certificate = files.certificate,
          .private_key = files.private_key,
          .roots = files.roots,
          .revoked = directory_.In("revoked.pem"),
          .signing_key = directory_.In(absl::StrCat(name, ".seed"))};
}

void TestDeployment::StartCollector() {
  collector::DaemonOptions options = options_.collector;
  static_cast<daemon::Options&>(options) = OptionsFor("collector");
  options.listen_ingest = options.listen_query = "127.0.0.1:0";
  collector_ = Must(collector::Daemon::Start(options, options_.clock, Steady()));
}

void TestDeployment::Issue(const std::string& name, const std::string& role) const {
  crypto::IssueOptions options;
  options.common_name = name;
  options.role = role;
  options.ip_addresses = {"127.0.0.1"};
  const auto pem = Must(authority_.Issue(options));
  const tls::Files files = FilesFor(name);
  Must(ReplaceFile(files.certificate, pem.certificate));
  Must(crypto::WriteSecretFile(files.private_key, pem.private_key, crypto::ExistingFile::kReplace));
}

void TestDeployment::Revoke(const std::vector<std::string>& roles) const {
  std::vector<std::string> certificates;
  certificates.reserve(roles.size());
  for (const std::string& role : roles) {
    certificates.push_back(Must(ReadSmallFile(FilesFor(role).certificate)));
  }
  Must(ReplaceFile(directory_.In("revoked.pem"), Must(authority_.Revoke(certificates))));
}

TestDeployment::~TestDeployment() {
  shuffler_.reset();
  collector_.reset();
}

void TestDeployment::StartShuffler() {
  shuffler::DaemonOptions options;
  static_cast<daemon::Options&>(options) = OptionsFor("shuffler");
  options.listen = "127.0.0.1:0";
  options.collector = ingest_address();
  options.collector_key_file = directory_.In("collector.pub");
  options.catalog_period = options_.catalog_period;
  shuffler_ = Must(shuffler::Daemon::Start(options, options_.clock, Steady()));
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

tls::Files TestDeployment::FilesFor(const std::string& role) const {
  tls::Files files{.certificate = "", .private_key = "", .roots = directory_.In("ca.pem")};
  if (!role.empty()) {
    files.certificate = directory_.In(absl::StrCat(role, ".pem"));
    files.private_key = directory_.In(absl::StrCat(role, ".key"));
  }
  return files;
}

std::shared_ptr<grpc::Channel> TestDeployment::Connect(const std::string& address,
                                                       const std::string& role) const {
  return grpc::CreateChannel(address, Must(rpc::ChannelTls(FilesFor(role))));
}

v1::ShufflerStatus TestDeployment::ShufflerStatus() const {
  grpc::ClientContext context;
  v1::ShufflerStatus status;
  TOMBOLA_CHECK(v1::ShufflerOperator::NewStub(Connect(shuffler_address(), "operator"))
                    ->GetStatus(&context, {}, &status)
                    .ok());
  return status;
}

v1::CreateTaskRequest TestDeployment::TaskRequest() const {
  v1::CreateTaskRequest request;
  request.set_name("test");
  request.set_domain_size(20);
  request.set_epsilon(8);
  request.set_delta(1e-6);
  request.set_users(100);
  request.set_shuffler_key(shuffler_key_);
  request.set_same_name(true);
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
  TOMBOLA_CHECK(Eventually([&] {
    grpc::ClientContext get;
    v1::GetTaskResponse response;
    return device->GetTask(&get, wanted, &response).ok();
  }));
  return info;
}

}  // namespace tombola
