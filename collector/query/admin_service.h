// The administrators' RPCs: a certificate with the role `administrator`.
#ifndef TOMBOLA_COLLECTOR_QUERY_ADMIN_SERVICE_H_
#define TOMBOLA_COLLECTOR_QUERY_ADMIN_SERVICE_H_

#include <array>
#include <functional>
#include <memory>

#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "collector/query/task_info.h"
#include "common/base/clock.h"
#include "common/metrics/metrics.h"
#include "common/random/random_source.h"
#include "tombola/v1/collector.grpc.pb.h"

namespace tombola::collector {

class AdminService final : public v1::CollectorAdmin::Service {
 public:
  struct Parts {
    Catalog* catalog = nullptr;
    KeyRing* keys = nullptr;
    TaskInfos* infos = nullptr;
    const Metrics* metrics = nullptr;
    const Clock* clock = nullptr;
    std::array<uint8_t, 32> collector_key{};
    std::function<std::unique_ptr<RandomSource>()> make_random;
  };

  explicit AdminService(Parts parts) : parts_(std::move(parts)) {}

  grpc::Status CreateTask(grpc::ServerContext* context, const v1::CreateTaskRequest* request,
                          v1::TaskInfo* response) override;
  grpc::Status CloseTask(grpc::ServerContext* context, const v1::CloseTaskRequest* request,
                         v1::TaskInfo* response) override;
  grpc::Status RotateKeys(grpc::ServerContext* context, const v1::RotateKeysRequest* request,
                          v1::KeyInfo* response) override;
  grpc::Status DestroyKey(grpc::ServerContext* context, const v1::DestroyKeyRequest* request,
                          v1::KeyInfo* response) override;
  grpc::Status GetMetrics(grpc::ServerContext* context,
                          const v1::GetCollectorMetricsRequest* request,
                          v1::CollectorMetrics* response) override;

 private:
  const Parts parts_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_ADMIN_SERVICE_H_
