// Slow peers, many peers, and the end of a server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/http/server.h"
#include "common/http/test_client.h"
#include "common/http/test_server.h"
#include "common/random/secure_random.h"
#include "tests/support/eventually.h"
#include "tests/support/scratch_directory.h"

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
          .answer = absl::Hours(1),
          .stranger_write = absl::Hours(1),
          .stranger_answer = absl::Hours(1)};
}

// Peers that ask for more than fits into the sockets' buffers and read nothing of it. They show a
// role or not.
class Unread {
 public:
  Unread() {
    SecureRandom random;
    token_ = *CreateToken(directory_.In("tokens"), {.role = "analyst", .name = "ada"}, random);
  }
  std::unique_ptr<Server> Serve(const ServerLimits& limits) {
    return StartServer({.tokens = *Tokens::Load(directory_.In("tokens")),
                        .router = TestRouter(held_),
                        .limits = limits});
  }
  std::string Authorization() const {
    return absl::StrCat("Authorization: Bearer ", token_, "\r\n");
  }
  // Asks and waits until the handler is asked.
  Respond Ask(TestClient& client, bool known) const {
    TOMBOLA_CHECK(client.Send(
        absl::StrCat("GET /held HTTP/1.1\r\nHost: t\r\n", known ? Authorization() : "", "\r\n")));
    return held_->Take();
  }
  // The body of an answer that nobody reads; expired when the server has given it up.
  std::weak_ptr<const std::string> Stall(TestClient& client, bool known) const {
    const Respond respond = Ask(client, known);
    auto body = std::make_shared<const std::string>(100 << 20, 'b');
    const std::weak_ptr<const std::string> kept = body;
    respond({.body = std::move(body)});
    return kept;
  }

 private:
  const ScratchDirectory directory_;
  const std::shared_ptr<Held> held_ = std::make_shared<Held>();
  std::string token_;
};

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

TEST(ServerLimitsTest, WhenAllAreBusyTheNextHearsOfHealthAndOfNothingElse) {
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
  TestClient other = *TestClient::Connect(server->port());
  const std::optional<Reply> refused = other.Get("/echo");
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->status, 503);
  EXPECT_THAT(refused->headers, Contains(Pair("retry-after", "1")));
  other.EndSending();
  EXPECT_TRUE(other.Ends());
  TestClient watcher = *TestClient::Connect(server->port());
  const std::optional<Reply> health = watcher.Get("/health");
  ASSERT_TRUE(health.has_value());
  EXPECT_EQ(health->body, "ok");
  EXPECT_THAT(health->headers, Contains(Pair("connection", "close")));
  watcher.EndSending();
  EXPECT_TRUE(watcher.Ends()) << "one answer and no more";
  answers[0](MakeResponse("text/plain", "a"));
  EXPECT_EQ(clients[0].Read()->body, "a");
  EXPECT_TRUE(Eventually([&] {
    TestClient next = *TestClient::Connect(server->port());
    const std::optional<Reply> reply = next.Get("/echo");
    return reply.has_value() && reply->status == 200;
  })) << "there is room again";
  answers[1](MakeResponse("text/plain", "b"));
  EXPECT_EQ(clients[1].Read()->body, "b");
}

TEST(ServerLimitsTest, SilentPeersDoNotFillThePlacesForHealth) {
  ServerLimits limits = Patient();
  limits.connections = 1;
  limits.health_connections = 2;
  const auto held = std::make_shared<Held>();
  const auto server = StartServer({.router = TestRouter(held), .limits = limits});
  TestClient busy = *TestClient::Connect(server->port());
  ASSERT_TRUE(busy.Send(kHeld));
  const Respond respond = held->Take();
  std::vector<TestClient> silent;
  for (int i = 0; i < 10; ++i) silent.push_back(*TestClient::Connect(server->port()));
  TestClient watcher = *TestClient::Connect(server->port());
  EXPECT_EQ(watcher.Get("/health")->body, "ok");
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(silent[static_cast<size_t>(i)].Ends()) << i;
  respond(MakeResponse("text/plain", "done"));
  EXPECT_EQ(busy.Read()->body, "done");
}

TEST(ServerLimitsTest, StrangersWhoDoNotReadMakeRoomAndAnAnalystWhoDoesNotIsLeftAlone) {
  ServerLimits limits = Patient();
  limits.connections = 4;
  Unread unread;
  const auto server = unread.Serve(limits);
  TestClient analyst = *TestClient::Connect(server->port());
  const auto answer = unread.Stall(analyst, /*known=*/true);
  std::vector<TestClient> strangers;
  std::vector<std::weak_ptr<const std::string>> bodies;
  for (int i = 0; i < 3; ++i) {
    strangers.push_back(*TestClient::Connect(server->port()));
    bodies.push_back(unread.Stall(strangers.back(), /*known=*/false));
  }
  // An answer is on its way a moment after the handler gave it: until then nobody makes room.
  std::vector<TestClient> next;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(Eventually([&] {
      TestClient client = *TestClient::Connect(server->port());
      const std::optional<Reply> reply = client.Get("/for/ada/page", unread.Authorization());
      if (!reply.has_value() || reply->status != 200) return false;
      next.push_back(std::move(client));
      return true;
    }));
  }
  for (const auto& body : bodies) EXPECT_TRUE(Eventually([&] { return body.expired(); }));
  EXPECT_FALSE(answer.expired());
  for (TestClient& client : next) {
    EXPECT_EQ(client.Get("/for/ada/page", unread.Authorization())->status, 200);
  }
}

TEST(ServerLimitsTest, WhoShowedATokenOnceIsNotKnownForGood) {
  ServerLimits limits = Patient();
  limits.connections = 2;
  Unread unread;
  const auto server = unread.Serve(limits);
  std::vector<TestClient> once;
  for (int i = 0; i < 2; ++i) {
    once.push_back(*TestClient::Connect(server->port()));
    ASSERT_EQ(once.back().Get("/for/ada/page", unread.Authorization())->status, 200);
    ASSERT_EQ(once.back().Get("/for/ada/page", "")->status, 401);  // as if it were revoked
  }
  EXPECT_TRUE(Eventually([&] {  // an answer ends a moment after it was read
    TestClient next = *TestClient::Connect(server->port());
    const std::optional<Reply> reply = next.Get("/for/ada/page", unread.Authorization());
    return reply.has_value() && reply->status == 200;
  }));
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
  // Because it stands still, and because it takes too long in all; each by a limit of its own, and
  // the other of the two peers is not touched by it.
  const std::pair<absl::Duration ServerLimits::*, bool> kLimits[] = {
      {&ServerLimits::write, true},
      {&ServerLimits::answer, true},
      {&ServerLimits::stranger_write, false},
      {&ServerLimits::stranger_answer, false}};
  for (const auto& [limit, known] : kLimits) {
    ServerLimits limits = Patient();
    limits.*limit = absl::Milliseconds(50);
    Unread unread;
    const auto server = unread.Serve(limits);
    TestClient other = *TestClient::Connect(server->port());
    const auto stays = unread.Stall(other, !known);
    TestClient client = *TestClient::Connect(server->port());
    const auto goes = unread.Stall(client, known);
    EXPECT_TRUE(Eventually([&, &body = goes] { return body.expired(); }));
    EXPECT_FALSE(stays.expired());
  }
}

TEST(ServerLimitsTest, StrangersHaveMuchLessPatience) {
  const ServerLimits limits;
  EXPECT_LE(10 * limits.stranger_write, limits.write);
  EXPECT_LE(10 * limits.stranger_answer, limits.answer);
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
