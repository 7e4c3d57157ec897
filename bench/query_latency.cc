// Asks a collector for the whole histogram of a task, again and again over one channel, as
// `tombola query` asks once, and prints how long the answers took.
//
// usage: query_latency CONFIG TASK CALLS
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/connect/config.h"
#include "cli/connect/connection.h"
#include "cli/connect/named_task.h"
#include "common/base/status_macros.h"

namespace tombola {
namespace {

absl::StatusOr<absl::Duration> AskOnce(v1::CollectorQuery::Stub& stub,
                                       const v1::GetAnswerRequest& request, int64_t* bins) {
  const absl::Time start = absl::Now();
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Answer answer,
                           cli::Call(stub, &v1::CollectorQuery::Stub::GetAnswer, request));
  *bins = answer.histogram().values_size();
  return absl::Now() - start;
}

absl::Status Run(const std::string& config_path, const std::string& task, int calls) {
  TOMBOLA_ASSIGN_OR_RETURN(const cli::Config config, cli::Config::Load(config_path));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, cli::Analyst(config));
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, cli::FindTask(config, "--task", task));
  v1::GetAnswerRequest request;
  request.set_task_id(std::string(AsView(id)));
  request.set_confidence(0.95);
  request.set_postprocess(v1::POSTPROCESS_POP);
  request.mutable_histogram();
  int64_t bins = 0;
  // The first makes the connection.
  TOMBOLA_RETURN_IF_ERROR(AskOnce(*stub, request, &bins).status());
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    TOMBOLA_ASSIGN_OR_RETURN(const absl::Duration took, AskOnce(*stub, request, &bins));
    times.push_back(absl::ToDoubleMilliseconds(took));
  }
  std::sort(times.begin(), times.end());
  const auto quantile = [&](double share) {
    return times[std::min(times.size() - 1,
                          static_cast<size_t>(share * static_cast<double>(times.size())))];
  };
  std::cout << absl::StrCat("{\"bins\":", bins, ",\"calls\":", calls, ",\"p50_ms\":", quantile(0.5),
                            ",\"p99_ms\":", quantile(0.99), "}\n");
  return absl::OkStatus();
}

}  // namespace
}  // namespace tombola

int main(int argc, char** argv) {
  int calls = 0;
  if (argc != 4 || !absl::SimpleAtoi(argv[3], &calls) || calls < 1) {
    std::cerr << "usage: query_latency CONFIG TASK CALLS\n";
    return 2;
  }
  const absl::Status status = tombola::Run(argv[1], argv[2], calls);
  if (status.ok()) return 0;
  std::cerr << "query_latency: " << status.message() << "\n";
  return 1;
}
