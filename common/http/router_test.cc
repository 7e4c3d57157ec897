#include "common/http/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/retry_after.h"

namespace tombola::http {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

Handler Saying(const std::string& what) {
  return
      [what](const Request&, const Respond& respond) { respond(MakeResponse("text/plain", what)); };
}

// The answer to a path, given at once.
Response Ask(const Router& router, const std::string& path,
             const std::vector<std::string>& roles = {}) {
  Response answer;
  router.Serve({.path = path}, roles, [&](Response response) { answer = std::move(response); });
  return answer;
}

TEST(RouterTest, MatchesWholeSegments) {
  Router router;
  Request seen;
  router.Add({"/v1/tasks", {}, Saying("list")});
  router.Add({"/v1/tasks/{id}/{what}", {}, [&](const Request& request, const Respond& respond) {
                seen = request;
                respond(MakeResponse("text/plain", "two"));
              }});
  EXPECT_EQ(*Ask(router, "/v1/tasks").body, "list");
  EXPECT_EQ(*Ask(router, "/v1/tasks/a b/c").body, "two");
  EXPECT_THAT(seen.segments, ElementsAre("a b", "c"));
  for (const char* path : {"/", "/v1/tasks/", "/v1/tasks/a", "/v1/tasks//c", "/v1/tasks/a/b/c",
                           "/V1/tasks", "//v1/tasks"}) {
    EXPECT_EQ(Ask(router, path).status, 404) << path;
  }
}

TEST(RouterTest, TheFirstThatFitsAnswers) {
  Router router;
  router.Add({"/a/b", {}, Saying("exact")});
  router.Add({"/a/{x}", {}, Saying("any")});
  router.Otherwise(Saying("rest"));
  EXPECT_EQ(*Ask(router, "/a/b").body, "exact");
  EXPECT_EQ(*Ask(router, "/a/c").body, "any");
  EXPECT_EQ(*Ask(router, "/c").body, "rest");
}

TEST(RouterTest, WantsOneOfTheRoles) {
  Router router;
  router.Add({"/metrics", {"monitor", "operator"}, Saying("m")});
  const Response nobody = Ask(router, "/metrics");
  EXPECT_EQ(nobody.status, 401);
  EXPECT_THAT(nobody.headers, ElementsAre(Pair("WWW-Authenticate", "Bearer")));
  EXPECT_THAT(*nobody.body, HasSubstr("monitor or operator"));
  EXPECT_EQ(Ask(router, "/metrics", {"analyst"}).status, 403);
  EXPECT_EQ(Ask(router, "/metrics", {"analyst", "operator"}).status, 200);
}

TEST(RouterTest, SaysThatATokenIsNotKnown) {
  Router router;
  router.Add({"/metrics", {"monitor"}, Saying("m")});
  Response answer;
  router.Serve({.path = "/metrics", .unknown_token = true}, {},
               [&](Response response) { answer = std::move(response); });
  EXPECT_EQ(answer.status, 401);
  EXPECT_THAT(*answer.body, HasSubstr("not known here"));
}

TEST(RouterTest, TellsOfEveryAnswer) {
  Router router;
  router.Add({"/a/{x}", {"analyst"}, Saying("a")});
  std::vector<std::string> told;
  router.Tell([&](absl::string_view pattern, int status) {
    told.push_back(absl::StrCat(pattern, " ", status));
  });
  Ask(router, "/a/b", {"analyst"});
  Ask(router, "/a/b");
  Ask(router, "/a/b", {"monitor"});
  Ask(router, "/c");
  EXPECT_THAT(told, ElementsAre("/a/{x} 200", "/a/{x} 401", "/a/{x} 403", "other 404"));
}

TEST(MessageTest, ErrorsAreJsonWithTheStatusThatFits) {
  const Response response = ErrorResponse(absl::NotFoundError("no \"x\"\xff"));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.type, "application/json");
  EXPECT_EQ(*response.body,
            "{\"error\":{\"status\":\"NOT_FOUND\",\"message\":\"no \\\"x\\\"\xef\xbf\xbd\"}}\n");
  const std::pair<absl::StatusCode, int> kCodes[] = {
      {absl::StatusCode::kInvalidArgument, 400},    {absl::StatusCode::kOutOfRange, 400},
      {absl::StatusCode::kUnauthenticated, 401},    {absl::StatusCode::kPermissionDenied, 403},
      {absl::StatusCode::kFailedPrecondition, 409}, {absl::StatusCode::kResourceExhausted, 429},
      {absl::StatusCode::kUnavailable, 503},        {absl::StatusCode::kInternal, 500},
      {absl::StatusCode::kDataLoss, 500},           {absl::StatusCode::kOk, 500}};
  for (const auto& [code, status] : kCodes) {
    EXPECT_EQ(ErrorResponse(absl::Status(code, "m")).status, status);
  }
}

TEST(MessageTest, SaysHowLongToWaitInWholeSeconds) {
  absl::Status busy = absl::ResourceExhaustedError("busy");
  EXPECT_THAT(ErrorResponse(busy).headers, IsEmpty());
  SetRetryAfter(absl::Milliseconds(1200), &busy);
  EXPECT_THAT(ErrorResponse(busy).headers, ElementsAre(Pair("Retry-After", "2")));
  SetRetryAfter(absl::ZeroDuration(), &busy);
  EXPECT_THAT(ErrorResponse(busy).headers, Contains(Pair("Retry-After", "1")));
}

}  // namespace
}  // namespace tombola::http
