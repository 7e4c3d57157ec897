#include "cli/connect/connection.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/rpc/channel.h"
#include "common/rpc/tls.h"

namespace tombola::cli {
namespace {

absl::Status CheckIdentity(const Config& config, const Identity& identity, absl::string_view role) {
  if (identity.certificate.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(config.file, " must have the member ", role,
                                                   ": this is what a ", role,
                                                   "'s certificate is needed for"));
  }
  if (identity.IsAtHand()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("this needs the certificate of the role ", role,
                                                 ", and ", identity.certificate, " or ",
                                                 identity.private_key, " cannot be read"));
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> ConnectTo(const Config& config,
                                                         absl::string_view member,
                                                         const std::string& address,
                                                         const Identity& identity) {
  if (!address.empty()) return Connect(address, config, identity);
  return absl::InvalidArgumentError(
      absl::StrCat(config.file, " must have the text member ", member));
}

}  // namespace

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

bool MayAskCollector(const Config& config) {
  return config.analyst.IsAtHand() || config.administrator.IsAtHand();
}

bool MayAskShuffler(const Config& config) { return config.operator_.IsAtHand(); }

absl::StatusOr<std::unique_ptr<v1::CollectorAdmin::Stub>> Admin(const Config& config) {
  TOMBOLA_RETURN_IF_ERROR(CheckIdentity(config, config.administrator, "administrator"));
  TOMBOLA_ASSIGN_OR_RETURN(auto channel, ConnectTo(config, "collector_query",
                                                   config.collector_query, config.administrator));
  return v1::CollectorAdmin::NewStub(channel);
}

absl::StatusOr<std::unique_ptr<v1::CollectorQuery::Stub>> Analyst(const Config& config) {
  const bool administrator = !config.analyst.IsAtHand() && config.administrator.IsAtHand();
  const Identity& identity = administrator ? config.administrator : config.analyst;
  TOMBOLA_RETURN_IF_ERROR(CheckIdentity(config, identity, "analyst"));
  TOMBOLA_ASSIGN_OR_RETURN(auto channel,
                           ConnectTo(config, "collector_query", config.collector_query, identity));
  return v1::CollectorQuery::NewStub(channel);
}

absl::StatusOr<std::unique_ptr<v1::ShufflerOperator::Stub>> Operator(const Config& config) {
  TOMBOLA_RETURN_IF_ERROR(CheckIdentity(config, config.operator_, "operator"));
  TOMBOLA_ASSIGN_OR_RETURN(auto channel,
                           ConnectTo(config, "shuffler", config.shuffler, config.operator_));
  return v1::ShufflerOperator::NewStub(channel);
}

absl::StatusOr<std::unique_ptr<v1::Shuffler::Stub>> Device(const Config& config) {
  TOMBOLA_ASSIGN_OR_RETURN(auto channel,
                           ConnectTo(config, "shuffler", config.shuffler, Identity{}));
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

}  // namespace tombola::cli
