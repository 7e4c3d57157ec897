// The shuffler's RPCs.
#ifndef TOMBOLA_COLLECTOR_INGEST_INGEST_SERVICE_H_
#define TOMBOLA_COLLECTOR_INGEST_INGEST_SERVICE_H_

#include <memory>

#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "collector/ingest/intake.h"
#include "collector/ingest/progress_book.h"
#include "collector/ingest/refused_deliveries.h"
#include "collector/ingest/witness.h"
#include "common/base/clock.h"
#include "common/base/fair_share.h"
#include "common/base/watched_clock.h"
#include "common/base/work_pool.h"
#include "common/rpc/call_watch.h"
#include "common/tls/revocation.h"
#include "tombola/v1/collector.grpc.pb.h"

namespace tombola::collector {

// Every call needs a certificate with the role `shuffler`. A delivery holds no thread while it
// waits for the network, and at most a few chunks in memory: the next one is read when a worker has
// taken one on. Deliveries beyond the limit get RESOURCE_EXHAUSTED with a time to wait: each holds
// the counts of its task's domain for every worker. They are shared among the shufflers that tasks
// name, known by what they have signed, so that the role alone holds none of them: a stream that
// has shown nothing has a place among others of its certificate, for a few seconds.
class IngestService final : public v1::CollectorIngest::CallbackService {
 public:
  struct Parts {
    Catalog* catalog = nullptr;
    const KeyRing* keys = nullptr;
    const Intake* intake = nullptr;
    RefusedDeliveries* refused = nullptr;
    WorkPool* pool = nullptr;
    WatchedClock* clock = nullptr;
    std::shared_ptr<const SteadyClock> steady;
    rpc::CallWatch* header_watch = nullptr;  // for streams that have shown no manifest yet
    rpc::CallWatch* watch = nullptr;         // for deliveries
    tls::Revocation* revocation = nullptr;   // none: nothing is revoked
    int max_deliveries = 0;
  };
  explicit IngestService(const Parts& parts);

  grpc::ServerUnaryReactor* GetCatalog(grpc::CallbackServerContext* context,
                                       const v1::GetCatalogRequest* request,
                                       v1::Catalog* response) override;
  grpc::ServerUnaryReactor* ReportProgress(grpc::CallbackServerContext* context,
                                           const v1::SignedProgress* request,
                                           v1::ProgressReceipt* response) override;
  grpc::ServerReadReactor<v1::BatchChunk>* DeliverBatch(grpc::CallbackServerContext* context,
                                                        v1::BatchReceipt* response) override;

 private:
  absl::Status CheckRole(const grpc::CallbackServerContext& context) const;

  const Parts parts_;
  ProgressBook progress_;
  Witnesses witnesses_;
  FairShare waiting_;     // streams without a manifest, by certificate
  FairShare deliveries_;  // by the shuffler's long-term key
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_INGEST_SERVICE_H_
