// Who is who: TLS, certificates and tokens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/crypto/key_file.h"
#include "common/http/server.h"
#include "common/http/test_client.h"
#include "common/http/test_server.h"
#include "common/random/secure_random.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scratch_directory.h"

namespace tombola::http {
namespace {

crypto::CertificateAuthority MakeAuthority() {
  return *crypto::CertificateAuthority::Create("test", absl::Hours(1), absl::Now());
}

crypto::CertificatePem Issue(const crypto::CertificateAuthority& authority,
                             const std::string& role) {
  return *authority.Issue(
      {.common_name = role, .dns_names = {}, .ip_addresses = {"127.0.0.1"}, .role = role});
}

class ServerTlsTest : public ::testing::Test {
 protected:
  ServerTlsTest() {
    directory_.File("ca.pem", authority_.certificate());
    WriteServer(Issue(authority_, "collector"));
    Revoke({});
    ada_ = *CreateToken(Tokens(), {.role = "analyst", .name = "ada"}, random_);
    Start({});
  }

  void Revoke(const std::vector<std::string>& certificates) {
    directory_.File("revoked.pem", *authority_.Revoke(certificates));
  }
  std::string Tokens() const { return directory_.In("tokens"); }
  void WriteServer(const crypto::CertificatePem& pem) {
    TOMBOLA_CHECK(crypto::WriteSecretFile(directory_.In("server.key"), pem.private_key,
                                          crypto::ExistingFile::kReplace)
                      .ok());
    directory_.File("server.pem", pem.certificate);
  }
  void Start(ServerLimits limits) {
    auto identity = tls::Identity::Load(
        {directory_.In("server.pem"), directory_.In("server.key"), directory_.In("ca.pem")});
    auto tokens = http::Tokens::Load(Tokens());
    TOMBOLA_CHECK(identity.ok() && tokens.ok());
    auto revocation =
        tls::FollowRevocation({directory_.In("revoked.pem"), directory_.In("ca.pem")}, metrics_);
    TOMBOLA_CHECK(revocation.ok());
    server_ = StartServer({.identity = *identity,
                           .revocation = *revocation,
                           .tokens = *tokens,
                           .clock = clock_,
                           .router = TestRouter(),
                           .limits = limits});
  }
  std::optional<TestClient> Connect(const crypto::CertificatePem* certificate = nullptr) {
    return TestClient::ConnectTls(server_->port(),
                                  {.roots = authority_.certificate(), .certificate = certificate});
  }
  std::string RolesWith(TestClient client, const std::string& headers = "") {
    const auto reply = client.Get("/roles", headers);
    return reply.has_value() ? reply->body : "no answer";
  }
  static std::string Bearer(const std::string& token) {
    return absl::StrCat("Authorization: Bearer ", token, "\r\n");
  }

  const crypto::CertificateAuthority authority_ = MakeAuthority();
  const ScratchDirectory directory_;
  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>(absl::Now());
  SecureRandom random_;
  Metrics metrics_;
  std::string ada_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTlsTest, WithoutACertificateThereIsNoRole) {
  TestClient client = *Connect();
  EXPECT_EQ(client.Get("/roles")->body, "");
  EXPECT_EQ(client.Get("/for/ada/page")->status, 401);
  EXPECT_EQ(client.protocol(), "http/1.1");
  EXPECT_EQ(client.tls_version(), TLS1_3_VERSION);
}

TEST_F(ServerTlsTest, ACertificateGivesItsRole) {
  const auto analyst = Issue(authority_, "analyst"), monitor = Issue(authority_, "monitor");
  TestClient client = *Connect(&analyst);
  EXPECT_EQ(client.Get("/roles")->body, "analyst");
  EXPECT_EQ(client.Get("/for/ada/page")->body, "ada");
  TestClient other = *Connect(&monitor);
  EXPECT_EQ(other.Get("/for/ada/page")->status, 403);
}

TEST_F(ServerTlsTest, TokensGiveTheirRoleAndAddUpWithCertificates) {
  EXPECT_EQ(RolesWith(*Connect(), Bearer(ada_)), "analyst");
  EXPECT_EQ(RolesWith(*Connect(), absl::StrCat("authorization: bearer  ", ada_, " \r\n")),
            "analyst");
  const auto operator_ = Issue(authority_, "operator"), analyst = Issue(authority_, "analyst");
  EXPECT_EQ(RolesWith(*Connect(&operator_), Bearer(ada_)), "operator,analyst");
  EXPECT_EQ(RolesWith(*Connect(&analyst), Bearer(ada_)), "analyst");
  EXPECT_EQ(RolesWith(*Connect(&operator_), Bearer("x")), "operator");
}

TEST_F(ServerTlsTest, AWrongTokenIsNone) {
  TestClient client = *Connect();
  for (const std::string& headers :
       {Bearer("x"), Bearer(ada_ + "x"), Bearer(ada_.substr(1)), Bearer(""),
        "Authorization: Basic " + ada_ + "\r\n", "Authorization: " + ada_ + "\r\n"}) {
    EXPECT_EQ(client.Get("/for/ada/page", headers)->status, 401) << headers;
  }
  EXPECT_EQ(client.Get("/for/ada/page", Bearer(ada_))->status, 200);
}

TEST_F(ServerTlsTest, ATokenThatIsRevokedOpensNothingAnyMore) {
  TestClient client = *Connect();
  ASSERT_EQ(client.Get("/for/ada/page", Bearer(ada_))->status, 200);
  const std::string bob = *CreateToken(Tokens(), {.role = "analyst", .name = "bob"}, random_);
  EXPECT_EQ(client.Get("/for/ada/page", Bearer(bob))->status, 200);
  ASSERT_TRUE(RevokeToken(Tokens(), "ada").ok());
  EXPECT_EQ(client.Get("/for/ada/page", Bearer(ada_))->status, 401);
  EXPECT_EQ(client.Get("/for/ada/page", Bearer(bob))->status, 200);
}

TEST_F(ServerTlsTest, ATokenThatHasExpiredOpensNothingAnyMore) {
  const std::string bob = *CreateToken(
      Tokens(), {.role = "analyst", .name = "bob", .expires = clock_->Now() + absl::Hours(1)},
      random_);
  TestClient client = *Connect();
  EXPECT_EQ(client.Get("/for/ada/page", Bearer(bob))->status, 200);
  clock_->Advance(absl::Hours(2));
  EXPECT_EQ(client.Get("/for/ada/page", Bearer(bob))->status, 401);
  EXPECT_EQ(client.Get("/for/ada/page", Bearer(ada_))->status, 200);
}

TEST_F(ServerTlsTest, ATokenForTasksSaysWhich) {
  const std::string id(64, 'a');
  const std::string bob =
      *CreateToken(Tokens(), {.role = "analyst", .name = "bob", .tasks = {id}}, random_);
  const auto analyst = Issue(authority_, "analyst");
  TestClient client = *Connect(&analyst);
  EXPECT_EQ(client.Get("/tasks")->body, "");
  EXPECT_EQ(client.Get("/tasks", Bearer(bob))->body, id) << "whatever else was shown";
  EXPECT_EQ(client.Get("/tasks", Bearer(ada_))->body, "");
}

TEST_F(ServerTlsTest, ARevokedCertificateEndsOpenConnectionsAndNewHandshakes) {
  const auto analyst = Issue(authority_, "analyst"), other = Issue(authority_, "analyst");
  TestClient open = *Connect(&analyst), good = *Connect(&other);
  EXPECT_EQ(open.Get("/for/ada/page")->status, 200);
  EXPECT_EQ(good.Get("/for/ada/page")->status, 200);
  Revoke({analyst.certificate});
  // Not even by a token that would be good elsewhere.
  EXPECT_EQ(open.Get("/for/ada/page", Bearer(ada_))->status, 401);
  EXPECT_TRUE(open.Ends());
  EXPECT_EQ(good.Get("/for/ada/page")->status, 200);
  std::optional<TestClient> again = Connect(&analyst);
  EXPECT_FALSE(again.has_value() && again->Get("/echo").has_value());
  EXPECT_EQ(RolesWith(*Connect(&other)), "analyst");
  EXPECT_EQ(RolesWith(*Connect(), Bearer(ada_)), "analyst");
}

TEST_F(ServerTlsTest, AStrangersCertificateEndsTheHandshake) {
  const crypto::CertificateAuthority other = MakeAuthority();
  const auto stranger = Issue(other, "administrator");
  std::optional<TestClient> client = Connect(&stranger);
  EXPECT_FALSE(client.has_value() && client->Get("/echo").has_value());
  TlsClientOptions old{.roots = authority_.certificate(), .certificate = &stranger};
  old.version = TLS1_2_VERSION;
  EXPECT_FALSE(TestClient::ConnectTls(server_->port(), old).has_value());
  EXPECT_EQ(RolesWith(*Connect()), "") << "the server goes on";
}

TEST_F(ServerTlsTest, AClientWithOtherRootsDoesNotTrustTheServer) {
  const crypto::CertificateAuthority other = MakeAuthority();
  EXPECT_FALSE(TestClient::ConnectTls(server_->port(), {.roots = other.certificate()}).has_value());
}

TEST_F(ServerTlsTest, OldVersionsAndOtherProtocolsAreRefused) {
  TlsClientOptions options{.roots = authority_.certificate()};
  options.version = TLS1_2_VERSION;
  EXPECT_EQ(TestClient::ConnectTls(server_->port(), options)->Get("/echo")->status, 200);
  options.version = TLS1_1_VERSION;
  EXPECT_FALSE(TestClient::ConnectTls(server_->port(), options).has_value());
  options.version = 0;
  options.protocols = "\x02h2";
  EXPECT_FALSE(TestClient::ConnectTls(server_->port(), options).has_value());
  options.protocols = "\x02h2\x08http/1.1";
  EXPECT_EQ(TestClient::ConnectTls(server_->port(), options)->protocol(), "http/1.1");
  options.protocols = "";
  EXPECT_EQ(TestClient::ConnectTls(server_->port(), options)->Get("/echo")->status, 200);
  TestClient plain = *TestClient::Connect(server_->port());
  EXPECT_FALSE(plain.Get("/echo").has_value());
}

TEST_F(ServerTlsTest, ANewConnectionSeesTheNewCertificateAndAnOldOneGoesOn) {
  TestClient old = *Connect();
  const std::string first = old.server_certificate();
  const auto next = Issue(authority_, "collector");
  WriteServer(next);
  TestClient fresh = *Connect();
  EXPECT_EQ(fresh.server_certificate(), next.certificate);
  EXPECT_NE(first, next.certificate);
  EXPECT_EQ(old.Get("/echo")->status, 200);
}

TEST_F(ServerTlsTest, NewRootsDecideWhoMayConnect) {
  const crypto::CertificateAuthority other = MakeAuthority();
  const auto member = Issue(authority_, "analyst"), stranger = Issue(other, "operator");
  ASSERT_EQ(RolesWith(*Connect(&member)), "analyst");
  directory_.File("ca.pem", authority_.certificate() + other.certificate());
  EXPECT_EQ(RolesWith(*Connect(&stranger)), "operator") << "there may be several";
  EXPECT_EQ(RolesWith(*Connect(&member)), "analyst");
  directory_.File("ca.pem", other.certificate());
  std::optional<TestClient> client = Connect(&member);
  EXPECT_FALSE(client.has_value() && client->Get("/echo").has_value());
}

TEST_F(ServerTlsTest, AHandshakeThatDoesNotEndIsCutOff) {
  Start({.handshake = absl::Milliseconds(50), .request = absl::Hours(1), .idle = absl::Hours(1)});
  EXPECT_TRUE(TestClient::Connect(server_->port())->Ends());
}

TEST_F(ServerTlsTest, ARefusedBodyIsToldSoOverTlsToo) {
  TestClient client = *Connect();
  ASSERT_TRUE(client.Send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1000000\r\n\r\n"));
  (void)client.Send(std::string(100000, 'x'));
  const auto reply = client.Read();
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->status, 405);
  client.EndSending();
  EXPECT_TRUE(client.Ends());
}

TEST_F(ServerTlsTest, SlowHandshakesStallNobody) {
  Start({.handshake = absl::Hours(1)});
  std::vector<TestClient> silent;
  silent.reserve(100);
  for (int i = 0; i < 100; ++i) silent.push_back(*TestClient::Connect(server_->port()));
  EXPECT_EQ(RolesWith(*Connect(), Bearer(ada_)), "analyst");
}

}  // namespace
}  // namespace tombola::http
