// Which handler answers which path, and who may ask.
#ifndef TOMBOLA_COMMON_HTTP_ROUTER_H_
#define TOMBOLA_COMMON_HTTP_ROUTER_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/http/message.h"

namespace tombola::http {

// Runs on a thread of the server: must not block. What computes for longer hands `respond` on to
// threads of its own.
using Handler = std::function<void(const Request& request, Respond respond)>;

struct Route {
  std::string pattern;             // "/v1/tasks/{id}/status": {…} is one whole segment
  std::vector<std::string> roles;  // any of them; empty: everybody may ask
  Handler handler;
  bool health = false;  // answered even when the server has no room for other questions
};

class Router {
 public:
  // Of two routes that fit a path the one that was added first answers.
  void Add(Route route);
  // For paths that no route has; without it they get 404.
  void Otherwise(Handler handler);
  // Told of every answer, on the thread that gives it: the pattern of its route, `other` where none
  // fits, and its status. A request that was not understood has no route and is not told of.
  using Told = std::function<void(absl::string_view pattern, int status)>;
  void Tell(Told told);
  // Whether the path is answered by a route about health.
  bool IsHealth(absl::string_view path) const;
  // Answers 404, 401 or 403 itself. `roles` are the caller's, of its certificate or token.
  void Serve(Request request, const std::vector<std::string>& roles, Respond respond) const;

 private:
  Respond Telling(const std::string& pattern, Respond respond) const;

  std::vector<Route> routes_;
  Handler otherwise_;
  Told told_;
};

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_ROUTER_H_
