#include "common/daemon/flags.h"

#include "absl/strings/str_cat.h"
#include "common/metrics/process.h"

namespace tombola::daemon {

Flags::Flags(const std::string& program, const std::string& description)
    : app_(description, program) {
  app_.set_version_flag("--version", Version());
}

void Flags::AddDataDirectory(Options& options) {
  app_.add_option("--data-dir", options.data_directory, "Where everything is kept")->required();
}

void Flags::AddCertificates(Options& options, const std::string& others) {
  app_.add_option("--cert", options.certificate, "PEM file: this server's certificate")->required();
  app_.add_option("--key", options.private_key, "PEM file: its private key, mode 0600")->required();
  app_.add_option("--roots", options.roots, absl::StrCat("PEM file: who vouches for ", others))
      ->required();
}

void Flags::AddRevoked(Options& options) {
  app_.add_option("--revoked", options.revoked,
                  "PEM file: revocation lists (CRL) of the roots, followed without a restart "
                  "[nothing is revoked]");
}

void Flags::AddSigningKey(Options& options, const std::string& daemon) {
  app_.add_option(
          "--signing-key", options.signing_key,
          absl::StrCat("File: ", daemon, "'s Ed25519 seed (tombola keys generate), mode 0600"))
      ->required();
}

void Flags::AddLogLevelAndReadyFd() {
  app_.add_option("--log-level", log_level_, "Lines below it are not logged; SIGHUP takes it over")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
      ->capture_default_str();
  app_.add_option("--ready-fd", ready_fd_,
                  "File descriptor that gets one JSON line with the ports once calls are taken")
      ->configurable(false);
}

}  // namespace tombola::daemon
