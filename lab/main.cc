// tombola-lab: the published rivals, measured. Makes pages of docs/; in no package.
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "absl/strings/str_format.h"
#include "cli/audit/experiment.h"
#include "cli/command/command.h"
#include "cli/simulation/generator.h"
#include "common/base/status_macros.h"
#include "common/config/flag_values.h"
#include "common/config/parse_flags.h"
#include "lab/audit/lrr_kv_device.h"
#include "lab/key_value/lrr_kv.h"

namespace tombola::lab {
namespace {

struct Options {
  uint64_t seed = 1;
  Setting audited = {.keys = 3, .items = 1, .epsilon = 1};
  int64_t samples = 2000000;
};

absl::Status RunAudit(const Options& options) {
  TOMBOLA_RETURN_IF_ERROR(Validate(options.audited));
  if (options.audited.keys < 2) return absl::InvalidArgumentError("--keys must be at least 2");
  LrrKvTrial trial(options.audited);
  simulation::Generator random(options.seed);
  TOMBOLA_ASSIGN_OR_RETURN(const cli::AuditFinding finding,
                           cli::Audit(trial, {.samples = options.samples}, random));
  const bool refuted = finding.lower_bound > options.audited.epsilon;
  std::cout << absl::StrFormat(
      "LRR_KV, %d keys, %d of them a device: claimed %g, at least %.4f with 99 %% confidence, "
      "truly %.4f: %s\n",
      options.audited.keys, options.audited.items, options.audited.epsilon, finding.lower_bound,
      LrrKv(options.audited).law().epsilon, refuted ? "REFUTED" : "not refuted");
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app{"The published rivals of Tombola's mechanisms, measured.", "tombola-lab"};
  app.require_subcommand(1);
  absl::Status (*run)(const Options&) = nullptr;
  const auto add = [&](const char* name, const char* help, absl::Status (*what)(const Options&)) {
    CLI::App* const command = app.add_subcommand(name, help);
    command->add_option("--seed", options.seed, "The same seed, the same numbers")
        ->capture_default_str();
    command->callback([&run, what] { run = what; });
    return command;
  };
  CLI::App* const audit =
      add("audit", "Tries to refute what LRR_KV claims, on its published device", RunAudit);
  audit->add_option("--keys", options.audited.keys, "Keys there are")->capture_default_str();
  audit->add_option("--items", options.audited.items, "Pairs that a device is padded to")
      ->capture_default_str();
  audit->add_option("--epsilon", options.audited.epsilon, "What is claimed")->capture_default_str();
  audit->add_option("--samples", options.samples, "Reports of each record")->capture_default_str();
  config::TakeWholeNumbersOnly(app);
  config::TakeNoEmptyText(app);
  if (const auto code = config::ParseFlags(app, argc, argv)) return *code;
  const absl::Status status = run(options);
  if (!status.ok()) std::cerr << "tombola-lab: " << status.message() << "\n";
  return cli::ExitCode(status);
}

}  // namespace
}  // namespace tombola::lab

int main(int argc, char** argv) { return tombola::lab::Main(argc, argv); }
