// Every role on every RPC.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "common/crypto/certificate.h"
#include "common/disk/whole_file.h"
#include "tests/support/deployment.h"
#include "tombola/v1/collector.grpc.pb.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola {
namespace {

// "" shows no certificate; "foreign" has the right role of an authority that nobody here trusts.
const char* const kCallers[] = {"",        "device",        "shuffler", "operator",
                                "analyst", "administrator", "monitor",  "foreign"};

struct Row {
  std::set<std::string> allowed;
  std::string request;
  grpc::StatusCode answer;  // to this request of those who may call
};

std::string LongAgo() {
  v1::RotateKeysRequest request;
  request.set_at(1);
  return request.SerializeAsString();
}

// By "service/method". An RPC without a row fails the test.
std::map<std::string, Row> Table() {
  const std::set<std::string> device = {"", "device"}, shuffler = {"shuffler"},
                              operators = {"operator"}, administrator = {"administrator"},
                              analyst = {"analyst", "administrator"};
  return {
      {"Shuffler/GetTask", {device, "", grpc::INVALID_ARGUMENT}},
      {"Shuffler/GetKeyList", {device, "", grpc::OK}},
      {"Shuffler/Submit", {device, "", grpc::INVALID_ARGUMENT}},
      {"ShufflerOperator/GetStatus", {operators, "", grpc::OK}},
      {"ShufflerOperator/GetMetrics", {operators, "", grpc::OK}},
      {"CollectorIngest/GetCatalog", {shuffler, "", grpc::OK}},
      {"CollectorIngest/DeliverBatch", {shuffler, "", grpc::INVALID_ARGUMENT}},
      {"CollectorIngest/ReportProgress", {shuffler, "", grpc::INVALID_ARGUMENT}},
      {"CollectorAdmin/CreateTask", {administrator, "", grpc::INVALID_ARGUMENT}},
      {"CollectorAdmin/CloseTask", {administrator, "", grpc::INVALID_ARGUMENT}},
      {"CollectorAdmin/ArchiveTask", {administrator, "", grpc::INVALID_ARGUMENT}},
      {"CollectorAdmin/RotateKeys", {administrator, LongAgo(), grpc::INVALID_ARGUMENT}},
      {"CollectorAdmin/DestroyKey", {administrator, "", grpc::INVALID_ARGUMENT}},
      {"CollectorAdmin/GetMetrics", {administrator, "", grpc::OK}},
      {"CollectorQuery/ListTasks", {analyst, "", grpc::OK}},
      {"CollectorQuery/GetTask", {analyst, "", grpc::INVALID_ARGUMENT}},
      {"CollectorQuery/GetAnswer", {analyst, "", grpc::INVALID_ARGUMENT}},
      {"CollectorQuery/ListKeys", {analyst, "", grpc::OK}},
      {"CollectorQuery/GetTotals", {analyst, "", grpc::INVALID_ARGUMENT}},
  };
}

std::vector<const google::protobuf::MethodDescriptor*> AllMethods() {
  std::vector<const google::protobuf::MethodDescriptor*> methods;
  // The messages, so that the files are linked in.
  for (const auto* file :
       {v1::SubmitRequest::descriptor()->file(), v1::CreateTaskRequest::descriptor()->file()}) {
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) {
        methods.push_back(file->service(s)->method(m));
      }
    }
  }
  return methods;
}

std::string NameOf(const google::protobuf::MethodDescriptor& method) {
  return absl::StrCat(method.service()->name(), "/", method.name());
}

class Roles : public ::testing::Test {
 protected:
  std::string AddressOf(const std::string& service) const {
    if (service == "Shuffler" || service == "ShufflerOperator") {
      return deployment_.shuffler_address();
    }
    return service == "CollectorIngest" ? deployment_.ingest_address()
                                        : deployment_.query_address();
  }
  std::shared_ptr<grpc::Channel> Connect(const std::string& address, const std::string& caller,
                                         const std::set<std::string>& allowed) const {
    if (caller != "foreign") return deployment_.Connect(address, caller);
    const auto authority =
        *crypto::CertificateAuthority::Create("test authority", absl::Hours(24), absl::Now());
    const auto pem = *authority.Issue({.common_name = "x",
                                       .dns_names = {},
                                       .ip_addresses = {},
                                       .role = allowed.contains("") ? "device" : *allowed.begin()});
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = *ReadSmallFile(deployment_.FilesFor("").roots);
    options.pem_cert_chain = pem.certificate;
    options.pem_private_key = std::string(pem.private_key.ExposeSecretAsString());
    return grpc::CreateChannel(address, grpc::SslCredentials(options));
  }
  // One message, whatever the kind of the call.
  static grpc::Status Call(const std::shared_ptr<grpc::Channel>& channel, const std::string& path,
                           const std::string& request) {
    grpc::GenericStub stub(channel);
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(30)));
    grpc::CompletionQueue queue;
    const auto finished = [&queue] {
      void* tag;
      bool ok;
      return queue.Next(&tag, &ok);
    };
    const grpc::Slice slice(request);
    const grpc::ByteBuffer message(&slice, 1);
    grpc::ByteBuffer response;
    grpc::Status status;
    const auto call = stub.PrepareCall(&context, path, &queue);
    call->StartCall(nullptr);
    EXPECT_TRUE(finished());
    call->Write(message, nullptr);
    EXPECT_TRUE(finished());
    call->WritesDone(nullptr);
    EXPECT_TRUE(finished());
    call->Read(&response, nullptr);
    EXPECT_TRUE(finished());
    call->Finish(&status, nullptr);
    EXPECT_TRUE(finished());
    return status;
  }
  static grpc::StatusCode Expected(const std::string& service, const std::string& caller,
                                   const Row& row) {
    if (caller == "foreign") return grpc::UNAVAILABLE;  // no handshake
    if (row.allowed.contains(caller)) return row.answer;
    if (!caller.empty()) return grpc::PERMISSION_DENIED;
    // The ingest port makes no connection without a certificate.
    return service == "CollectorIngest" ? grpc::UNAVAILABLE : grpc::UNAUTHENTICATED;
  }

  TestDeployment deployment_;
};

TEST_F(Roles, EveryRpcAnswersThoseWhoMayCallItAndNobodyElse) {
  // The shuffler must have fetched the key list.
  deployment_.CreateTask(deployment_.TaskRequest());
  const std::map<std::string, Row> table = Table();
  std::set<std::string> seen;
  for (const auto* method : AllMethods()) {
    const std::string name = NameOf(*method), service = method->service()->name();
    seen.insert(name);
    const auto row = table.find(name);
    ASSERT_NE(row, table.end()) << name << " has no row: who may call it?";
    for (const std::string caller : kCallers) {
      const grpc::Status status =
          Call(Connect(AddressOf(service), caller, row->second.allowed),
               absl::StrCat("/", method->service()->full_name(), "/", method->name()),
               row->second.request);
      EXPECT_EQ(status.error_code(), Expected(service, caller, row->second))
          << name << " called by '" << caller << "': " << status.error_message();
    }
  }
  for (const auto& [name, row] : table) EXPECT_TRUE(seen.contains(name)) << name << " is no RPC";
}

TEST_F(Roles, ARevokedCertificateIsRefusedByEveryRpcOfAConnectionThatIsOpen) {
  deployment_.CreateTask(deployment_.TaskRequest());
  const std::map<std::string, Row> table = Table();
  // By port and role, each made and used before anything is revoked.
  std::map<std::string, std::shared_ptr<grpc::Channel>> channels;
  const auto call = [&](const google::protobuf::MethodDescriptor& method, const std::string& role) {
    const std::string address = AddressOf(method.service()->name());
    auto& channel = channels[absl::StrCat(address, role)];
    if (channel == nullptr) channel = Connect(address, role, {});
    return Call(channel, absl::StrCat("/", method.service()->full_name(), "/", method.name()),
                table.at(NameOf(method)).request);
  };
  const auto expect = [&](const std::set<std::string>& revoked) {
    for (const auto* method : AllMethods()) {
      const Row& row = table.at(NameOf(*method));
      for (const std::string& role : row.allowed) {
        const grpc::Status status = call(*method, role);
        EXPECT_EQ(status.error_code(), revoked.contains(role) ? grpc::UNAUTHENTICATED : row.answer)
            << NameOf(*method) << " called by '" << role << "': " << status.error_message();
      }
    }
  };
  expect({});
  const std::set<std::string> some = {"administrator", "operator", "shuffler"};
  deployment_.Revoke({some.begin(), some.end()});
  expect(some);
  // What is gone or broken lets nobody in again.
  std::filesystem::remove(deployment_.directory() + "/revoked.pem");
  expect(some);
  const std::set<std::string> others = {"analyst", "device"};
  deployment_.Revoke({others.begin(), others.end()});
  expect(others);
  deployment_.Revoke({});
  expect({});
}

// The files say of every RPC who may call it, and say what the table says.
TEST(RolesInTheProtos, AreThoseOfTheTable) {
  const std::map<std::string, Row> table = Table();
  size_t found = 0;
  for (const char* file : {"shuffler.proto", "collector.proto"}) {
    const auto text =
        ReadSmallFile(absl::StrCat(TOMBOLA_TEST_DATA, "/../../proto/tombola/v1/", file));
    ASSERT_TRUE(text.ok()) << text.status();
    std::string service;
    std::set<std::string> callers;
    for (absl::string_view line : absl::StrSplit(*text, '\n')) {
      if (absl::ConsumePrefix(&line, "service ")) {
        service = std::string(absl::StripSuffix(line, " {"));
      } else if (absl::ConsumePrefix(&line, "  // May call: ")) {
        callers = absl::StrSplit(absl::StripSuffix(line, "."), ", ");
      } else if (absl::ConsumePrefix(&line, "  rpc ")) {
        const std::string name = absl::StrCat(service, "/", line.substr(0, line.find('(')));
        ASSERT_TRUE(table.contains(name)) << name;
        std::set<std::string> allowed = table.at(name).allowed;
        allowed.erase("");  // a device may do without a certificate
        EXPECT_EQ(callers, allowed) << name;
        callers.clear();
        ++found;
      }
    }
  }
  EXPECT_EQ(found, table.size());
}

}  // namespace
}  // namespace tombola
