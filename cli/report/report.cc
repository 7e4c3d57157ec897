// tombola report
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cli/command/command.h"
#include "cli/connect/config.h"
#include "cli/connect/connection.h"
#include "cli/connect/named_task.h"
#include "cli/connect/slow_connection.h"
#include "cli/report/device_lines.h"
#include "cli/report/line_reader.h"
#include "cli/report/records_join.h"
#include "cli/report/report_many.h"
#include "common/base/ids.h"
#include "common/base/retry_after.h"
#include "common/base/status_macros.h"
#include "common/config/flag_values.h"
#include "common/kind/histogram.h"
#include "common/kind/of_kind.h"
#include "common/kind/records.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"
#include "common/table/filling.h"
#include "tombola/client.h"

namespace tombola::cli {
namespace {

struct Options {
  std::string config;
  std::string task;
  std::string value;
  std::string input;
  std::string ledger;
  std::string token;
  std::string schema;
  Policy policy{.max_epsilon = std::numeric_limits<double>::infinity(),
                .max_delta = 0.999999,
                .max_total_epsilon = std::numeric_limits<double>::infinity(),
                .max_total_delta = 1,
                .max_local_epsilon = std::numeric_limits<double>::infinity(),
                .min_batch = 2,
                .max_submissions = 1000};
  int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  bool json = false;
  bool strict = false;
};

void Show(const ManyOutcome& outcome, bool json) {
  if (json) {
    Print(Json{{"accepted", outcome.accepted},
               {"duplicates", outcome.duplicates},
               {"rejected", outcome.rejected}});
  } else {
    std::cout << "accepted " << outcome.accepted << ", duplicates " << outcome.duplicates
              << ", rejected " << outcome.rejected << "\n";
  }
}

// Where all are, their keys are likely written otherwise than in the table.
void TellLeftOut(int64_t rows) {
  if (rows == 0) return;
  std::cerr << "tombola: " << rows << (rows == 1 ? " row has a key" : " rows have keys")
            << " that a table does not have, and " << (rows == 1 ? "is" : "are") << " left out\n";
}

// How a line of this task's devices is read. `left_out` outlives the reader, which adds to it how
// many rows were left out by joins.
absl::StatusOr<DeviceLines::Read> ReaderFor(const Client& client, const Options& options,
                                            int64_t* left_out) {
  if (options.schema.empty()) return OfKind(AllLineReaders(), client.record_kind()).read;
  if (client.kind() != RecordsKind::kName) {
    return absl::InvalidArgumentError(
        absl::StrCat("--schema is for tasks of records; this one is of the kind ", client.kind()));
  }
  TOMBOLA_ASSIGN_OR_RETURN(RecordsJoin join, RecordsJoin::Read(options.schema));
  return [join = std::move(join), left_out](absl::string_view line) {
    return join.ReadLine(line, left_out);
  };
}

// A value of a histogram or of a stream of values, and a string, as they stand; of other kinds as a
// line of --input has it.
absl::Status ReportOne(Client& client, const Options& options) {
  const ReportOptions with{.token = options.token};
  if (client.record_kind() == Histogram::kName || client.record_kind() == StreamKind::kName ||
      client.record_kind() == StringsKind::kName) {
    return client.Report(options.value, with);
  }
  int64_t left_out = 0;
  TOMBOLA_ASSIGN_OR_RETURN(const DeviceLines::Read reader, ReaderFor(client, options, &left_out));
  const auto read = reader(options.value);
  if (!read.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--value: ", read.status().message()));
  }
  TellLeftOut(left_out);
  if (const auto* const values = std::get_if<std::vector<std::string>>(&*read)) {
    return client.ReportSet(*values, with);
  }
  if (const auto* const number = std::get_if<std::optional<double>>(&*read)) {
    return client.ReportNumber(*number, with);
  }
  if (const auto* const rows = std::get_if<std::vector<Row>>(&*read)) {
    return client.ReportRows(*rows, with);
  }
  return client.ReportPairs(std::get<std::vector<KeyValue>>(*read), with);
}

absl::StatusOr<Clients> Connect(const Config& config, const ClientOptions& options, int threads) {
  const SlowConnection saying(config);
  return CreateClients(options, threads);
}

absl::Status RunOne(const Config& config, const ClientOptions& client_options,
                    const Options& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Clients clients, Connect(config, client_options, /*threads=*/1));
  Client& client = *clients.front();
  const bool before = client.Delivered(options.token);
  TOMBOLA_RETURN_IF_ERROR(ReportOne(client, options));
  Show(before ? ManyOutcome{.duplicates = 1} : ManyOutcome{.accepted = 1}, options.json);
  return absl::OkStatus();
}

absl::Status RunFile(const Config& config, const ClientOptions& client_options,
                     const Options& options) {
  std::ifstream file;
  if (options.input != "-") {
    if (std::filesystem::is_directory(options.input)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--input: ", options.input, " is a directory"));
    }
    file.open(options.input);
    if (!file) return absl::NotFoundError(absl::StrCat("cannot open ", options.input));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const Clients clients, Connect(config, client_options, options.threads));
  int64_t left_out = 0;
  TOMBOLA_ASSIGN_OR_RETURN(const DeviceLines::Read reader,
                           ReaderFor(*clients.front(), options, &left_out));
  Progress progress("devices", 0);
  ManyOutcome outcome;
  DeviceLines lines(options.input == "-" ? std::cin : file, reader);
  const absl::Status status = ReportMany(
      clients, [&lines](size_t limit) { return lines.Next(limit); }, &progress, &outcome);
  if (!status.ok()) {
    return WithMessage(absl::StrCat(status.message(), " (", outcome.accepted,
                                    " devices were acknowledged; of the calls that failed nobody "
                                    "knows, so the same lines again may count twice)"),
                       status);
  }
  const std::vector<std::string> complaints = NotSent(lines, outcome);
  outcome.rejected += lines.bad();
  if (outcome.accepted + outcome.duplicates == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--input: no line of ", options.input, " is among the task's values: nothing was sent",
        complaints.empty() ? "" : absl::StrCat("; ", complaints.front()),
        outcome.rejected > 1 ? absl::StrCat(", and ", outcome.rejected - 1, " more") : ""));
  }
  progress.Finish();
  Show(outcome, options.json);
  TellLeftOut(left_out);
  if (outcome.rejected == 0) return absl::OkStatus();
  for (const std::string& complaint : complaints) std::cerr << "tombola: " << complaint << "\n";
  const bool one = outcome.rejected == 1;
  std::cerr << "tombola: " << outcome.rejected << (one ? " line was" : " lines were")
            << " not sent; the others were, so send only " << (one ? "that one" : "those")
            << " again\n";
  if (!options.strict) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--strict: ", outcome.rejected,
                                                 one ? " line is" : " lines are",
                                                 " not among the task's values"));
}

absl::Status RunReport(const Options& options, bool one) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId task, FindTask(config, "--task", options.task));
  // The keys that the deployment's file names are the ones the device expects.
  const auto collector_key = IdFromHex<std::array<uint8_t, 32>>(config.collector_key);
  const auto shuffler_key = IdFromHex<std::array<uint8_t, 32>>(config.shuffler_key);
  if (!collector_key.has_value() || !shuffler_key.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        config.file,
        " must have the members collector_key and shuffler_key, 64 lower-case hexadecimal "
        "digits each: the keys that a device expects"));
  }
  Policy policy = options.policy;
  policy.collector_key = std::string(AsView(*collector_key));
  policy.shuffler_key = std::string(AsView(*shuffler_key));
  const ClientOptions client_options{.shuffler = config.shuffler,
                                     .roots_file = config.roots,
                                     .task_id = ToHex(task),
                                     .policy = policy,
                                     .ledger_directory = options.ledger};
  return one ? RunOne(config, client_options, options) : RunFile(config, client_options, options);
}

}  // namespace

void AddReport(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<Options>();
  CLI::App* report = app.add_subcommand(
      "report", "Report as one device (--value) or as one device for each line (--input)");
  AddConfigFlag(*report, &options->config);
  report->add_option("--task", options->task, kTaskFlagHelp)->required();
  auto* value = report->add_option("--value", options->value, "This device's value");
  auto* input = report->add_option("--input", options->input,
                                   "File with one device a line, - for standard input: JSON Lines, "
                                   "{\"value\": \"red\"}, or the value as it stands; a set as "
                                   "[\"a\", \"b\"], key-value pairs as {\"a\": 0.5}, a number "
                                   "as 0.5, or null where there is none, records as "
                                   "[{\"age\": 31, \"city\": \"Oslo\"}]");
  value->excludes(input);
  report->add_option("--schema", options->schema,
                     "records: the task's schema file, whose tables each record is joined with; "
                     "lines may then be {\"profile\": {...}, \"rows\": [...]}");
  auto* ledger =
      report
          ->add_option("--ledger", options->ledger,
                       "Directory where the device remembers what it has spent [nowhere]")
          ->excludes(input);
  report
      ->add_option("--token", options->token,
                   "Names the submission in the ledger: the same token again is the same "
                   "submission, whatever the value [each call makes another]")
      ->needs(ledger);
  report->add_option("--threads", options->threads, "That encode and seal, a channel each")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  report
      ->add_option("--max-epsilon", options->policy.max_epsilon,
                   "The device's own policy: a weaker task is refused [any]")
      ->check(config::AboveZero());
  report->add_option("--max-delta", options->policy.max_delta, "Likewise [any]")
      ->check(config::AboveZero(1));
  report
      ->add_option("--max-total-epsilon", options->policy.max_total_epsilon,
                   "Likewise, of all submissions that the task allows a device [any]")
      ->check(config::AboveZero());
  report->add_option("--max-total-delta", options->policy.max_total_delta, "Likewise [any]")
      ->check(config::AboveZero(1));
  report->add_option("--max-local-epsilon", options->policy.max_local_epsilon, "Likewise [any]")
      ->check(config::AboveZero());
  report
      ->add_option("--max-reports", options->policy.max_reports,
                   "Likewise, the most messages of a submission")
      ->check(CLI::Range(int64_t{1}, mechanism::kMostReports))
      ->capture_default_str();
  report->add_option("--min-batch", options->policy.min_batch, "Likewise [2]");
  report->add_flag(
      "--strict", options->strict,
      "With --input: exit with 2 if a line was not sent; the others are sent all the same");
  report->add_flag("--json", options->json, "One JSON object on standard output");
  report->callback([options, choose, value, input] {
    if (value->count() + input->count() != 1) {
      throw CLI::ValidationError("one of --value and --input must be given");
    }
    const bool one = value->count() == 1;
    choose([options, one] { return RunReport(*options, one); });
  });
}

}  // namespace tombola::cli
