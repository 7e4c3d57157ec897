// The shuffler's one connection to the collector.
#ifndef TOMBOLA_SHUFFLER_CATALOG_COLLECTOR_LINK_H_
#define TOMBOLA_SHUFFLER_CATALOG_COLLECTOR_LINK_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/tls/identity.h"
#include "common/tls/revocation.h"
#include "tombola/v1/collector.grpc.pb.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::shuffler {

// Calls to the collector's ingest port with mutual TLS. Every call has a fresh context: nothing of
// a device's call travels on. One attempt each. What a collector says whose certificate is revoked
// does not count: the call has failed (Unauthenticated), and the next one makes a new connection,
// for the collector may have another certificate by then. So it does when the shuffler's own has
// changed; calls under way go on over the old one. Thread-safe.
class CollectorLink {
 public:
  // `address` is host:port. The connection itself is made with the first call.
  // Without `revocation` nothing is revoked.
  static std::unique_ptr<CollectorLink> Connect(
      const std::string& address, std::shared_ptr<tls::Identity> identity,
      std::shared_ptr<tls::Revocation> revocation = nullptr);

  // `now` is what the collector is told of this party's clock; nothing: it is in doubt.
  absl::StatusOr<v1::Catalog> GetCatalog(uint64_t known_version, std::optional<v1::SignedTime> now,
                                         absl::Duration timeout);
  absl::Status ReportProgress(const v1::SignedProgress& progress, absl::Duration timeout);

  // Streams one batch. `next` gives the following chunk of sealed reports, empty at the end.
  absl::StatusOr<v1::BatchReceipt> DeliverBatch(
      const v1::BatchHeader& header, const std::function<absl::StatusOr<std::string>()>& next,
      absl::Duration timeout);

  // Ends calls under way and those to come with CANCELLED.
  void Cancel();

 private:
  class Call;

  struct Running;

  CollectorLink(std::string address, std::shared_ptr<tls::Identity> identity,
                std::shared_ptr<tls::Revocation> revocation);

  // What became of a call: its status, or that the other side's certificate is revoked; then its
  // connection is given up.
  absl::Status Outcome(const grpc::Status& status, const grpc::ClientContext& context);
  std::shared_ptr<v1::CollectorIngest::Stub> Stub();

  const std::string address_;
  const std::shared_ptr<tls::Identity> identity_;
  const std::shared_ptr<tls::Revocation> revocation_;
  const std::shared_ptr<Running> running_;
  Mutex mutex_;
  uint64_t generation_ ABSL_GUARDED_BY(mutex_) = 0;  // of the certificate that the stub uses
  std::shared_ptr<v1::CollectorIngest::Stub> stub_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_CATALOG_COLLECTOR_LINK_H_
