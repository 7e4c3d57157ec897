#include "cli/connect/connection.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "common/rpc/channel.h"
#include "common/rpc/tls.h"

namespace tombola::cli {
namespace {

absl::Status CheckIdentity(const Config& config, const Identity& identity, absl::string_view role) {
  if (identity.certificate.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(config.file, " must have the member ", role,
                                                   role == "analyst" ? " or administrator" : "",
                                                   ": this needs the certificate of that role"));
  }
  if (identity.IsAtHand()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("this needs the certificate of the role ", role,
                                                 ", and ", identity.certificate, " or ",
                                                 identity.private_key, " cannot be read"));
}

constexpr absl::Duration kOneTry = absl::Seconds(2);

// Where gRPC says that it tried: "127.0.0.1:7001" of "... ipv4:127.0.0.1:7001: Connection refused".
std::string PeerIn(absl::string_view said) {
  for (const absl::string_view scheme : {"ipv4:", "ipv6:", "unix:"}) {
    const size_t at = said.find(scheme);
    if (at == absl::string_view::npos) continue;
    const absl::string_view rest = said.substr(at + scheme.size());
    return std::string(rest.substr(0, rest.find(": ")));
  }
  return "the address";
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
  if (absl::IsUnimplemented(status)) {
    return absl::UnimplementedError(
        "the daemon at the address that --config names does not know this call: is that the port "
        "of "
        "the other daemon, or of another version?");
  }
  if (!absl::IsUnavailable(status)) return status;
  const absl::string_view said = status.message();
  // What a daemon does that cannot verify a certificate, and one that ends.
  if (said == "Socket closed") {
    return absl::UnavailableError(
        "the daemon closed the connection: is the certificate of another deployment, or did the "
        "daemon end?");
  }
  if (absl::StrContains(said, "DNS resolution failed")) {
    return absl::UnavailableError(
        absl::StrCat("no host has the name that --config has as an address (", said, ")"));
  }
  if (!absl::StartsWith(said, kNobody)) return status;
  const std::string peer = PeerIn(said);
  if (absl::StrContains(said, "Connection refused")) {
    return absl::UnavailableError(
        absl::StrCat("nobody listens at ", peer, ", which --config names: is the daemon running?"));
  }
  if (absl::StrContains(said, "certificate verify failed")) {
    return absl::UnauthenticatedError(
        absl::StrCat("the certificate of the daemon at ", peer,
                     " is none that the file `roots` of --config vouches for: is that of another "
                     "deployment?"));
  }
  if (absl::StrContains(said, "wrong version number")) {
    return absl::UnauthenticatedError(absl::StrCat(
        "what listens at ", peer, " does not speak TLS: is that the port of something else?"));
  }
  return absl::UnavailableError(absl::StrCat("there is no connection to ", peer,
                                             ", which --config names (",
                                             said.substr(kNobody.size()), ")"));
}

absl::Status WhyNoShuffler(const Config& config) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Device(config));
  return Call(*stub, &v1::Shuffler::Stub::GetKeyList, v1::GetKeyListRequest(), kOneTry).status();
}

}  // namespace tombola::cli
