// A server for tests, with paths that show what a handler was asked.
#ifndef TOMBOLA_COMMON_HTTP_TEST_SERVER_H_
#define TOMBOLA_COMMON_HTTP_TEST_SERVER_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "common/base/check.h"
#include "common/base/mutex.h"
#include "common/http/server.h"

namespace tombola::http {

// Requests to /held wait here until the test answers them.
class Held {
 public:
  void Put(Respond respond, std::function<bool()> left) {
    MutexLock lock(mutex_);
    left_ = std::move(left);
    respond_ = std::move(respond);
    came_.NotifyAll();
  }
  // Waits for the next one.
  Respond Take() {
    MutexLock lock(mutex_);
    while (respond_ == nullptr) came_.Wait(mutex_);
    return std::exchange(respond_, nullptr);
  }
  // Whether who asked last has gone.
  bool Left() {
    MutexLock lock(mutex_);
    return left_();
  }

 private:
  Mutex mutex_;
  CondVar came_;
  std::function<bool()> left_ ABSL_GUARDED_BY(mutex_);
  Respond respond_ ABSL_GUARDED_BY(mutex_);
};

// /health says ok even when the server is full, /echo says the query, /roles whom the server sees,
// /tasks what they may read, /held waits, /dropped forgets to answer; /for/{who}/page is for
// analysts.
inline Router TestRouter(const std::shared_ptr<Held>& held = nullptr) {
  Router router;
  router.Add({"/echo", {}, [](const Request& request, const Respond& respond) {
                respond(MakeResponse("text/plain",
                                     absl::StrJoin(request.query, "&", absl::PairFormatter("="))));
              }});
  router.Add({"/roles", {}, [](const Request& request, const Respond& respond) {
                respond(MakeResponse("text/plain", absl::StrJoin(request.roles, ",")));
              }});
  router.Add({"/tasks", {}, [](const Request& request, const Respond& respond) {
                respond(MakeResponse("text/plain", absl::StrJoin(request.tasks, ",")));
              }});
  router.Add(
      {"/health",
       {},
       [](const Request&, const Respond& respond) { respond(MakeResponse("text/plain", "ok")); },
       /*health=*/true});
  router.Add({"/for/{who}/page", {"analyst"}, [](const Request& request, const Respond& respond) {
                respond(MakeResponse("text/plain", request.segments[0]));
              }});
  router.Add({"/held", {}, [held](const Request& request, const Respond& respond) {
                held->Put(respond, request.left);
              }});
  router.Add({"/dropped", {}, [](const Request&, const Respond&) {}});
  return router;
}

inline std::unique_ptr<Server> StartServer(ServerOptions options) {
  options.address = "127.0.0.1:0";
  auto server = Server::Start(std::move(options));
  TOMBOLA_CHECK(server.ok());
  return *std::move(server);
}

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_TEST_SERVER_H_
