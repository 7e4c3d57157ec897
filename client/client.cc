#include "tombola/client.h"

#include <utility>

#include "absl/time/clock.h"
#include "client/session/session.h"
#include "client/submit/transport.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"
#include "common/random/secure_random.h"

namespace tombola {

absl::StatusOr<std::unique_ptr<Client>> Client::Create(const ClientOptions& options) {
  const auto task = IdFromHex<TaskId>(options.task_id);
  if (!task.has_value()) {
    return absl::InvalidArgumentError("task_id must be 64 hexadecimal digits");
  }
  if (options.timeout <= absl::ZeroDuration()) {
    return absl::InvalidArgumentError("timeout must be above zero");
  }
  client::SessionParts parts;
  TOMBOLA_ASSIGN_OR_RETURN(
      parts.transport,
      client::ConnectToShuffler({.shuffler = options.shuffler,
                                 .roots_file = options.roots_file,
                                 .plain_text_on_loopback = options.plain_text_on_loopback}));
  parts.clock = std::make_shared<SystemClock>();
  parts.pause = [](absl::Duration duration) { absl::SleepFor(duration); };
  parts.make_random = [] { return std::make_unique<SecureRandom>(); };
  client::SessionOptions session_options{
      .task = *task, .policy = options.policy, .ledger_directory = options.ledger_directory};
  session_options.retry.timeout = options.timeout;
  TOMBOLA_ASSIGN_OR_RETURN(auto session,
                           client::Session::Create(session_options, std::move(parts)));
  return std::unique_ptr<Client>(new Client(std::move(session)));
}

Client::Client(std::unique_ptr<client::Session> session) : session_(std::move(session)) {}
Client::~Client() = default;

absl::string_view Client::kind() const { return session_->kind(); }

absl::string_view Client::record_kind() const { return session_->record_kind(); }

absl::Status Client::Report(absl::string_view value, const ReportOptions& options) {
  return session_->Report(value, options);
}

bool Client::Delivered(const std::string& token) const { return session_->Delivered(token); }

absl::Status Client::Flush() { return session_->Flush(); }

absl::Status Client::ReportSet(absl::Span<const std::string> values, const ReportOptions& options) {
  return session_->Report(values, options);
}

absl::Status Client::ReportPairs(absl::Span<const KeyValue> pairs, const ReportOptions& options) {
  return session_->Report(pairs, options);
}

absl::Status Client::ReportNumber(std::optional<double> number, const ReportOptions& options) {
  return session_->Report(number, options);
}

absl::Status Client::ReportRows(absl::Span<const Row> rows, const ReportOptions& options) {
  return session_->Report(rows, options);
}

absl::StatusOr<BulkOutcome> Client::ReportRecords(absl::Span<const Record> records) {
  return session_->ReportRecords(records);
}

absl::StatusOr<BulkOutcome> Client::ReportMany(absl::Span<const std::string> values) {
  return session_->ReportMany(values);
}

}  // namespace tombola
