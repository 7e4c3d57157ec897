// The analysts' RPCs: a certificate with the role `analyst` or `administrator`.
#ifndef TOMBOLA_COLLECTOR_QUERY_QUERY_SERVICE_H_
#define TOMBOLA_COLLECTOR_QUERY_QUERY_SERVICE_H_

#include "collector/audit/audit_log.h"
#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "collector/query/answers.h"
#include "collector/query/task_info.h"
#include "collector/totals/trusted_totals.h"
#include "common/base/work_pool.h"
#include "common/rpc/answer_desk.h"
#include "common/rpc/call_watch.h"
#include "common/tls/revocation.h"
#include "tombola/v1/collector.grpc.pb.h"

namespace tombola::collector {

// Answers are computed on threads of their own, and hold their ticket until the answer is sent;
// everything else is answered at a desk.
class QueryService final : public v1::CollectorQuery::CallbackService {
 public:
  struct Parts {
    const Catalog* catalog = nullptr;
    const KeyRing* keys = nullptr;
    Answers* answers = nullptr;
    TaskInfos* infos = nullptr;
    const TrustedTotals* totals = nullptr;
    const rpc::AnswerDesk* desk = nullptr;
    rpc::CallWatch* watch = nullptr;  // of answers
    WorkPool* pool = nullptr;         // likewise
    AuditLog* audit = nullptr;
    tls::Revocation* revocation = nullptr;  // none: nothing is revoked
  };
  explicit QueryService(const Parts& parts)
      : catalog_(parts.catalog),
        keys_(parts.keys),
        answers_(parts.answers),
        infos_(parts.infos),
        totals_(parts.totals),
        desk_(parts.desk),
        watch_(parts.watch),
        pool_(parts.pool),
        audit_(parts.audit),
        revocation_(parts.revocation) {}

  grpc::ServerUnaryReactor* ListTasks(grpc::CallbackServerContext* context,
                                      const v1::ListTasksRequest* request,
                                      v1::TaskList* response) override;
  grpc::ServerUnaryReactor* GetTask(grpc::CallbackServerContext* context,
                                    const v1::GetTaskInfoRequest* request,
                                    v1::TaskInfo* response) override;
  grpc::ServerUnaryReactor* GetAnswer(grpc::CallbackServerContext* context,
                                      const v1::GetAnswerRequest* request,
                                      v1::Answer* response) override;
  grpc::ServerUnaryReactor* ListKeys(grpc::CallbackServerContext* context,
                                     const v1::ListKeysRequest* request,
                                     v1::KeyInfo* response) override;
  grpc::ServerUnaryReactor* GetTotals(grpc::CallbackServerContext* context,
                                      const v1::GetTotalsRequest* request,
                                      v1::Totals* response) override;

 private:
  absl::Status CheckRole(const grpc::CallbackServerContext& context) const;

  const Catalog* const catalog_;
  const KeyRing* const keys_;
  Answers* const answers_;
  TaskInfos* const infos_;
  const TrustedTotals* const totals_;
  const rpc::AnswerDesk* const desk_;
  rpc::CallWatch* const watch_;
  WorkPool* const pool_;
  AuditLog* const audit_;
  tls::Revocation* const revocation_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_QUERY_SERVICE_H_
