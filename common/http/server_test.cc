// Requests and answers over plain TCP.
#include "common/http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "common/http/test_client.h"
#include "common/http/test_server.h"
#include "tests/support/eventually.h"

namespace tombola::http {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

class ServerTest : public ::testing::Test {
 protected:
  TestClient Connect() { return *TestClient::Connect(server_->port()); }
  // The answer to these very bytes, on a connection of its own.
  Reply Ask(const std::string& request) {
    TestClient client = Connect();
    EXPECT_TRUE(client.Send(request));
    return client.Read().value_or(Reply{});
  }

  const std::shared_ptr<Held> held_ = std::make_shared<Held>();
  const std::unique_ptr<Server> server_ = StartServer({.router = TestRouter(held_)});
};

TEST_F(ServerTest, AnswersOneRequestAfterTheOtherOnAConnection) {
  TestClient client = Connect();
  EXPECT_EQ(client.Get("/echo?a=%20b")->body, "a= b");
  const auto reply = client.Get("/echo?x=1&x=2");
  EXPECT_EQ(reply->body, "x=1&x=2");
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(client.Get("/for/ada/page")->status, 401);
  EXPECT_EQ(client.Get("/nothing")->status, 404);
  EXPECT_EQ(client.Get("/roles")->body, "") << "without tokens a token is nothing";
}

TEST_F(ServerTest, EveryAnswerHasTheHeadersForBrowsers) {
  for (const char* request :
       {"GET /echo HTTP/1.1\r\nHost: t\r\n\r\n", "GET /nothing HTTP/1.1\r\nHost: t\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: t\r\n\r\n", "nonsense\r\n\r\n"}) {
    const Reply reply = Ask(request);
    EXPECT_THAT(reply.headers, Contains(Pair("x-content-type-options", "nosniff")));
    EXPECT_THAT(reply.headers, Contains(Pair("referrer-policy", "no-referrer")));
    EXPECT_THAT(reply.headers, Contains(Pair("cross-origin-resource-policy", "same-origin")));
    EXPECT_THAT(reply.headers, Contains(Pair("cache-control", "no-store")));
    EXPECT_THAT(reply.headers, Contains(Key("content-length")));
  }
}

TEST_F(ServerTest, WhoComputesLongIsToldWhenNobodyWaits) {
  for (const bool pipelined : {false, true}) {
    Respond respond;
    {
      TestClient client = Connect();
      ASSERT_TRUE(client.Send("GET /held HTTP/1.1\r\nHost: t\r\n\r\n"));
      respond = held_->Take();
      EXPECT_FALSE(held_->Left());
      if (pipelined) {
        ASSERT_TRUE(client.Send("GET /echo HTTP/1.1\r\nHost: t\r\n\r\n"));
      }
    }
    EXPECT_TRUE(Eventually([&] { return held_->Left(); }));
    respond(MakeResponse("text/plain", "nobody"));
  }
  // Of another connection nothing is told, and of this one nothing while it stays.
  TestClient client = Connect();
  ASSERT_TRUE(client.Send("GET /held HTTP/1.1\r\nHost: t\r\n\r\n"));
  const Respond respond = held_->Take();
  ASSERT_TRUE(client.Send("GET /echo?a=1 HTTP/1.1\r\nHost: t\r\n\r\n"));
  EXPECT_FALSE(held_->Left());
  respond(MakeResponse("text/plain", "here"));
  EXPECT_EQ(client.Read()->body, "here");
  EXPECT_EQ(client.Read()->body, "a=1");
}

TEST_F(ServerTest, AHandlersHeadersStandAndCannotAddOthers) {
  TestClient client = Connect();
  ASSERT_TRUE(client.Send("GET /held HTTP/1.1\r\nHost: t\r\n\r\n"));
  Response response = MakeResponse("text/css", "");
  response.status = 304;
  response.headers = {{"Cache-Control", "public"}, {"ETag", "a\r\nSet-Cookie: b"}};
  held_->Take()(response);
  const auto reply = client.Read();
  EXPECT_EQ(reply->status, 304);
  EXPECT_THAT(reply->headers, Contains(Pair("cache-control", "public")));
  EXPECT_THAT(reply->headers, Contains(Pair("etag", "a  Set-Cookie: b")));
  EXPECT_THAT(reply->headers, Not(Contains(Key("content-length"))));
  EXPECT_EQ(client.Get("/echo")->status, 200) << "304 has no body";
}

TEST_F(ServerTest, HeadIsGetWithoutTheBody) {
  TestClient client = Connect();
  ASSERT_TRUE(client.Send("HEAD /echo?a=bc HTTP/1.1\r\nHost: t\r\n\r\n"));
  const auto reply = client.Read(/*head=*/true);
  EXPECT_EQ(reply->status, 200);
  EXPECT_THAT(reply->headers, Contains(Pair("content-length", "4")));
  EXPECT_EQ(client.Get("/echo?d")->body, "d=");
}

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInTheirOrder) {
  TestClient client = Connect();
  ASSERT_TRUE(
      client.Send("GET /held HTTP/1.1\r\nHost: t\r\n\r\nGET /echo?2 HTTP/1.1\r\nHost: t\r\n\r\n"
                  "HEAD /echo HTTP/1.1\r\nHost: t\r\n\r\nGET /echo?4 HTTP/1.1\r\nHo"));
  std::thread([respond = held_->Take()] { respond(MakeResponse("text/plain", "1")); }).join();
  EXPECT_EQ(client.Read()->body, "1");
  EXPECT_EQ(client.Read()->body, "2=");
  EXPECT_EQ(client.Read(/*head=*/true)->status, 200);
  ASSERT_TRUE(client.Send("st: t\r\nConnection: close\r\n\r\n"));
  EXPECT_EQ(client.Read()->body, "4=");
  EXPECT_TRUE(client.Ends());
}

TEST_F(ServerTest, Http10EndsUnlessAskedToStay) {
  TestClient once = Connect();
  ASSERT_TRUE(once.Send("GET /echo HTTP/1.0\r\n\r\n"));
  EXPECT_THAT(once.Read()->headers, Contains(Pair("connection", "close")));
  EXPECT_TRUE(once.Ends());
  TestClient kept = Connect();
  ASSERT_TRUE(kept.Send("GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  EXPECT_THAT(kept.Read()->headers, Contains(Pair("connection", "keep-alive")));
  EXPECT_EQ(kept.Get("/echo")->status, 200);
}

TEST_F(ServerTest, OtherMethodsAreNotAllowed) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "BREW"}) {
    const Reply reply = Ask(std::string(method) + " /echo HTTP/1.1\r\nHost: t\r\n\r\n");
    EXPECT_EQ(reply.status, 405) << method;
    EXPECT_THAT(reply.headers, Contains(Pair("allow", "GET, HEAD")));
  }
  TestClient client = Connect();
  ASSERT_TRUE(client.Send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n"));
  EXPECT_EQ(client.Read()->status, 405);
  EXPECT_EQ(client.Get("/echo")->status, 200);
}

TEST_F(ServerTest, BodiesAreRefusedAndTheRefusalArrives) {
  for (const char* framing :
       {"Content-Length: 1", "Content-Length: 99999999999", "Transfer-Encoding: chunked",
        "Transfer-Encoding: gzip", "Transfer-Encoding: identity",
        "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: xchunked"}) {
    TestClient client = Connect();
    ASSERT_TRUE(
        client.Send(absl::StrCat("GET /echo HTTP/1.1\r\nHost: t\r\n", framing, "\r\n\r\n")));
    // More than the socket's buffers hold unread; the server may have stopped listening by then.
    (void)client.Send(std::string(1 << 20, 'x'));
    const auto reply = client.Read();
    ASSERT_TRUE(reply.has_value()) << framing;
    EXPECT_EQ(reply->status, 413) << framing;
    EXPECT_THAT(reply->headers, Contains(Pair("connection", "close")));
    client.EndSending();
    EXPECT_TRUE(client.Ends());
  }
}

TEST_F(ServerTest, BadRequestsAreToldSo) {
  const std::pair<const char*, int> kBad[] = {
      {"nonsense\r\n\r\n", 400},
      {"GET  /echo HTTP/1.1\r\nHost: t\r\n\r\n", 400},
      {"GET /echo HTTP/1.1\r\n\r\n", 400},
      {"GET /echo HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"GET /echo HTTP/1.1\r\nHost: t\r\nbad header\r\n\r\n", 400},
      {"GET /echo HTTP/1.1\r\nHost: t\r\nContent-Length: x\r\n\r\n", 400},
      {"GET /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
      {"GET /%zz HTTP/1.1\r\nHost: t\r\n\r\n", 400},
      {"GET /a/../b HTTP/1.1\r\nHost: t\r\n\r\n", 400},
      {"GET http://t/echo HTTP/1.1\r\nHost: t\r\n\r\n", 400},
      {"GET /echo HTTP/1.1\r\nHost: t\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n", 400},
      {"GET /echo HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\n\r\n", 417},
      {"GET /echo HTTP/2.0\r\nHost: t\r\n\r\n", 400},
      {"GET /echo HTTP/1.2\r\nHost: t\r\n\r\n", 400}};
  for (const auto& [request, status] : kBad) EXPECT_EQ(Ask(request).status, status) << request;
  EXPECT_THAT(Ask("GET /%zz HTTP/1.1\r\nHost: t\r\n\r\n").body, HasSubstr("\"INVALID_ARGUMENT\""));
}

TEST_F(ServerTest, AHandlerThatForgetsToAnswerIsAnError) {
  TestClient client = Connect();
  EXPECT_EQ(client.Get("/dropped")->status, 500);
  EXPECT_EQ(client.Get("/echo")->status, 200);
}

TEST_F(ServerTest, OnlyTheFirstAnswerCounts) {
  TestClient client = Connect();
  ASSERT_TRUE(client.Send("GET /held HTTP/1.1\r\nHost: t\r\n\r\n"));
  const Respond respond = held_->Take();
  respond(MakeResponse("text/plain", "1"));
  respond(MakeResponse("text/plain", "2"));
  EXPECT_EQ(client.Read()->body, "1");
  EXPECT_EQ(client.Get("/echo?3")->body, "3=");
  respond(MakeResponse("text/plain", "4"));
  EXPECT_EQ(client.Get("/echo?5")->body, "5=");
}

TEST_F(ServerTest, ALargeBodyIsSentFromWhereItIs) {
  std::string text(100 << 20, 'b');
  text += "end";
  const auto body = std::make_shared<const std::string>(std::move(text));
  TestClient client = Connect();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(client.Send("GET /held HTTP/1.1\r\nHost: t\r\n\r\n"));
    held_->Take()({.type = "text/plain", .body = body});
    const auto reply = client.Read();
    ASSERT_TRUE(reply.has_value());
    EXPECT_TRUE(reply->body == *body);
  }
}

TEST(ServerStartTest, PlainTextIsForLoopbackAlone) {
  for (const char* address : {"0.0.0.0:0", "[::]:0", "192.0.2.1:0"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Server::Start({.address = address}).status())) << address;
  }
  for (const char* address : {"127.0.0.1", "127.0.0.1:70000", "", ":1"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Server::Start({.address = address}).status())) << address;
  }
  EXPECT_TRUE(Server::Start({.address = "localhost:0"}).ok());
}

TEST(ServerStartTest, AnAddressInUseIsUnavailable) {
  const auto first = StartServer({});
  const auto second = Server::Start({.address = absl::StrCat("127.0.0.1:", first->port())});
  EXPECT_TRUE(absl::IsUnavailable(second.status())) << second.status();
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("cannot listen on 127.0.0.1:"));
}

}  // namespace
}  // namespace tombola::http
