#include "common/http/router.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace tombola::http {
namespace {

// What the {…} of the pattern stand for in the path; nothing if it does not fit.
std::optional<std::vector<std::string>> Match(absl::string_view pattern, absl::string_view path) {
  const std::vector<absl::string_view> wanted = absl::StrSplit(pattern, '/');
  const std::vector<absl::string_view> found = absl::StrSplit(path, '/');
  if (wanted.size() != found.size()) return std::nullopt;
  std::vector<std::string> segments;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i].empty() && wanted[i].front() == '{') {
      if (found[i].empty()) return std::nullopt;
      segments.emplace_back(found[i]);
    } else if (wanted[i] != found[i]) {
      return std::nullopt;
    }
  }
  return segments;
}

absl::Status Allowed(const std::vector<std::string>& needed, const std::vector<std::string>& roles,
                     bool unknown_token) {
  if (needed.empty()) return absl::OkStatus();
  for (const std::string& role : roles) {
    if (std::find(needed.begin(), needed.end(), role) != needed.end()) return absl::OkStatus();
  }
  const std::string names = absl::StrJoin(needed, " or ");
  if (roles.empty() && unknown_token) {
    return absl::UnauthenticatedError(
        "this bearer token is not known here: it is mistyped, expired, revoked, or of another "
        "start");
  }
  if (roles.empty()) {
    return absl::UnauthenticatedError(
        absl::StrCat("this needs a client certificate or a bearer token with the role ", names));
  }
  return absl::PermissionDeniedError(absl::StrCat("this needs the role ", names));
}

}  // namespace

void Router::Add(Route route) { routes_.push_back(std::move(route)); }

void Router::Otherwise(Handler handler) { otherwise_ = std::move(handler); }

void Router::Tell(Told told) { told_ = std::move(told); }

Respond Router::Telling(const std::string& pattern, Respond respond) const {
  if (!told_) return respond;
  // Copies, since the answer may come when the router is gone.
  return [told = told_, pattern, respond = std::move(respond)](Response response) {
    told(pattern, response.status);
    respond(std::move(response));
  };
}

bool Router::IsHealth(absl::string_view path) const {
  return std::any_of(routes_.begin(), routes_.end(), [path](const Route& route) {
    return route.health && Match(route.pattern, path).has_value();
  });
}

void Router::Serve(Request request, const std::vector<std::string>& roles, Respond respond) const {
  request.roles = roles;
  for (const Route& route : routes_) {
    auto segments = Match(route.pattern, request.path);
    if (!segments.has_value()) continue;
    respond = Telling(route.pattern, std::move(respond));
    if (const absl::Status allowed = Allowed(route.roles, roles, request.unknown_token);
        !allowed.ok()) {
      return respond(ErrorResponse(allowed));
    }
    request.segments = *std::move(segments);
    return route.handler(request, std::move(respond));
  }
  respond = Telling("other", std::move(respond));
  if (otherwise_) return otherwise_(request, std::move(respond));
  respond(ErrorResponse(absl::NotFoundError("there is nothing at this path")));
}

}  // namespace tombola::http
