// Slow peers, many peers, and the end of a server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "common/http/server.h"
#include "common/http/test_client.h"
#include "common/http/test_server.h"

namespace tombola::http {
namespace {

using ::testing::Contains;
using ::testing::Pair;

constexpr absl::string_view kHeld = "GET /held HTTP/1.1\r\nHost: t\r\n\r\n";

// Everything takes as long as it likes, so that a test shows the limit that it sets.
ServerLimits Patient() {
  return {.handshake = absl::Hours(1),
          .request = absl::Hours(1),
          .idle = absl::Hours(1),
          .write = absl::Hours(1),
          .answer = absl::Hours(1)};
}

TEST(ServerLimitsTest, IdleAndHalfSpokenConnectionsStallNobody) {
  const auto server = StartServer({.router = TestRouter(), .limits = Patient()});
  std::vector<TestClient> idle;
  idle.reserve(200);
  for (int i = 0; i < 200; ++i) {
    idle.push_back(*TestClient::Connect(server->port()));
    if (i % 2 == 0) {
      ASSERT_TRUE(idle.back().Send("GET /echo HTTP/1.1\r\nHo"));
    }
  }
  TestClient client = *TestClient::Connect(server->port());
  for (int i = 0; i < 100; ++i) ASSERT_EQ(client.Get("/echo?a")->body, "a=");
  ASSERT_TRUE(idle[0].Send("st: t\r\n\r\n"));
  EXPECT_EQ(idle[0].Read()->status, 200);
  EXPECT_EQ(idle[199].Get("/echo")->status, 200);
}

TEST(ServerLimitsTest, WhenAllAreBusyTheNextIsClosedAtOnce) {
  ServerLimits limits = Patient();
  limits.connections = 2;
  const auto held = std::make_shared<Held>();
  const auto server = StartServer({.router = TestRouter(held), .limits = limits});
  std::vector<TestClient> clients;
  std::vector<Respond> answers;
  for (int i = 0; i < 2; ++i) {
    clients.push_back(*TestClient::Connect(server->port()));
    ASSERT_TRUE(clients.back().Send(kHeld));
    answers.push_back(held->Take());
  }
  EXPECT_TRUE(TestClient::Connect(server->port())->Ends());
  answers[0](MakeResponse("text/plain", "a"));
  EXPECT_EQ(clients[0].Read()->body, "a");
  EXPECT_TRUE(Eventually([&] {
    TestClient next = *TestClient::Connect(server->port());
    return next.Get("/echo").has_value();
  })) << "there is room again";
  answers[1](MakeResponse("text/plain", "b"));
  EXPECT_EQ(clients[1].Read()->body, "b");
}

TEST(ServerLimitsTest, ASilentStrangerMakesRoomAndABusyOneDoesNot) {
  ServerLimits limits = Patient();
  limits.connections = 3;
  const auto held = std::make_shared<Held>();
  const auto server = StartServer({.router = TestRouter(held), .limits = limits});
  TestClient busy = *TestClient::Connect(server->port());
  ASSERT_TRUE(busy.Send(kHeld));
  const Respond respond = held->Take();
  TestClient silent = *TestClient::Connect(server->port());
  TestClient last = *TestClient::Connect(server->port());
  EXPECT_EQ(last.Get("/echo")->status, 200);  // silent for a shorter time
  TestClient next = *TestClient::Connect(server->port());
  EXPECT_EQ(next.Get("/echo")->status, 200);
  EXPECT_TRUE(silent.Ends());
  EXPECT_EQ(last.Get("/echo")->status, 200);
  respond(MakeResponse("text/plain", "at last"));
  EXPECT_EQ(busy.Read()->body, "at last");
}

TEST(ServerLimitsTest, AHeadThatIsTooLongIsRefused) {
  ServerLimits limits = Patient();
  limits.header_bytes = 1000;
  const auto server = StartServer({.router = TestRouter(), .limits = limits});
  const std::string begin = "GET /echo HTTP/1.1\r\nHost: t\r\nX: ";
  TestClient client = *TestClient::Connect(server->port());
  ASSERT_TRUE(client.Send(begin + std::string(1000 - begin.size() - 4, 'x') + "\r\n\r\n"));
  EXPECT_EQ(client.Read()->status, 200);
  ASSERT_TRUE(client.Send(begin + std::string(1000 - begin.size() - 3, 'x') + "\r\n\r\n"));
  EXPECT_EQ(client.Read()->status, 431);
  EXPECT_TRUE(client.Ends());
  // Also if its end never comes.
  TestClient endless = *TestClient::Connect(server->port());
  ASSERT_TRUE(endless.Send("GET /" + std::string(1000, 'x')));
  EXPECT_EQ(endless.Read()->status, 431);
}

TEST(ServerLimitsTest, AnIdleConnectionEnds) {
  ServerLimits limits = Patient();
  limits.idle = absl::Milliseconds(50);
  const auto server = StartServer({.router = TestRouter(), .limits = limits});
  EXPECT_TRUE(TestClient::Connect(server->port())->Ends());
  TestClient client = *TestClient::Connect(server->port());
  ASSERT_TRUE(client.Send("GET /echo HTTP/1.1\r\nHost: t\r\n\r\n"));
  EXPECT_TRUE(client.Ends());
}

TEST(ServerLimitsTest, ARequestThatDoesNotEndIsCutOff) {
  ServerLimits limits = Patient();
  limits.request = absl::Milliseconds(50);
  const auto server = StartServer({.router = TestRouter(), .limits = limits});
  TestClient client = *TestClient::Connect(server->port());
  ASSERT_TRUE(client.Send("GET /echo HTTP/1.1\r\n"));
  EXPECT_TRUE(client.Ends());
}

TEST(ServerLimitsTest, AnAnswerThatNobodyReadsIsGivenUp) {
  // Because it stands still, and because it takes too long in all.
  for (absl::Duration ServerLimits::*limit : {&ServerLimits::write, &ServerLimits::answer}) {
    ServerLimits limits = Patient();
    limits.*limit = absl::Milliseconds(50);
    const auto held = std::make_shared<Held>();
    const auto server = StartServer({.router = TestRouter(held), .limits = limits});
    TestClient client = *TestClient::Connect(server->port());
    ASSERT_TRUE(client.Send(kHeld));
    auto body = std::make_shared<const std::string>(100 << 20, 'b');
    const std::weak_ptr<const std::string> kept = body;
    held->Take()({.body = std::move(body)});
    EXPECT_TRUE(Eventually([&] { return kept.expired(); }));
  }
}

TEST(ServerLimitsTest, AHandlerMayTakeLongerThanTheLimits) {
  ServerLimits limits = Patient();
  limits.request = absl::Milliseconds(20);
  const auto held = std::make_shared<Held>();
  const auto server = StartServer({.router = TestRouter(held), .limits = limits});
  TestClient client = *TestClient::Connect(server->port());
  ASSERT_TRUE(client.Send(kHeld));
  const Respond respond = held->Take();
  // Another connection lives and dies by the limit meanwhile.
  TestClient other = *TestClient::Connect(server->port());
  ASSERT_TRUE(other.Send("GET"));
  EXPECT_TRUE(other.Ends());
  respond(MakeResponse("text/plain", "late"));
  EXPECT_EQ(client.Read()->body, "late");
}

TEST(ServerDrainTest, RequestsUnderWayEndAndIdleConnectionsAtOnce) {
  const auto held = std::make_shared<Held>();
  const auto server = StartServer({.router = TestRouter(held), .limits = Patient()});
  TestClient idle = *TestClient::Connect(server->port());
  ASSERT_EQ(idle.Get("/echo")->status, 200);
  TestClient busy = *TestClient::Connect(server->port());
  ASSERT_TRUE(busy.Send(kHeld));
  const Respond respond = held->Take();
  std::thread drain([&] { server->Drain(absl::Hours(1)); });
  EXPECT_TRUE(idle.Ends());
  EXPECT_FALSE(TestClient::Connect(server->port()).has_value());
  respond(MakeResponse("text/plain", "done"));
  const auto reply = busy.Read();
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->body, "done");
  EXPECT_THAT(reply->headers, Contains(Pair("connection", "close")));
  busy.EndSending();
  EXPECT_TRUE(busy.Ends());
  drain.join();
  server->Drain(absl::Hours(1));  // again: nothing is left to wait for
}

TEST(ServerDrainTest, PatienceEnds) {
  const auto held = std::make_shared<Held>();
  auto server = StartServer({.router = TestRouter(held), .limits = Patient()});
  TestClient client = *TestClient::Connect(server->port());
  ASSERT_TRUE(client.Send(kHeld));
  const Respond respond = held->Take();
  server->Drain(absl::Milliseconds(20));
  EXPECT_TRUE(client.Ends());
  respond(MakeResponse("text/plain", "too late"));
  server.reset();
}

TEST(ServerDrainTest, AnAnswerAfterTheServersEndGoesNowhere) {
  const auto held = std::make_shared<Held>();
  auto server = StartServer({.router = TestRouter(held), .limits = Patient()});
  TestClient client = *TestClient::Connect(server->port());
  ASSERT_TRUE(client.Send(kHeld));
  const Respond respond = held->Take();
  server.reset();
  EXPECT_TRUE(client.Ends());
  respond(MakeResponse("text/plain", "too late"));
}

TEST(ServerDrainTest, AnswersThatRaceWithTheEndDoNoHarm) {
  for (int i = 0; i < 200; ++i) {
    const auto held = std::make_shared<Held>();
    auto server = StartServer({.router = TestRouter(held), .limits = Patient()});
    TestClient client = *TestClient::Connect(server->port());
    ASSERT_TRUE(client.Send(kHeld));
    std::thread answer([respond = held->Take()] { respond(MakeResponse("text/plain", "now")); });
    server.reset();
    answer.join();
  }
}

}  // namespace
}  // namespace tombola::http
