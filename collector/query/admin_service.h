// The administrators' RPCs: a certificate with the role `administrator`.
#ifndef TOMBOLA_COLLECTOR_QUERY_ADMIN_SERVICE_H_
#define TOMBOLA_COLLECTOR_QUERY_ADMIN_SERVICE_H_

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collector/audit/audit_log.h"
#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "collector/query/answers.h"
#include "collector/query/task_info.h"
#include "common/base/clock.h"
#include "common/metrics/metrics.h"
#include "common/random/random_source.h"
#include "common/rpc/answer_desk.h"
#include "common/tls/revocation.h"
#include "tombola/v1/collector.grpc.pb.h"

namespace tombola::collector {

class AdminService final : public v1::CollectorAdmin::CallbackService {
 public:
  struct Parts {
    Catalog* catalog = nullptr;
    KeyRing* keys = nullptr;
    TaskInfos* infos = nullptr;
    const Answers* answers = nullptr;
    TrustedTotals* totals = nullptr;
    const Metrics* metrics = nullptr;
    const Clock* clock = nullptr;
    AuditLog* audit = nullptr;
    const rpc::AnswerDesk* desk = nullptr;
    std::array<uint8_t, 32> collector_key{};
    std::function<std::unique_ptr<RandomSource>()> make_random;
    tls::Revocation* revocation = nullptr;  // none: nothing is revoked
  };

  explicit AdminService(Parts parts) : parts_(std::move(parts)) {}

  grpc::ServerUnaryReactor* CreateTask(grpc::CallbackServerContext* context,
                                       const v1::CreateTaskRequest* request,
                                       v1::TaskInfo* response) override;
  grpc::ServerUnaryReactor* CloseTask(grpc::CallbackServerContext* context,
                                      const v1::CloseTaskRequest* request,
                                      v1::TaskInfo* response) override;
  grpc::ServerUnaryReactor* ArchiveTask(grpc::CallbackServerContext* context,
                                        const v1::ArchiveTaskRequest* request,
                                        v1::TaskInfo* response) override;
  grpc::ServerUnaryReactor* RotateKeys(grpc::CallbackServerContext* context,
                                       const v1::RotateKeysRequest* request,
                                       v1::KeyInfo* response) override;
  grpc::ServerUnaryReactor* DestroyKey(grpc::CallbackServerContext* context,
                                       const v1::DestroyKeyRequest* request,
                                       v1::KeyInfo* response) override;
  grpc::ServerUnaryReactor* GetMetrics(grpc::CallbackServerContext* context,
                                       const v1::GetCollectorMetricsRequest* request,
                                       v1::CollectorMetrics* response) override;

 private:
  absl::Status CheckRole(const grpc::CallbackServerContext& context) const;
  // Answers at the desk, and records the act with its outcome. `about` is asked when it is over.
  using About = std::function<std::vector<std::pair<std::string, std::string>>()>;
  grpc::ServerUnaryReactor* Act(grpc::CallbackServerContext* context, const std::string& act,
                                std::function<absl::Status()> work, About about) const;

  const Parts parts_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_ADMIN_SERVICE_H_
