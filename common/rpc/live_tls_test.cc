// Certificates that change while a real server runs.
#include "common/rpc/live_tls.h"

#include <gmock/gmock.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/crypto/certificate.h"
#include "common/crypto/key_file.h"
#include "common/disk/whole_file.h"
#include "common/rpc/connection_calls.h"
#include "common/rpc/server.h"
#include "tests/support/scratch_directory.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola::rpc {
namespace {

using ::testing::HasSubstr;

crypto::CertificateAuthority MakeAuthority() {
  return *crypto::CertificateAuthority::Create("test", absl::Hours(1), absl::Now());
}

class LiveTlsTest : public ::testing::Test {
 protected:
  LiveTlsTest() : authority_(MakeAuthority()) {
    EXPECT_TRUE(ReplaceFile(Roots(), authority_.certificate()).ok());
    WriteServer(Issue("server"));
    identity_ = *tls::Identity::Load({Certificate(), Key(), Roots()},
                                     [this](const absl::Status& s) { refused_.push_back(s); });
  }
  ~LiveTlsTest() override { server_.reset(); }

  std::string Certificate() const { return directory_.In("server.pem"); }
  std::string Key() const { return directory_.In("server.key"); }
  std::string Roots() const { return directory_.In("ca.pem"); }

  crypto::CertificatePem Issue(const std::string& role) const {
    return *authority_.Issue(
        {.common_name = role, .dns_names = {}, .ip_addresses = {"127.0.0.1"}, .role = role});
  }
  void WriteKey(const crypto::SecretBytes& key) {
    ASSERT_TRUE(crypto::WriteSecretFile(Key(), key, crypto::ExistingFile::kReplace).ok());
  }
  void WriteServer(const crypto::CertificatePem& pem) {
    WriteKey(pem.private_key);
    ASSERT_TRUE(ReplaceFile(Certificate(), pem.certificate).ok());
  }

  void Serve(ClientCertificate mode = ClientCertificate::kOptional) {
    auto started = Server::Start({.address = "127.0.0.1:0",
                                  .credentials = LiveServerTls(identity_, mode),
                                  .services = {&service_}});
    ASSERT_TRUE(started.ok()) << started.status();
    server_.emplace(*std::move(started));
  }
  // A connection of its own.
  std::shared_ptr<grpc::Channel> Connect(const crypto::CertificatePem* client = nullptr) const {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = authority_.certificate();
    if (client != nullptr) {
      options.pem_cert_chain = client->certificate;
      options.pem_private_key = std::string(client->private_key.ExposeSecretAsString());
    }
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(absl::StrCat("127.0.0.1:", server_->port()),
                                     grpc::SslCredentials(options), arguments);
  }
  // The server's certificate as a call over the channel sees it; nothing if the call did not get
  // through. The service itself answers nothing.
  static std::string Seen(const std::shared_ptr<grpc::Channel>& channel) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(30)));
    v1::SignedKeyList keys;
    const grpc::Status status = v1::Shuffler::NewStub(channel)->GetKeyList(&context, {}, &keys);
    if (status.error_code() != grpc::UNIMPLEMENTED) return "";
    const auto values =
        context.auth_context()->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
    return values.empty() ? "" : std::string(values[0].data(), values[0].size());
  }

  crypto::CertificateAuthority authority_;
  const ScratchDirectory directory_;
  std::vector<absl::Status> refused_;
  std::shared_ptr<tls::Identity> identity_;
  v1::Shuffler::CallbackService service_;
  std::optional<Server> server_;
};

TEST_F(LiveTlsTest, ANewConnectionSeesTheNewCertificateAndAnOldOneGoesOn) {
  Serve();
  const std::string first = identity_->Current()->certificate;
  const auto old = Connect();
  ASSERT_EQ(Seen(old), first);
  const crypto::CertificatePem next = Issue("server");
  WriteServer(next);
  EXPECT_EQ(Seen(Connect()), next.certificate);
  EXPECT_EQ(Seen(old), first);
  EXPECT_TRUE(refused_.empty());
}

TEST_F(LiveTlsTest, HalfAChangeLeavesTheOldPairInServiceUntilItIsWhole) {
  Serve();
  const std::string first = identity_->Current()->certificate;
  const crypto::CertificatePem next = Issue("server");
  WriteKey(next.private_key);
  EXPECT_EQ(Seen(Connect()), first);
  EXPECT_EQ(Seen(Connect()), first);
  ASSERT_EQ(refused_.size(), 1u) << "once for a change, not for a handshake";
  EXPECT_THAT(std::string(refused_[0].message()), HasSubstr("not that of the private key"));
  ASSERT_TRUE(ReplaceFile(Certificate(), next.certificate).ok());
  EXPECT_EQ(Seen(Connect()), next.certificate);
  EXPECT_EQ(refused_.size(), 1u);
}

TEST_F(LiveTlsTest, ReloadReadsAtOnceAndSaysWhetherItWasTakenOver) {
  EXPECT_TRUE(identity_->Reload().ok());
  EXPECT_EQ(identity_->Current()->generation, 1u) << "nothing has changed";
  const crypto::CertificatePem next = Issue("server");
  WriteKey(next.private_key);
  EXPECT_THAT(std::string(identity_->Reload().message()), HasSubstr("not that of the private key"));
  EXPECT_EQ(refused_.size(), 1u);
  ASSERT_TRUE(ReplaceFile(Certificate(), next.certificate).ok());
  EXPECT_TRUE(identity_->Reload().ok());
  EXPECT_EQ(identity_->Current()->generation, 2u);
  EXPECT_EQ(identity_->Current()->certificate, next.certificate);
}

TEST_F(LiveTlsTest, BrokenMissingOrEmptyFilesLeaveTheOldPairInService) {
  Serve();
  const std::string first = identity_->Current()->certificate;
  ASSERT_TRUE(ReplaceFile(Certificate(), first.substr(0, first.size() / 2)).ok());
  EXPECT_EQ(Seen(Connect()), first);
  std::filesystem::remove(Certificate());
  EXPECT_EQ(Seen(Connect()), first);
  ASSERT_TRUE(ReplaceFile(Roots(), "").ok());
  EXPECT_EQ(Seen(Connect()), first);
  EXPECT_EQ(refused_.size(), 3u);
  ASSERT_TRUE(ReplaceFile(Roots(), authority_.certificate()).ok());
  const crypto::CertificatePem next = Issue("server");
  WriteServer(next);
  EXPECT_EQ(Seen(Connect()), next.certificate);
}

TEST_F(LiveTlsTest, ANewKeyThatOthersMayReadIsNotTakenOver) {
  Serve();
  const std::string first = identity_->Current()->certificate;
  const crypto::CertificatePem next = Issue("server");
  WriteKey(next.private_key);
  ASSERT_EQ(chmod(Key().c_str(), 0644), 0);
  ASSERT_TRUE(ReplaceFile(Certificate(), next.certificate).ok());
  EXPECT_EQ(Seen(Connect()), first);
  ASSERT_EQ(refused_.size(), 1u);
  EXPECT_TRUE(absl::IsPermissionDenied(refused_[0])) << refused_[0];
  ASSERT_EQ(chmod(Key().c_str(), 0600), 0);
  EXPECT_EQ(Seen(Connect()), next.certificate);
}

TEST_F(LiveTlsTest, ACertificateThatHasEndedDoesNotReplaceOneThatHasNot) {
  const std::string first = identity_->Current()->certificate;
  const auto past = *crypto::CertificateAuthority::Create("past", absl::Hours(1),
                                                          absl::FromUnixSeconds(1'700'000'000));
  WriteServer(*past.Issue(
      {.common_name = "server", .dns_names = {}, .ip_addresses = {"127.0.0.1"}, .role = "server"}));
  EXPECT_EQ(identity_->Current()->certificate, first);
  ASSERT_EQ(refused_.size(), 1u);
  EXPECT_THAT(std::string(refused_[0].message()), HasSubstr("ended 2023-11-14T23:13:20"));

  // At the start there is nothing better: it is served, and said.
  std::vector<absl::Status> said;
  const auto loaded = tls::Identity::Load({Certificate(), Key(), Roots()},
                                          [&said](const absl::Status& s) { said.push_back(s); });
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(said.size(), 1u);
  // And any other takes its place.
  const crypto::CertificatePem next = Issue("server");
  WriteServer(next);
  EXPECT_EQ((*loaded)->Current()->certificate, next.certificate);
  EXPECT_EQ(said.size(), 1u);
}

TEST_F(LiveTlsTest, NewRootsDecideWhoMayConnect) {
  Serve(ClientCertificate::kRequired);
  const crypto::CertificatePem member = Issue("shuffler");
  const crypto::CertificateAuthority other = MakeAuthority();
  const crypto::CertificatePem stranger =
      *other.Issue({.common_name = "x", .dns_names = {}, .ip_addresses = {}, .role = "shuffler"});
  EXPECT_NE(Seen(Connect(&member)), "");
  EXPECT_EQ(Seen(Connect(&stranger)), "");
  EXPECT_EQ(Seen(Connect()), "");
  ASSERT_TRUE(ReplaceFile(Roots(), other.certificate()).ok());
  EXPECT_EQ(Seen(Connect(&member)), "");
  EXPECT_NE(Seen(Connect(&stranger)), "");
}

TEST_F(LiveTlsTest, TheSameContentAgainIsNoChange) {
  const uint64_t generation = identity_->Current()->generation;
  const std::string certificate = identity_->Current()->certificate;
  ASSERT_TRUE(ReplaceFile(Certificate(), certificate).ok());
  EXPECT_EQ(identity_->Current()->generation, generation);
  WriteServer(Issue("server"));
  EXPECT_EQ(identity_->Current()->generation, generation + 1);
}

TEST_F(LiveTlsTest, TheFirstReadingRefusesWhatAChangeWould) {
  const auto load = [&] { return tls::Identity::Load({Certificate(), Key(), Roots()}).status(); };
  EXPECT_TRUE(load().ok());
  ASSERT_EQ(chmod(Key().c_str(), 0640), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(load()));
  ASSERT_EQ(chmod(Key().c_str(), 0600), 0);
  ASSERT_EQ(chmod(directory_.path().c_str(), 0777), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(load()));
  ASSERT_EQ(chmod(directory_.path().c_str(), 0700), 0);
  WriteKey(Issue("server").private_key);
  EXPECT_TRUE(absl::IsInvalidArgument(load()));
  std::filesystem::remove(Key());
  EXPECT_TRUE(absl::IsNotFound(load()));
}

TEST_F(LiveTlsTest, AConnectionHasRoomAgainWhenItsCallsAreOver) {
  Serve();
  const auto channel = Connect();
  for (int64_t i = 0; i < 2 * kMostCallsOfConnection; ++i) ASSERT_NE(Seen(channel), "") << i;
}

}  // namespace
}  // namespace tombola::rpc
