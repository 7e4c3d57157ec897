// The SDK: what an application embeds to report values.
#ifndef TOMBOLA_CLIENT_PUBLIC_TOMBOLA_CLIENT_H_
#define TOMBOLA_CLIENT_PUBLIC_TOMBOLA_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "tombola/policy.h"
#include "tombola/record.h"

namespace tombola {

namespace client {
class Session;
}  // namespace client

struct ClientOptions {
  // The shuffler, host:port. Devices never talk to the collector.
  std::string shuffler = {};
  // A PEM file with the certificates that may vouch for the shuffler.
  std::string roots_file = {};
  // The task's id, 64 hexadecimal digits. It is the hash of the task, so whoever hands out the id
  // vouches for everything in it.
  std::string task_id = {};
  Policy policy = {};
  // Where the device remembers what it has spent and what it has yet to deliver. Empty: it
  // remembers only while this object lives, which is right for simulations and gateways only.
  std::string ledger_directory = {};
  // How long one exchange with the shuffler may take, retries included. Report makes one, and one
  // more if an earlier submission waits and one if the keys are due; ReportMany one for each
  // thousand values.
  absl::Duration timeout = absl::Seconds(30);
  // No TLS. Refused unless the shuffler is on the loopback interface.
  bool plain_text_on_loopback = false;
};

struct ReportOptions {
  // Names this submission for the caller, who may then ask for it again without fear: a token
  // stands for one submission of the task for good, whatever value comes with it later. Choose it
  // without looking at the value (the survey's name, the day); it stays on the device, as a digest.
  // Empty: every call is a submission of its own.
  std::string token = {};
};

// What became of many submissions.
struct BulkOutcome {
  int64_t accepted = 0;
  // Known to the shuffler from an earlier try: counted once.
  int64_t duplicates = 0;
  // Outside the task's domain, or refused by the shuffler for themselves.
  int64_t rejected = 0;
  // Which of the values that were given are outside the domain, by their places, and what is wrong
  // with each.
  std::vector<size_t> outside = {};
  std::vector<std::string> why = {};
};

// Reports values of one task through the shuffler.
//
// Privacy: a value is randomised, or hidden among dummies, as the task's mechanism says, then
// sealed for the collector; neither the value nor anything of the device leaves it otherwise. A
// hash function is drawn anew for every report. Several reports of one submission are sealed apart,
// in an order drawn at random; how many they are does not depend on the value.
//
// Thread safety: all methods may be called from any thread.
//
// In a task with memos (docs/longitudinal.md) what is drawn of a value is kept in the ledger, which
// is therefore needed, and said again; the ledger then tells who reads it which values had a memo.
// A device that holds more values than the task has memos goes on with its last one. ReportMany and
// ReportRecords are of devices that report once.
//
// How many submissions a device makes, when, and how long they are never depends on its values,
// repeated or changed: whoever watches the line, cuts an answer and counts learns nothing of them.
// (But a value outside the domain is not sent, unless the task has one for all others.)
//
// Idempotency: a submission gets a random id once and keeps it in every retry, so that it is
// counted once. With a ledger this holds across restarts too: the sealed submission is on disk
// before it is first sent, and is sent again, unchanged, until it is acknowledged. Across calls of
// Report the caller's token does the same; a second call without one is a second submission, of
// the same value too.
//
// Errors: InvalidArgument, the value, an option or the task is wrong, and trying again is of no
// use. FailedPrecondition, the task is weaker than the policy, is not open, or the device's
// submissions are spent, or the shuffler refused the submission for good. NotFound, the shuffler
// knows no such task yet. Unauthenticated, a key or a task is not what it says. Internal, the
// shuffler's answer is none. DataLoss, the ledger is damaged. ResourceExhausted, Unavailable or
// DeadlineExceeded, the shuffler could not be reached in time; a submission that was begun is kept,
// with a ledger over restarts too, and goes out with the next call. If an earlier one still waits
// the message says so, and this one was not begun.
//
// Performance: a report costs two X25519 operations here, about 0.1 ms, and a submission one round
// trip; with ReportMany a round trip serves up to a thousand.
class Client {
 public:
  // Fetches the task and the collector's keys from the shuffler and checks both against the policy.
  static absl::StatusOr<std::unique_ptr<Client>> Create(const ClientOptions& options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // What the task asks of a device, by the name of its kind: "histogram".
  absl::string_view kind() const;
  // Of a stream the name of the kind that says what a device has in one period: which of the calls
  // below takes it. Of other tasks, and of streams of values, kind().
  absl::string_view record_kind() const;

  // One submission of this device, of a task that takes one value: a histogram, a stream, strings.
  // OK: it is on the shuffler's disk.
  //
  // What an earlier call left undelivered goes out first, as it is. If that was the submission of
  // the same token, its outcome is this call's, and `value` is not looked at; the same holds for
  // one of this token that ended earlier (OK, or FailedPrecondition if the shuffler refused it for
  // good). Else a new submission is made of `value`, if the budget lasts.
  absl::Status Report(absl::string_view value, const ReportOptions& options = {});
  // The same of a task whose kind is a set: the values that the device holds, none of them too. One
  // that is there twice counts once; of more than the task's max_items a uniform choice is sent.
  absl::Status ReportSet(absl::Span<const std::string> values, const ReportOptions& options = {});
  // The same of a task of key-value pairs. InvalidArgument, naming the key: a number that is NaN or
  // outside the task's range, a key with two different numbers.
  absl::Status ReportPairs(absl::Span<const KeyValue> pairs, const ReportOptions& options = {});

  // The same of a task about numbers; nullopt: this device has none. InvalidArgument, naming the
  // bounds: a number that is NaN or outside the task's range, or none where the task asks every
  // device for one.
  absl::Status ReportNumber(std::optional<double> number, const ReportOptions& options = {});
  // The same of a task of records: all that the device has, none of them too; of more than the
  // task's max_records a uniform choice is sent. A row has a field for each attribute and each
  // measure of the task. InvalidArgument, naming the field and its bounds: one is missing or
  // outside.
  absl::Status ReportRows(absl::Span<const Row> rows, const ReportOptions& options = {});

  // Whether the submission of this token has been acknowledged: Report would send nothing. False
  // for an empty token, and without a ledger for one of an earlier life.
  bool Delivered(const std::string& token) const;

  // Delivers what an earlier call or an earlier life of the process left in the ledger.
  absl::Status Flush();

  // One submission for each value, each by a device of its own: for a gateway or a load generator
  // that speaks for many devices and keeps their budgets itself. Values outside the domain are
  // counted as rejected; the others are sent in calls of at most 1,000. After an error the values
  // of earlier calls are delivered, those of the failed one are in doubt (it may have arrived), and
  // later ones were not sent: whoever must know passes at most 1,000 values at a time.
  absl::StatusOr<BulkOutcome> ReportMany(absl::Span<const std::string> values);
  // The same for tasks of any kind.
  absl::StatusOr<BulkOutcome> ReportRecords(absl::Span<const Record> records);

 private:
  explicit Client(std::unique_ptr<client::Session> session);

  std::unique_ptr<client::Session> session_;
};

}  // namespace tombola

#endif  // TOMBOLA_CLIENT_PUBLIC_TOMBOLA_CLIENT_H_
