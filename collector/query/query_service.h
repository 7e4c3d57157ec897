// The analysts' RPCs: a certificate with the role `analyst` or `administrator`.
#ifndef TOMBOLA_COLLECTOR_QUERY_QUERY_SERVICE_H_
#define TOMBOLA_COLLECTOR_QUERY_QUERY_SERVICE_H_

#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "collector/ingest/batch_ledger.h"
#include "collector/query/guarantee.h"
#include "tombola/v1/collector.grpc.pb.h"

namespace tombola::collector {

class QueryService final : public v1::CollectorQuery::Service {
 public:
  QueryService(const Catalog* catalog, const KeyRing* keys, const BatchLedger* ledger)
      : catalog_(catalog), keys_(keys), ledger_(ledger) {}

  grpc::Status ListTasks(grpc::ServerContext* context, const v1::ListTasksRequest* request,
                         v1::TaskList* response) override;
  grpc::Status GetTask(grpc::ServerContext* context, const v1::GetTaskInfoRequest* request,
                       v1::TaskInfo* response) override;
  grpc::Status GetHistogram(grpc::ServerContext* context, const v1::GetHistogramRequest* request,
                            v1::Histogram* response) override;
  grpc::Status ListKeys(grpc::ServerContext* context, const v1::ListKeysRequest* request,
                        v1::KeyInfo* response) override;

 private:
  absl::Status FillHistogram(const v1::GetHistogramRequest& request, v1::Histogram* response);

  const Catalog* const catalog_;
  const KeyRing* const keys_;
  const BatchLedger* const ledger_;
  Guarantees guarantees_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_QUERY_SERVICE_H_
