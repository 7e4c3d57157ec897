#include "collector/flags.h"

#include <CLI/CLI.hpp>
#include <string>

#include "absl/time/time.h"
#include "collector/catalog/key_ring.h"
#include "collector/http/interface.h"
#include "common/base/status_macros.h"
#include "common/base/time_text.h"
#include "common/config/flag_values.h"
#include "common/daemon/options.h"
#include "common/rpc/address.h"

namespace tombola::collector {

Flags::Flags()
    : daemon::Flags("tombola-collector",
                    "Opens batches of sealed reports, aggregates them and answers questions."),
      answers_mib_(options_.max_answers_bytes >> 20) {
  AddDataDirectory(options_);
  app_.add_option("--listen-ingest", options_.listen_ingest,
                  "host:port for the shuffler; port 0 takes a free one")
      ->required();
  app_.add_option("--listen-query", options_.listen_query,
                  "host:port for analysts and administrators; port 0 takes a free one")
      ->required();
  AddCertificates(options_, "the shuffler and for people");
  AddRevoked(options_);
  AddSigningKey(options_, "this collector");
  app_.add_option("--listen-http", options_.http.listen,
                  "host:port for the page, the HTTP interface and metrics; port 0 takes a free one "
                  "[no HTTP]");
  app_.add_flag("--http-plaintext", options_.http.plaintext,
                "HTTP without TLS, on a loopback address only");
  app_.add_option("--http-tokens", options_.http.tokens,
                  "File of bearer tokens (tombola token create), mode 0600 [certificates alone]");
  app_.add_option("--web-dir", options_.http.web_directory,
                  "Folder with the page's files [share/tombola/web beside this program's folder]");
  app_.add_option("--open-threads", options_.open_threads,
                  "Threads that open reports; 0 takes one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app_.add_option("--max-deliveries", options_.max_deliveries,
                  "Batches that stream in at once; others are asked to wait")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app_.add_option("--max-answers-mib", answers_mib_,
                  "Memory for histograms that are computed or sent, about 208 bytes a value, 250 "
                  "over HTTP; beyond it questions get RESOURCE_EXHAUSTED")
      ->check(CLI::Range(16, 1 << 20))
      ->capture_default_str();
  const auto add_time = [this](const std::string& name, absl::Duration* time,
                               const std::string& help) {
    app_.add_option_function<std::string>(
            name, [time](const std::string& text) { *time = ParseDuration(text).value_or(*time); },
            help)
        ->check([](const std::string& text) {
          return ParseDuration(text).has_value() ? std::string()
                                                 : "must be a duration such as 30d or 90m";
        })
        ->default_str(absl::FormatDuration(*time));
  };
  add_time("--key-lifetime", &options_.key_times.lifetime,
           "How long devices seal to an HPKE key before the next one takes over");
  add_time("--key-announce", &options_.key_times.announce,
           "How long before that the next key is in the list");
  add_time("--key-window", &options_.key_times.window,
           "How long after its life reports under a key are still taken and held: more than a "
           "task's two retry windows and the time in which its batches fill");
  add_time("--key-delivery", &options_.key_times.delivery,
           "How long after the window batches may still arrive; then the private key is destroyed");
  app_.add_option("--totals-key-file", options_.totals_key_file,
                  "File whose 32 bytes seal the noise of trusted totals, elsewhere than the data "
                  "directory if possible; made, with mode 0600, when a task first asks for them "
                  "[totals.key in --data-dir]");
  AddLogLevelAndReadyFd();
  // Callbacks run before it is looked whether what is required is there.
  const auto add_instead = [this](const std::string& name, std::string* directory,
                                  const std::string& help) {
    return app_
        .add_option_function<std::string>(
            name,
            [this, directory](const std::string& value) {
              *directory = value;
              for (CLI::Option* option : app_.get_options()) {
                if (option->get_name() != "--data-dir") option->required(false);
              }
            },
            help)
        ->check(config::NotEmpty())
        ->configurable(false);
  };
  CLI::Option* const backup =
      add_instead("--backup", &backup_,
                  "Copies --data-dir into this directory, which must not be there, and ends; the "
                  "daemon may be running");
  add_instead("--restore", &restore_,
              "Makes --data-dir, which must be missing or empty, out of this backup, and ends")
      ->excludes(backup);
}

DaemonOptions Flags::Options() const {
  DaemonOptions options = options_;
  options.max_answers_bytes = answers_mib_ << 20;
  return options;
}

absl::Status CheckOptions(const DaemonOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(rpc::CheckListeningAddress("--listen-ingest", options.listen_ingest));
  TOMBOLA_RETURN_IF_ERROR(rpc::CheckListeningAddress("--listen-query", options.listen_query));
  TOMBOLA_RETURN_IF_ERROR(CheckHttpOptions(options.http));
  TOMBOLA_RETURN_IF_ERROR(CheckTimes(options.key_times));
  return daemon::CheckFiles(options);
}

}  // namespace tombola::collector
