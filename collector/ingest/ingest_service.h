// The shuffler's RPCs.
#ifndef TOMBOLA_COLLECTOR_INGEST_INGEST_SERVICE_H_
#define TOMBOLA_COLLECTOR_INGEST_INGEST_SERVICE_H_

#include <atomic>

#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "collector/ingest/intake.h"
#include "common/base/work_pool.h"
#include "common/rpc/call_watch.h"
#include "tombola/v1/collector.grpc.pb.h"

namespace tombola::collector {

// Every call needs a certificate with the role `shuffler`. A delivery holds no thread while it
// waits for the network, and at most a few chunks in memory: the next one is read when a worker has
// taken one on. Deliveries beyond the limit get RESOURCE_EXHAUSTED with a time to wait: each holds
// the counts of its task's domain for every worker.
class IngestService final : public v1::CollectorIngest::CallbackService {
 public:
  IngestService(Catalog* catalog, const KeyRing* keys, const Intake* intake, WorkPool* pool,
                rpc::CallWatch* watch, int max_deliveries)
      : catalog_(catalog),
        keys_(keys),
        intake_(intake),
        pool_(pool),
        watch_(watch),
        max_deliveries_(max_deliveries) {}

  grpc::ServerUnaryReactor* GetCatalog(grpc::CallbackServerContext* context,
                                       const v1::GetCatalogRequest* request,
                                       v1::Catalog* response) override;
  grpc::ServerUnaryReactor* ReportProgress(grpc::CallbackServerContext* context,
                                           const v1::Progress* request,
                                           v1::ProgressReceipt* response) override;
  grpc::ServerReadReactor<v1::BatchChunk>* DeliverBatch(grpc::CallbackServerContext* context,
                                                        v1::BatchReceipt* response) override;

 private:
  Catalog* const catalog_;
  const KeyRing* const keys_;
  const Intake* const intake_;
  WorkPool* const pool_;
  rpc::CallWatch* const watch_;
  const int max_deliveries_;
  std::atomic<int> deliveries_{0};
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_INGEST_SERVICE_H_
