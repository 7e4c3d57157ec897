// The operator's RPCs: exact counts, for a certificate with the role `operator` only.
#ifndef TOMBOLA_SHUFFLER_ACCEPT_OPERATOR_SERVICE_H_
#define TOMBOLA_SHUFFLER_ACCEPT_OPERATOR_SERVICE_H_

#include "common/base/watched_clock.h"
#include "common/metrics/metrics.h"
#include "common/rpc/answer_desk.h"
#include "common/tls/revocation.h"
#include "shuffler/batch/gates.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/store/store.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola::shuffler {

class OperatorService final : public v1::ShufflerOperator::CallbackService {
 public:
  // Without `revocation` nothing is revoked.
  OperatorService(const Catalog* catalog, const Store* store, Gates* gates, const Metrics* metrics,
                  const WatchedClock* clock, tls::Revocation* revocation,
                  const rpc::AnswerDesk* desk)
      : catalog_(catalog),
        store_(store),
        gates_(gates),
        metrics_(metrics),
        clock_(clock),
        revocation_(revocation),
        desk_(desk) {}

  grpc::ServerUnaryReactor* GetStatus(grpc::CallbackServerContext* context,
                                      const v1::GetShufflerStatusRequest* request,
                                      v1::ShufflerStatus* response) override;
  grpc::ServerUnaryReactor* GetMetrics(grpc::CallbackServerContext* context,
                                       const v1::GetShufflerMetricsRequest* request,
                                       v1::ShufflerMetrics* response) override;

 private:
  absl::Status CheckRole(const grpc::CallbackServerContext& context) const;
  absl::Status Fill(const v1::GetShufflerStatusRequest& request, v1::ShufflerStatus* response);
  absl::Status Describe(const CatalogEntry& entry, v1::ShufflerTaskStatus* status);

  const Catalog* const catalog_;
  const Store* const store_;
  Gates* const gates_;
  const Metrics* const metrics_;
  const WatchedClock* const clock_;
  tls::Revocation* const revocation_;
  const rpc::AnswerDesk* const desk_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_ACCEPT_OPERATOR_SERVICE_H_
