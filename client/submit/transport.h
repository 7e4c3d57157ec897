// The device's side of the wire.
#ifndef TOMBOLA_CLIENT_SUBMIT_TRANSPORT_H_
#define TOMBOLA_CLIENT_SUBMIT_TRANSPORT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "tombola/v1/report.pb.h"
#include "tombola/v1/shuffler.pb.h"

namespace tombola::client {

// One attempt each, no retries. Thread-safe. Tests put a scripted shuffler behind this.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual absl::StatusOr<std::string> GetTask(const TaskId& task, absl::Duration timeout) = 0;
  virtual absl::StatusOr<v1::SignedKeyList> GetKeyList(absl::Duration timeout) = 0;
  virtual absl::StatusOr<v1::SubmitResponse> Submit(const v1::SubmitRequest& request,
                                                    absl::Duration timeout) = 0;
};

struct TransportOptions {
  std::string shuffler;    // host:port
  std::string roots_file;  // PEM
  bool plain_text_on_loopback = false;
};

// Over gRPC with TLS. InvalidArgument: plain text to an address that is not loopback.
absl::StatusOr<std::unique_ptr<Transport>> ConnectToShuffler(const TransportOptions& options);

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_SUBMIT_TRANSPORT_H_
