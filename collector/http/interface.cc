#include "collector/http/interface.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/http/token_file.h"
#include "common/log/log.h"

namespace tombola::collector {
namespace {

absl::Status CheckWho(const HttpOptions& options) {
  if (options.plaintext && options.tokens.empty()) {
    return absl::InvalidArgumentError(
        "--http-plaintext needs --http-tokens: without TLS there are no certificates to ask with");
  }
  return absl::OkStatus();
}

std::string UsualDirectory() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path().parent_path() / "share/tombola/web").string();
}

absl::StatusOr<Files> LoadPage(const std::string& directory) {
  if (!directory.empty()) {
    absl::StatusOr<Files> files = Files::Load(directory);
    if (files.ok()) return files;
    return absl::InvalidArgumentError(absl::StrCat("--web-dir: ", files.status().message()));
  }
  const std::string usual = UsualDirectory();
  absl::StatusOr<Files> files = Files::Load(usual);
  if (!absl::IsNotFound(files.status())) return files;
  log::Warning("page_missing", {{"directory", usual}});
  return Files();
}

}  // namespace

absl::Status CheckHttpOptions(const HttpOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(http::CheckPortOptions(options));
  if (options.listen.empty()) return absl::OkStatus();
  TOMBOLA_RETURN_IF_ERROR(CheckWho(options));
  return LoadPage(options.web_directory).status();
}

absl::StatusOr<std::unique_ptr<HttpInterface>> HttpInterface::Start(const HttpOptions& options,
                                                                    const Parts& parts) {
  TOMBOLA_RETURN_IF_ERROR(CheckWho(options));
  TOMBOLA_ASSIGN_OR_RETURN(Files files, LoadPage(options.web_directory));
  std::unique_ptr<HttpInterface> interface(new HttpInterface(std::move(files)));
  TOMBOLA_ASSIGN_OR_RETURN(interface->tokens_, http::Tokens::Follow(options.tokens));
  interface->plans_ = Plans::Create(parts.budget, parts.answer_pool);
  interface->desk_ = std::make_unique<WorkPool>(1, "http-desk");
  interface->monitor_ = std::make_unique<WorkPool>(1, "metrics");
  const http::Router router = MakeRoutes({.catalog = parts.catalog,
                                          .ledger = parts.ledger,
                                          .clock = parts.clock,
                                          .metrics = parts.metrics,
                                          .answers = parts.answers,
                                          .audit = parts.audit,
                                          .infos = parts.infos,
                                          .totals = parts.totals,
                                          .plans = interface->plans_.get(),
                                          .budget = parts.budget,
                                          .files = &interface->files_,
                                          .answer_pool = parts.answer_pool,
                                          .desk = interface->desk_.get(),
                                          .monitor = interface->monitor_.get(),
                                          .ready = parts.ready});
  TOMBOLA_ASSIGN_OR_RETURN(
      interface->server_,
      http::Server::Start({.address = options.listen,
                           .identity = options.plaintext ? nullptr : parts.identity,
                           .revocation = parts.revocation,
                           .tokens = interface->tokens_,
                           .router = router}));
  return interface;
}

HttpInterface::~HttpInterface() { Drain(absl::ZeroDuration()); }

absl::Status HttpInterface::ReloadTokens() {
  return tokens_ == nullptr ? absl::OkStatus() : tokens_->Reload();
}

void HttpInterface::Drain(absl::Duration patience) {
  plans_->Stop();
  if (server_ != nullptr) server_->Drain(patience);
}

}  // namespace tombola::collector
