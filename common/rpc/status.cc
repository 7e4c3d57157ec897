#include "common/rpc/status.h"

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "common/base/retry_after.h"
#include "status_details.pb.h"

namespace tombola::rpc {
namespace {

constexpr char kRetryInfoType[] = "type.googleapis.com/google.rpc.RetryInfo";

std::string Details(const absl::Status& status, absl::Duration wait) {
  RetryInfo info;
  info.mutable_retry_delay()->set_seconds(
      absl::IDivDuration(wait, absl::Seconds(1), &wait));  // leaves the rest in `wait`
  info.mutable_retry_delay()->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(wait)));
  StatusDetails details;
  details.set_code(static_cast<int32_t>(status.code()));
  details.set_message(std::string(status.message()));
  google::protobuf::Any* any = details.add_details();
  any->set_type_url(kRetryInfoType);
  any->set_value(info.SerializeAsString());
  return details.SerializeAsString();
}

std::optional<absl::Duration> RetryDelay(const std::string& bytes) {
  StatusDetails details;
  if (bytes.empty() || !details.ParseFromString(bytes)) return std::nullopt;
  for (const google::protobuf::Any& any : details.details()) {
    RetryInfo info;
    if (any.type_url() != kRetryInfoType || !info.ParseFromString(any.value())) continue;
    return absl::Seconds(info.retry_delay().seconds()) +
           absl::Nanoseconds(info.retry_delay().nanos());
  }
  return std::nullopt;
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status();
  const auto code = static_cast<grpc::StatusCode>(status.code());
  const std::optional<absl::Duration> wait = RetryAfter(status);
  if (!wait.has_value()) return grpc::Status(code, std::string(status.message()));
  return grpc::Status(code, std::string(status.message()), Details(status, *wait));
}

absl::Status FromGrpc(const grpc::Status& status) {
  absl::Status result(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  const std::optional<absl::Duration> wait = RetryDelay(status.error_details());
  if (wait.has_value()) SetRetryAfter(*wait, &result);
  return result;
}

}  // namespace tombola::rpc
