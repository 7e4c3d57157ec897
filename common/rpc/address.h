// host:port as people write it.
#ifndef TOMBOLA_COMMON_RPC_ADDRESS_H_
#define TOMBOLA_COMMON_RPC_ADDRESS_H_

#include <string>

#include "absl/status/statusor.h"

namespace tombola::rpc {

struct Address {
  std::string host;  // a name or a number, without the brackets of [::1]
  int port = 0;
};

// InvalidArgument: it is not host:port, or the port is not from 0 to 65535. The host is not looked
// up.
absl::StatusOr<Address> ParseAddress(const std::string& text);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_ADDRESS_H_
