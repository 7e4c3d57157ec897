// The operator's RPCs: exact counts, for a certificate with the role `operator` only.
#ifndef TOMBOLA_SHUFFLER_ACCEPT_OPERATOR_SERVICE_H_
#define TOMBOLA_SHUFFLER_ACCEPT_OPERATOR_SERVICE_H_

#include "common/metrics/metrics.h"
#include "shuffler/batch/gates.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/store/store.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola::shuffler {

class OperatorService final : public v1::ShufflerOperator::Service {
 public:
  OperatorService(const Catalog* catalog, const Store* store, Gates* gates, const Metrics* metrics)
      : catalog_(catalog), store_(store), gates_(gates), metrics_(metrics) {}

  grpc::Status GetStatus(grpc::ServerContext* context, const v1::GetShufflerStatusRequest* request,
                         v1::ShufflerStatus* response) override;
  grpc::Status GetMetrics(grpc::ServerContext* context,
                          const v1::GetShufflerMetricsRequest* request,
                          v1::ShufflerMetrics* response) override;

 private:
  absl::Status Describe(const CatalogEntry& entry, v1::ShufflerTaskStatus* status);

  const Catalog* const catalog_;
  const Store* const store_;
  Gates* const gates_;
  const Metrics* const metrics_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_ACCEPT_OPERATOR_SERVICE_H_
