// Telling whoever started a daemon that it takes calls, and where.
#ifndef TOMBOLA_COMMON_RPC_READY_H_
#define TOMBOLA_COMMON_RPC_READY_H_

#include <string>
#include <utility>
#include <vector>

namespace tombola::rpc {

// Writes one line of JSON, {"port":123,...}, to the file descriptor and closes it. Nothing if it is
// negative.
void SayReady(int fd, const std::vector<std::pair<std::string, int>>& ports);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_READY_H_
