// The HTTP interface as a whole: its server, who may ask, and the page.
#ifndef TOMBOLA_COLLECTOR_HTTP_INTERFACE_H_
#define TOMBOLA_COLLECTOR_HTTP_INTERFACE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/http/api.h"
#include "common/base/fair_share.h"
#include "common/http/port_options.h"
#include "common/http/server.h"
#include "common/tls/identity.h"
#include "common/tls/revocation.h"

namespace tombola::collector {

struct HttpOptions : http::PortOptions {
  // The page's files; empty: share/tombola/web beside the folder of this program, where both an
  // installation and a build have it, and where it may be missing.
  std::string web_directory;
};

// What can be said of the options without listening: addresses and files.
absl::Status CheckHttpOptions(const HttpOptions& options);

// Started: answers until it is stopped or destroyed.
class HttpInterface {
 public:
  // What questions need; all of it outlives this and the answer pool's threads.
  struct Parts {
    const Catalog* catalog = nullptr;
    const BatchLedger* ledger = nullptr;
    const Clock* clock = nullptr;
    Metrics* metrics = nullptr;
    Answers* answers = nullptr;
    AuditLog* audit = nullptr;
    TaskInfos* infos = nullptr;
    const TrustedTotals* totals = nullptr;
    FairShare* budget = nullptr;
    WorkPool* answer_pool = nullptr;
    std::function<absl::Status()> ready;
    std::shared_ptr<tls::Identity> identity;
    std::shared_ptr<tls::Revocation> revocation;  // none: nothing is revoked
  };

  // InvalidArgument and Unavailable as http::Server; a file of tokens that is not as it should be.
  // A page that is missing where nobody said that it is is logged and answered by 404.
  static absl::StatusOr<std::unique_ptr<HttpInterface>> Start(const HttpOptions& options,
                                                              const Parts& parts);
  ~HttpInterface();

  int port() const { return server_->port(); }
  absl::Status ReloadTokens();
  // Takes no new connections and lets requests under way end for a while. Idempotent.
  void Drain(absl::Duration patience);

 private:
  explicit HttpInterface(Files files) : files_(std::move(files)) {}

  const Files files_;
  std::shared_ptr<http::Tokens> tokens_;
  std::shared_ptr<Plans> plans_;
  std::unique_ptr<WorkPool> desk_;
  std::unique_ptr<WorkPool> monitor_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_INTERFACE_H_
