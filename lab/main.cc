// tombola-lab: the published rivals, measured. Makes pages of docs/; in no package.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/audit/experiment.h"
#include "cli/command/command.h"
#include "cli/simulation/generator.h"
#include "cli/terminal/progress.h"
#include "common/base/status_macros.h"
#include "common/config/flag_values.h"
#include "common/config/parse_flags.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"
#include "lab/audit/lprr_device.h"
#include "lab/audit/lrr_kv_device.h"
#include "lab/experiment/data_sets.h"
#include "lab/experiment/histograms.h"
#include "lab/experiment/join_study.h"
#include "lab/experiment/number_study.h"
#include "lab/experiment/stream_study.h"
#include "lab/experiment/string_study.h"
#include "lab/experiment/study.h"
#include "lab/key_value/lrr_kv.h"
#include "lab/page/joins_page.h"
#include "lab/page/key_value_page.h"
#include "lab/page/numbers_page.h"
#include "lab/page/set_page.h"
#include "lab/page/streams_page.h"
#include "lab/page/strings_page.h"

namespace tombola::lab {
namespace {

constexpr int kThreads = 2;

struct Options {
  uint64_t seed = 1;
  std::string data, docs;
  int64_t trials = 20;
  int64_t users = 1000000;
  std::string audited_method = "lrr_kv";
  Setting audited = {.keys = 3, .items = 1, .epsilon = 1};
  int64_t samples = 2000000;
};

// Two attributes of four values each, as the paper's example.
absl::Status RunLprrAudit(const Options& options) {
  TOMBOLA_RETURN_IF_ERROR(Validate(options.audited));
  LprrTrial trial(PlaceTree(4, 2), /*attributes=*/2, options.audited.epsilon);
  simulation::Generator random(options.seed);
  TOMBOLA_ASSIGN_OR_RETURN(const cli::AuditFinding finding,
                           cli::Audit(trial, {.samples = options.samples}, random));
  std::cout << absl::StrFormat(
      "LPRR-JOIN, two attributes of 4 values: claimed %g, at least %.4f with 99 %% confidence, "
      "truly infinite: %g %% of the reports of one record are impossible for another: %s\n",
      options.audited.epsilon, finding.lower_bound, 100 * trial.ImpossibleShare(),
      finding.lower_bound > options.audited.epsilon ? "REFUTED" : "not refuted");
  return absl::OkStatus();
}

absl::Status RunAudit(const Options& options) {
  if (options.audited_method == "lprr_join") return RunLprrAudit(options);
  if (options.audited_method != "lrr_kv") {
    return absl::InvalidArgumentError("--method must be lrr_kv or lprr_join");
  }
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

// Writes NAME.md and the files of NAME/ into the folder of the documents.
absl::Status Write(const std::string& docs, const std::string& name, const Pages& pages) {
  const std::string folder = absl::StrCat(docs, "/", name);
  TOMBOLA_RETURN_IF_ERROR(MakeDirectories(folder));
  for (const auto& [file, content] : pages.files) {
    TOMBOLA_RETURN_IF_ERROR(ReplaceFile(absl::StrCat(folder, "/", file), content));
  }
  TOMBOLA_RETURN_IF_ERROR(ReplaceFile(folder + ".md", pages.markdown));
  std::cerr << "made: " << folder << ".md\n";
  return absl::OkStatus();
}

absl::Status Check(const Options& options) {
  if (options.trials < 2 || options.trials > 10000) {
    return absl::InvalidArgumentError("--trials must be from 2 to 10000");
  }
  if (options.users < 1000 || options.users > 100000000) {
    return absl::InvalidArgumentError("--users must be from 1000 to 100000000");
  }
  return absl::OkStatus();
}

PageFacts FactsOf(const Options& options) {
  return {.seed = options.seed, .trials = options.trials, .with_folder = !options.data.empty()};
}

absl::StatusOr<std::vector<Study>> RunStudies(const Options& options,
                                              const std::vector<DataSet>& sets) {
  std::vector<Study> studies;
  for (const DataSet& data : sets) {
    std::cerr << data.title << "\n";
    cli::Progress progress("trials", options.trials);
    TOMBOLA_ASSIGN_OR_RETURN(Study study, RunStudy(data, {.trials = options.trials,
                                                          .seed = options.seed,
                                                          .threads = kThreads,
                                                          .trial_done = [&] { progress.Add(1); }}));
    progress.Finish();
    studies.push_back(std::move(study));
  }
  return studies;
}

absl::Status RunKeyValue(const Options& options) {
  TOMBOLA_RETURN_IF_ERROR(Check(options));
  TOMBOLA_ASSIGN_OR_RETURN(
      const std::vector<Study> studies,
      RunStudies(options, KeyValueDataSets(options.data, options.users, options.seed)));
  return Write(options.docs, "results-key-value", KeyValuePages(studies, FactsOf(options)));
}

absl::Status RunSets(const Options& options) {
  TOMBOLA_RETURN_IF_ERROR(Check(options));
  TOMBOLA_ASSIGN_OR_RETURN(
      const std::vector<Study> studies,
      RunStudies(options, SetDataSets(options.data, options.users, options.seed)));
  constexpr int64_t kHistogramUsers = 600000, kHistogramValues = 600;
  TOMBOLA_ASSIGN_OR_RETURN(
      const HistogramStudy histograms,
      StudyHistograms(kHistogramUsers, kHistogramValues,
                      {.trials = options.trials, .seed = options.seed, .threads = kThreads}));
  return Write(options.docs, "results-sets", SetPages(studies, histograms, FactsOf(options)));
}

absl::Status RunJoins(const Options& options) {
  TOMBOLA_RETURN_IF_ERROR(Check(options));
  constexpr double kPaperUsers = 1e6;
  std::vector<JoinStudy> studies;
  for (const JoinData& data :
       JoinDataSets(options.data, static_cast<double>(options.users) / kPaperUsers, options.seed)) {
    std::cerr << data.title << "\n";
    // Once for questions about each number of attributes.
    cli::Progress progress("trials", options.trials * kJoinAttributes);
    TOMBOLA_ASSIGN_OR_RETURN(JoinStudy study,
                             RunJoinStudy(data, {.trials = options.trials,
                                                 .seed = options.seed,
                                                 .threads = kThreads,
                                                 .trial_done = [&] { progress.Add(1); }}));
    progress.Finish();
    studies.push_back(std::move(study));
  }
  return Write(options.docs, "results-joins", JoinPages(studies, FactsOf(options)));
}

absl::Status RunNumbers(const Options& options) {
  TOMBOLA_RETURN_IF_ERROR(Check(options));
  TOMBOLA_ASSIGN_OR_RETURN(const NumberStudy study,
                           StudyNumbers(options.users, options.trials, options.seed));
  return Write(options.docs, "results-numbers", NumberPages(study, FactsOf(options)));
}

// Of laws alone: no seed, no trials.
absl::Status RunStreams(const Options& options) {
  const StreamTarget target = {.epsilon = 1, .delta = 1e-6, .devices = 100000, .cells = 20};
  TOMBOLA_ASSIGN_OR_RETURN(const StreamStudy study, StudyStreams(StreamPeriods(), target));
  return Write(options.docs, "results-streams", StreamPages(study));
}

// Whole batches of devices: a few runs say enough.
absl::Status RunStrings(const Options& options) {
  TOMBOLA_RETURN_IF_ERROR(Check(options));
  constexpr int64_t kMostRuns = 3;
  TOMBOLA_ASSIGN_OR_RETURN(
      const StringStudy study,
      StudyStrings(options.data, std::min(options.trials, kMostRuns), options.seed, kThreads));
  return Write(options.docs, "results-strings", StringPages(study, FactsOf(options)));
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
  const auto add_page = [&](const char* name, const char* help,
                            absl::Status (*what)(const Options&)) {
    CLI::App* const command = add(name, help, what);
    command->add_option("--docs", options.docs, "Folder of the documents")->required();
    command->add_option("--data", options.data, "Folder of the public data files");
    command->add_option("--trials", options.trials, "Repetitions of each measurement")
        ->capture_default_str();
    command
        ->add_option("--users", options.users,
                     "Devices of GAUSS, LNR, SPARSE and SYN-1; other synthetic joins in proportion")
        ->capture_default_str();
  };
  add_page("key-value", "Makes results-key-value.md and its charts", RunKeyValue);
  add_page("sets", "Makes results-sets.md and its charts", RunSets);
  add_page("joins", "Makes results-joins.md and its charts", RunJoins);
  add_page("numbers", "Makes results-numbers.md and its charts", RunNumbers);
  add_page("streams", "Makes results-streams.md and its charts", RunStreams);
  add_page("strings", "Makes results-strings.md and its figures", RunStrings);
  CLI::App* const audit =
      add("audit", "Tries to refute what LRR_KV or LPRR-JOIN claims, on its published device",
          RunAudit);
  audit->add_option("--method", options.audited_method, "lrr_kv or lprr_join")
      ->capture_default_str();
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
