// The analysts' RPCs: a certificate with the role `analyst` or `administrator`.
#ifndef TOMBOLA_COLLECTOR_QUERY_QUERY_SERVICE_H_
#define TOMBOLA_COLLECTOR_QUERY_QUERY_SERVICE_H_

#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "collector/ingest/batch_ledger.h"
#include "collector/open/work_pool.h"
#include "collector/query/guarantee.h"
#include "common/base/fair_share.h"
#include "common/rpc/call_watch.h"
#include "tombola/v1/collector.grpc.pb.h"

namespace tombola::collector {

// Histograms can be large. They are computed on threads of their own, and held to a budget of
// memory that tasks share from the question until the answer is sent; beyond it: RESOURCE_EXHAUSTED
// with a time to wait.
class QueryService final
    : public v1::CollectorQuery::WithCallbackMethod_GetHistogram<v1::CollectorQuery::Service> {
 public:
  struct Parts {
    const Catalog* catalog = nullptr;
    const KeyRing* keys = nullptr;
    const BatchLedger* ledger = nullptr;
    FairShare* answers = nullptr;
    rpc::CallWatch* watch = nullptr;
    WorkPool* pool = nullptr;
  };
  explicit QueryService(const Parts& parts)
      : catalog_(parts.catalog),
        keys_(parts.keys),
        ledger_(parts.ledger),
        answers_(parts.answers),
        watch_(parts.watch),
        pool_(parts.pool) {}

  grpc::Status ListTasks(grpc::ServerContext* context, const v1::ListTasksRequest* request,
                         v1::TaskList* response) override;
  grpc::Status GetTask(grpc::ServerContext* context, const v1::GetTaskInfoRequest* request,
                       v1::TaskInfo* response) override;
  using WithCallbackMethod_GetHistogram::GetHistogram;
  grpc::ServerUnaryReactor* GetHistogram(grpc::CallbackServerContext* context,
                                         const v1::GetHistogramRequest* request,
                                         v1::Histogram* response) override;
  grpc::Status ListKeys(grpc::ServerContext* context, const v1::ListKeysRequest* request,
                        v1::KeyInfo* response) override;

 private:
  // The budget's ticket for the answer, if it may begin.
  absl::StatusOr<FairShare::Ticket> Admit(const grpc::CallbackServerContext& context,
                                          const v1::GetHistogramRequest& request) const;
  absl::Status FillHistogram(const v1::GetHistogramRequest& request, v1::Histogram* response);

  const Catalog* const catalog_;
  const KeyRing* const keys_;
  const BatchLedger* const ledger_;
  FairShare* const answers_;
  rpc::CallWatch* const watch_;
  WorkPool* const pool_;
  Guarantees guarantees_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_QUERY_SERVICE_H_
