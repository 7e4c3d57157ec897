// Calls to the daemons in the roles that tombola.json gives the caller.
#ifndef TOMBOLA_CLI_CONNECT_CONNECTION_H_
#define TOMBOLA_CLI_CONNECT_CONNECTION_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/connect/config.h"
#include "common/base/ids.h"
#include "common/base/status_macros.h"
#include "common/rpc/status.h"
#include "tombola/v1/collector.grpc.pb.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola::cli {

absl::StatusOr<std::shared_ptr<grpc::Channel>> Connect(const std::string& address,
                                                       const Config& config,
                                                       const Identity& identity);

// In a role, whose certificate must be at hand: InvalidArgument names the member that is absent and
// the file that cannot be read.
absl::StatusOr<std::unique_ptr<v1::CollectorAdmin::Stub>> Admin(const Config& config);
// As analyst, or as administrator, who may ask the same.
absl::StatusOr<std::unique_ptr<v1::CollectorQuery::Stub>> Analyst(const Config& config);
absl::StatusOr<std::unique_ptr<v1::ShufflerOperator::Stub>> Operator(const Config& config);
absl::StatusOr<std::unique_ptr<v1::Shuffler::Stub>> Device(const Config& config);

// Whether the caller has a role that Analyst or Operator takes.
bool MayAskCollector(const Config& config);
bool MayAskShuffler(const Config& config);

// A status for people: where gRPC only says that it could not connect, what to look at.
// Unauthenticated: there is somebody, and no waiting makes it whom the file means.
absl::Status Explained(const absl::Status& status);

// What one call to the shuffler as a device meets, within two seconds, as Explained says it.
absl::Status WhyNoShuffler(const Config& config);

// One call: `method` is a member of `stub`.
template <typename Response, typename Stub, typename Request, typename Base>
absl::StatusOr<Response> Call(Stub& stub,
                              grpc::Status (Base::*method)(grpc::ClientContext*, const Request&,
                                                           Response*),
                              const Request& request, absl::Duration timeout = absl::Minutes(2)) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
  Response response;
  TOMBOLA_RETURN_IF_ERROR(Explained(rpc::FromGrpc((stub.*method)(&context, request, &response))));
  return response;
}

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_CONNECT_CONNECTION_H_
