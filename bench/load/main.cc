// tombola-load: seals reports first, then sends them to a running deployment and measures.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "bench/load/open_rate.h"
#include "bench/load/sealed_load.h"
#include "bench/load/sender.h"
#include "cli/connect/config.h"
#include "cli/connect/connection.h"
#include "cli/connect/named_task.h"
#include "common/base/status_macros.h"
#include "common/config/parse_flags.h"
#include "common/rpc/channel.h"
#include "common/rpc/server.h"
#include "common/rpc/tls.h"

namespace tombola::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string config, task, file, to;
  int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  int64_t count = 0;
  size_t sealed_bytes = 58;
  SendOptions send;
  int channels = 4;
  int64_t await = 0;
};

absl::StatusOr<std::shared_ptr<const Task>> FetchTask(v1::Shuffler::Stub& stub, const TaskId& id) {
  v1::GetTaskRequest request;
  request.set_task_id(std::string(AsView(id)));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::GetTaskResponse response,
                           cli::Call(stub, &v1::Shuffler::Stub::GetTask, request));
  return Task::Parse(response.task());
}

absl::Status RunSeal(const Options& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const cli::Config config, cli::Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, cli::FindTask(config, "--task", options.task));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, cli::Device(config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto task, FetchTask(*stub, id));
  TOMBOLA_ASSIGN_OR_RETURN(
      const v1::SignedKeyList wire,
      cli::Call(*stub, &v1::Shuffler::Stub::GetKeyList, v1::GetKeyListRequest()));
  TOMBOLA_ASSIGN_OR_RETURN(const KeyList keys, KeyList::Verify(wire.key_list(), wire.signature(),
                                                               task->collector_key()));
  TOMBOLA_ASSIGN_OR_RETURN(const HpkeKey key, keys.ActiveAt(absl::Now()));
  const absl::Time start = absl::Now();
  TOMBOLA_ASSIGN_OR_RETURN(const SealedLoad load, Seal(*task, key, options.count, options.threads));
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start);
  TOMBOLA_RETURN_IF_ERROR(Save(load, options.file));
  std::cout << Json{{"sealed", load.size()},
                    {"sealed_bytes", load.sealed_bytes},
                    {"rate", static_cast<double>(load.size()) / seconds}}
            << std::endl;
  return absl::OkStatus();
}

// Until the collector's answer counts so many reports, which is then fetched as a whole.
absl::Status AwaitAnswer(const cli::Config& config, const TaskId& task, int64_t reports) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto analyst, cli::Analyst(config));
  v1::GetTaskInfoRequest look;
  look.set_task_id(std::string(AsView(task)));
  const absl::Time deadline = absl::Now() + absl::Minutes(10);
  for (uint64_t counted = 0; counted < static_cast<uint64_t>(reports);) {
    TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info,
                             cli::Call(*analyst, &v1::CollectorQuery::Stub::GetTask, look));
    counted = info.messages();
    if (absl::Now() > deadline) return absl::DeadlineExceededError("the reports are not counted");
    if (counted < static_cast<uint64_t>(reports)) absl::SleepFor(absl::Milliseconds(10));
  }
  v1::GetAnswerRequest request;
  request.set_task_id(std::string(AsView(task)));
  request.set_postprocess(v1::POSTPROCESS_POP);
  request.set_confidence(0.95);
  request.mutable_histogram();
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Answer answer,
                           cli::Call(*analyst, &v1::CollectorQuery::Stub::GetAnswer, request));
  if (answer.messages() != static_cast<uint64_t>(reports)) {
    return absl::InternalError("the answer counts another number of reports");
  }
  return absl::OkStatus();
}

Json Describe(const SendResult& result) {
  const double seconds = absl::ToDoubleSeconds(result.took);
  Json refused = Json::object();
  for (const auto& [cause, calls] : result.refused) refused[cause] = calls;
  const auto milliseconds = [&](double q) {
    return absl::ToDoubleMilliseconds(result.latencies.Quantile(q));
  };
  return Json{{"seconds", seconds},
              {"calls", result.calls},
              {"rate", static_cast<double>(result.accepted) / seconds},
              {"accepted", result.accepted},
              {"duplicates", result.duplicates},
              {"rejected", result.rejected},
              {"p50_ms", milliseconds(0.5)},
              {"p99_ms", milliseconds(0.99)},
              {"p999_ms", milliseconds(0.999)},
              {"refused", refused}};
}

absl::StatusOr<std::vector<std::shared_ptr<grpc::Channel>>> Connect(const cli::Config& config,
                                                                    const Options& options) {
  TOMBOLA_ASSIGN_OR_RETURN(
      const auto credentials,
      rpc::ChannelTls({.certificate = "", .private_key = "", .roots = config.roots}));
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  for (int i = 0; i < options.channels; ++i) {
    channels.push_back(rpc::OpenChannel(options.to.empty() ? config.shuffler : options.to,
                                        credentials, {.own_connection = true}));
  }
  return channels;
}

absl::Status RunSend(const Options& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const cli::Config config, cli::Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const SealedLoad load, Load(options.file));
  SendOptions send = options.send;
  send.task = load.task;
  if (!options.task.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(send.task, cli::FindTask(config, "--task", options.task));
  }
  if (options.to.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto stub, cli::Device(config));
    TOMBOLA_ASSIGN_OR_RETURN(const auto task, FetchTask(*stub, send.task));
    send.window = task->WindowAt(absl::Now());
  }
  if (send.first > load.size()) return absl::InvalidArgumentError("--first is beyond the file");
  send.count = load.size() - send.first;
  if (options.count > 0) send.count = std::min(send.count, options.count);
  TOMBOLA_ASSIGN_OR_RETURN(const auto channels, Connect(config, options));
  const absl::Time start = absl::Now();
  const SendResult result = Send(load, send, channels);
  Json json = Describe(result);
  if (options.await > 0) {
    TOMBOLA_RETURN_IF_ERROR(AwaitAnswer(config, send.task, options.await));
    json["answer_seconds"] = absl::ToDoubleSeconds(absl::Now() - start);
  }
  std::cout << json << std::endl;
  return absl::OkStatus();
}

absl::Status RunOpen(const Options& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const double rate,
                           OpenRate(options.sealed_bytes, options.count, options.threads));
  std::cout << Json{{"rate", rate}, {"threads", options.threads}} << std::endl;
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  rpc::PrepareProcess();
  Options options;
  CLI::App app{"Loads a running deployment with reports that were sealed before.", "tombola-load"};
  app.require_subcommand(1);
  absl::Status (*run)(const Options&) = nullptr;
  const auto add = [&](const char* name, const char* help, absl::Status (*what)(const Options&)) {
    CLI::App* const command = app.add_subcommand(name, help);
    command->add_option("--count", options.count, "Submissions, or reports to open");
    command->add_option("--threads", options.threads, "That seal or open")->capture_default_str();
    command->callback([&run, what] { run = what; });
    return command;
  };
  CLI::App* const seal = add("seal", "Encode and seal reports of a task into a file", RunSeal);
  seal->get_option("--count")->required();
  seal->add_option("--config", options.config, "tombola.json of the deployment")->required();
  seal->add_option("--task", options.task, "The task's id")->required();
  seal->add_option("--file", options.file, "Where they go")->required();
  CLI::App* const send =
      add("send", "Send the reports of a file and print what became of them", RunSend);
  send->add_option("--config", options.config, "tombola.json of the deployment")->required();
  send->add_option("--file", options.file, "Of sealed reports")->required();
  send->add_option("--task", options.task,
                   "Send them as another task's, of the same length: the shuffler cannot tell");
  send->add_option("--to", options.to, "host:port of another server than the shuffler");
  send->add_option("--first", options.send.first, "Submission of the file to begin with");
  send->add_option("--per-call", options.send.per_call, "Submissions a call")
      ->check(CLI::Range(1, 10000));
  send->add_option("--in-flight", options.send.in_flight, "Calls at once")->capture_default_str();
  send->add_option("--channels", options.channels, "Connections")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  send->add_option("--rate", options.send.rate,
                   "Calls a second, each at its due time; latencies count from there");
  send->add_option("--await", options.await,
                   "Then wait until the collector's answer counts so many reports");
  CLI::App* const open = add("open", "Measure HPKE open on --threads threads", RunOpen);
  open->get_option("--count")->required();
  open->add_option("--sealed-bytes", options.sealed_bytes, "Of a report")->capture_default_str();
  if (const auto code = config::ParseFlags(app, argc, argv)) return *code;
  const absl::Status status = run(options);
  if (status.ok()) return 0;
  std::cerr << "tombola-load: " << status.ToString() << "\n";
  return 1;
}

}  // namespace
}  // namespace tombola::bench

int main(int argc, char** argv) { return tombola::bench::Main(argc, argv); }
