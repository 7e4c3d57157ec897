#include "cli/connect/connection.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/rpc/channel.h"
#include "common/rpc/tls.h"

namespace tombola::cli {

absl::StatusOr<std::shared_ptr<grpc::Channel>> Connect(const std::string& address,
                                                       const Config& config,
                                                       const Identity& identity) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto credentials,
                           rpc::ChannelTls({.certificate = identity.certificate,
                                            .private_key = identity.private_key,
                                            .roots = config.roots}));
  // A histogram of sixteen million bins.
  return rpc::OpenChannel(address, credentials, {.max_message_bytes = 1 << 30});
}

absl::StatusOr<std::unique_ptr<v1::CollectorAdmin::Stub>> Admin(const Config& config) {
  TOMBOLA_ASSIGN_OR_RETURN(auto channel,
                           Connect(config.collector_query, config, config.administrator));
  return v1::CollectorAdmin::NewStub(channel);
}

absl::StatusOr<std::unique_ptr<v1::CollectorQuery::Stub>> Analyst(const Config& config) {
  TOMBOLA_ASSIGN_OR_RETURN(auto channel, Connect(config.collector_query, config, config.analyst));
  return v1::CollectorQuery::NewStub(channel);
}

absl::StatusOr<std::unique_ptr<v1::ShufflerOperator::Stub>> Operator(const Config& config) {
  TOMBOLA_ASSIGN_OR_RETURN(auto channel, Connect(config.shuffler, config, config.operator_));
  return v1::ShufflerOperator::NewStub(channel);
}

absl::StatusOr<std::unique_ptr<v1::Shuffler::Stub>> Device(const Config& config) {
  TOMBOLA_ASSIGN_OR_RETURN(auto channel, Connect(config.shuffler, config, Identity{}));
  return v1::Shuffler::NewStub(channel);
}

absl::Status Explained(const absl::Status& status) {
  constexpr absl::string_view kNobody = "failed to connect to all addresses; last error: ";
  if (!absl::IsUnavailable(status) || !absl::StartsWith(status.message(), kNobody)) return status;
  return absl::UnavailableError(
      absl::StrCat("nobody answers at the address that --config names, or not with its TLS: is the "
                   "daemon running? (",
                   status.message().substr(kNobody.size()), ")"));
}

absl::StatusOr<TaskId> ParseTaskId(const std::string& hex) {
  const auto id = IdFromHex<TaskId>(hex);
  if (!id.has_value())
    return absl::InvalidArgumentError("--task must be 64 lower-case hexadecimal digits");
  return *id;
}

}  // namespace tombola::cli
