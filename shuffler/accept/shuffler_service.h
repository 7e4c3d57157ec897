// The devices' RPCs.
#ifndef TOMBOLA_SHUFFLER_ACCEPT_SHUFFLER_SERVICE_H_
#define TOMBOLA_SHUFFLER_ACCEPT_SHUFFLER_SERVICE_H_

#include <functional>

#include "common/base/clock.h"
#include "common/base/fair_share.h"
#include "common/metrics/metrics.h"
#include "common/rpc/admitted_messages.h"
#include "common/rpc/call_watch.h"
#include "shuffler/accept/refusals.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/store/store.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola::shuffler {

// Converts, calls and maps a status. A submission waits for the disk without holding a thread: the
// store answers through a callback. What may be in flight is bounded, in calls and in memory, and
// shared fairly among tasks: beyond it a call gets RESOURCE_EXHAUSTED with a time to wait. Nothing
// of the caller (address, time, metadata) is read but whether a certificate names a role that is
// not a device's.
class ShufflerService final : public v1::Shuffler::CallbackService {
 public:
  struct Parts {
    const Catalog* catalog = nullptr;
    Store* store = nullptr;
    const Clock* clock = nullptr;
    Metrics* metrics = nullptr;
    Refusals* refusals = nullptr;
    FairShare* in_flight = nullptr;
    rpc::CallWatch* watch = nullptr;
    std::function<void()> unknown_task;  // called when a task is asked for that is not known
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
