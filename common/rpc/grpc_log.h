// gRPC's own complaints: counted, and never more than a line a second.
#ifndef TOMBOLA_COMMON_RPC_GRPC_LOG_H_
#define TOMBOLA_COMMON_RPC_GRPC_LOG_H_

#include <grpc/support/log.h>

#include <cstdint>
#include <string>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"

namespace tombola::rpc {

// gRPC writes a line of its own form for every handshake that breaks off, which a stranger can make
// as many of as there is room on the disk. What its lines say is not kept: it may have an address
// in it. Thread-safe.
class GrpcLog {
 public:
  // What gRPC would have written. The words of a failed assertion, which ends the process, are
  // logged at once.
  void Add(const gpr_log_func_args& line);
  // Logs what has come since the last call: how many handshakes failed, and how many other
  // complaints there were, with the place in gRPC's sources of the first.
  void Step();

 private:
  Mutex mutex_;
  int64_t handshakes_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t others_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string source_ ABSL_GUARDED_BY(mutex_);
};

// From now on gRPC's lines go there, with a Step a second on a thread of its own, for the rest of
// the process. Further calls do nothing.
void CountGrpcLog();

// None of gRPC's own lines but failed assertions, for a program whose own messages say as much.
void SilenceGrpcLog();

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_GRPC_LOG_H_
