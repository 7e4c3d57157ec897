// The analysts' RPCs: a certificate with the role `analyst` or `administrator`.
#ifndef TOMBOLA_COLLECTOR_QUERY_QUERY_SERVICE_H_
#define TOMBOLA_COLLECTOR_QUERY_QUERY_SERVICE_H_

#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "collector/query/histograms.h"
#include "collector/query/task_info.h"
#include "common/base/work_pool.h"
#include "common/rpc/call_watch.h"
#include "tombola/v1/collector.grpc.pb.h"

namespace tombola::collector {

// Histograms are computed on threads of their own, and hold their ticket until the answer is sent.
class QueryService final
    : public v1::CollectorQuery::WithCallbackMethod_GetHistogram<v1::CollectorQuery::Service> {
 public:
  struct Parts {
    const Catalog* catalog = nullptr;
    const KeyRing* keys = nullptr;
    Histograms* histograms = nullptr;
    TaskInfos* infos = nullptr;
    rpc::CallWatch* watch = nullptr;
    WorkPool* pool = nullptr;
  };
  explicit QueryService(const Parts& parts)
      : catalog_(parts.catalog),
        keys_(parts.keys),
        histograms_(parts.histograms),
        infos_(parts.infos),
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
  const Catalog* const catalog_;
  const KeyRing* const keys_;
  Histograms* const histograms_;
  TaskInfos* const infos_;
  rpc::CallWatch* const watch_;
  WorkPool* const pool_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_QUERY_SERVICE_H_
