#include "common/rpc/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tombola::rpc {

absl::StatusOr<Address> ParseAddress(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    return absl::InvalidArgumentError(absl::StrCat(text, " is not host:port"));
  }
  Address address;
  if (!absl::SimpleAtoi(text.substr(colon + 1), &address.port) || address.port < 0 ||
      address.port > 65535) {
    return absl::InvalidArgumentError(absl::StrCat(text, ": the port must be from 0 to 65535"));
  }
  address.host = text.substr(0, colon);
  if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']') {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  return address;
}

bool IsLoopback(absl::string_view address) {
  const absl::StatusOr<Address> parsed = ParseAddress(std::string(address));
  if (!parsed.ok()) return false;
  if (parsed->host == "localhost") return true;
  in_addr four{};
  if (inet_pton(AF_INET, parsed->host.c_str(), &four) == 1) {
    return ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  in6_addr six{};
  if (inet_pton(AF_INET6, parsed->host.c_str(), &six) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&six) ||
         (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == IN_LOOPBACKNET);
}

absl::Status CheckListeningAddress(absl::string_view setting, const std::string& text) {
  const absl::StatusOr<Address> address = ParseAddress(text);
  if (!address.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(setting, ": ", address.status().message()));
  }
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  const int error =
      getaddrinfo(address->host.c_str(), absl::StrCat(address->port).c_str(), &hints, &found);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  if (error == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(setting, ": ", text, ": ", gai_strerror(error)));
}

}  // namespace tombola::rpc
