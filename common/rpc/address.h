// host:port as people write it.
#ifndef TOMBOLA_COMMON_RPC_ADDRESS_H_
#define TOMBOLA_COMMON_RPC_ADDRESS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tombola::rpc {

struct Address {
  std::string host;  // a name or a number, without the brackets of [::1]
  int port = 0;
};

// InvalidArgument: it is not host:port, or the port is not from 0 to 65535. The host is not looked
// up.
absl::StatusOr<Address> ParseAddress(const std::string& text);

// Whether host:port is on the loopback interface: 127.0.0.0/8, ::1, or the former as an IPv6
// address, in numbers, or `localhost`. No other name is, whatever it looks like: what it stands for
// is somebody else's to say.
bool IsLoopback(absl::string_view address);

// OK for host:port with a host that can be looked up. InvalidArgument names the setting that it
// came from. Whether it can be listened on shows when that is tried.
absl::Status CheckListeningAddress(absl::string_view setting, const std::string& text);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_ADDRESS_H_
