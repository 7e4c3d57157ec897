// The devices' RPCs.
#ifndef TOMBOLA_SHUFFLER_ACCEPT_SHUFFLER_SERVICE_H_
#define TOMBOLA_SHUFFLER_ACCEPT_SHUFFLER_SERVICE_H_

#include <functional>

#include "common/base/clock.h"
#include "common/base/fair_share.h"
#include "common/metrics/metrics.h"
#include "common/rpc/admitted_messages.h"
#include "common/rpc/call_watch.h"
#include "common/rpc/connection_cap.h"
#include "common/tls/revocation.h"
#include "shuffler/accept/refusals.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/store/store.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola::shuffler {

// Converts, calls and maps a status. A submission waits for the disk without holding a thread: the
// store answers through a callback. What may be in flight is bounded, in calls and in memory, and
// shared fairly among tasks: beyond it a call gets RESOURCE_EXHAUSTED with a time to wait.
// Submissions have a budget of their own, which no number of lookups (GetTask, GetKeyList) can
// take, and a connection may have only so many of those. Nothing of the caller (address, time,
// metadata) is kept beyond its call, and nothing is read but whether a certificate names a role
// that is not a device's, and which connection it is.
class ShufflerService final : public v1::Shuffler::CallbackService {
 public:
  struct Parts {
    const Catalog* catalog = nullptr;
    Store* store = nullptr;
    const Clock* clock = nullptr;
    Metrics* metrics = nullptr;
    Refusals* refusals = nullptr;
    FairShare* submissions = nullptr;
    FairShare* lookups = nullptr;
    rpc::ConnectionCap* lookup_seats = nullptr;
    rpc::CallWatch* watch = nullptr;         // of submissions
    rpc::CallWatch* lookup_watch = nullptr;  // of what devices ask for
    tls::Revocation* revocation = nullptr;   // none: nothing is revoked
    // Whether the releaser has looked at what is held since the start.
    std::function<bool()> looked;
  };

  explicit ShufflerService(Parts parts);

  grpc::ServerUnaryReactor* GetTask(grpc::CallbackServerContext* context,
                                    const v1::GetTaskRequest* request,
                                    v1::GetTaskResponse* response) override;
  grpc::ServerUnaryReactor* GetKeyList(grpc::CallbackServerContext* context,
                                       const v1::GetKeyListRequest* request,
                                       v1::SignedKeyList* response) override;
  grpc::ServerUnaryReactor* Submit(grpc::CallbackServerContext* context,
                                   const v1::SubmitRequest* request,
                                   v1::SubmitResponse* response) override;

 private:
  using SubmitMessages = rpc::AdmittedMessages<v1::SubmitRequest, v1::SubmitResponse>;

  absl::Status CheckRole(const grpc::CallbackServerContext& context) const;
  grpc::ServerUnaryReactor* Refuse(grpc::CallbackServerContext* context,
                                   const absl::Status& status);
  void Answer(const absl::StatusOr<std::vector<Outcome>>& outcomes, v1::SubmitResponse* response);

  const Parts parts_;
  SubmitMessages::Allocator submit_messages_;
  prometheus::Counter& accepted_;
  prometheus::Counter& duplicates_;
  prometheus::Counter& rejected_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_ACCEPT_SHUFFLER_SERVICE_H_
