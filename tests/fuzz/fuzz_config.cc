// The files that people write for the command line: tombola.json, task files, lists of values.
//
// The first byte chooses which; then the file.
#include <nlohmann/json.hpp>
#include <string>

#include "cli/connect/config.h"
#include "cli/task/request.h"
#include "common/base/check.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/scratch.h"

namespace tombola::fuzz {
namespace {

constexpr absl::string_view kFile = "file";

void RunConfig(const std::string& path) {
  const auto config = cli::Config::Load(path);
  if (!config.ok()) {
    TOMBOLA_CHECK(absl::IsInvalidArgument(config.status()));
    return;
  }
  // Paths are absolute now, so it reads itself back.
  const std::string json = config->ToJson().dump();
  TheScratch().Write(kFile, json);
  const auto again = cli::Config::Load(path);
  TOMBOLA_CHECK(again.ok() && again->ToJson().dump() == json);
}

void CheckRequest(const cli::TaskRequestOptions& options) {
  const auto request = cli::ToRequest(options);
  if (!request.ok()) {
    TOMBOLA_CHECK(absl::IsInvalidArgument(request.status()));
    return;
  }
  std::string wire;
  v1::CreateTaskRequest again;
  TOMBOLA_CHECK(request->SerializeToString(&wire) && again.ParseFromString(wire));
  TOMBOLA_CHECK((request->labels_size() == 0) != (request->domain_size() == 0));
  TOMBOLA_CHECK(again.users() == options.users && again.name() == options.name);
}

void RunTaskFile(const std::string& path) {
  const auto options = cli::ReadTaskFile(path);
  if (options.ok()) {
    CheckRequest(*options);
  } else {
    TOMBOLA_CHECK(absl::IsInvalidArgument(options.status()));
  }
}

// A list of values is one a line.
void RunValues(const std::string& path) {
  cli::TaskRequestOptions options;
  options.name = "values";
  options.values_file = path;
  options.retry_window = "1h";
  CheckRequest(options);
}

void Run(Input input) {
  const uint8_t which = input.Byte();
  TheScratch().Write(kFile, input.Rest());
  const std::string path = TheScratch().In(kFile);
  if (which % 3 == 0) RunConfig(path);
  if (which % 3 == 1) RunTaskFile(path);
  if (which % 3 == 2) RunValues(path);
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Run({data, size});
  return 0;
}
