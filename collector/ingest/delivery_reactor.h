// One stream of DeliverBatch.
#ifndef TOMBOLA_COLLECTOR_INGEST_DELIVERY_REACTOR_H_
#define TOMBOLA_COLLECTOR_INGEST_DELIVERY_REACTOR_H_

#include <grpcpp/support/server_callback.h>

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "collector/ingest/intake.h"
#include "collector/ingest/refused_deliveries.h"
#include "common/base/fair_share.h"
#include "common/base/mutex.h"
#include "common/base/work_pool.h"
#include "common/rpc/call_watch.h"
#include "common/tls/revocation.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// Reads chunks and hands them to the pool, a few at a time, then lets the intake finish. Owned by
// gRPC: it deletes itself when the stream is done, which is after the last job that knows it,
// because it finishes the stream only when none is under way.
//
// A stream begins as one of many that have shown nothing yet, for as long as the first watch is
// patient. With a manifest that the shuffler of its task has signed it takes one of the few places
// of deliveries, and is cancelled when nothing comes and nothing is opened for the second watch's
// patience.
class DeliveryReactor final : public grpc::ServerReadReactor<v1::BatchChunk> {
 public:
  struct Parts {
    const Intake* intake = nullptr;
    WorkPool* pool = nullptr;
    rpc::CallWatch* header_watch = nullptr;
    rpc::CallWatch* watch = nullptr;
    RefusedDeliveries* refused = nullptr;
    FairShare* deliveries = nullptr;        // by the shuffler's long-term key
    tls::Revocation* revocation = nullptr;  // none: nothing is revoked
  };
  // `waiting` is what the stream holds until it is a delivery.
  DeliveryReactor(const Parts& parts, FairShare::Ticket waiting,
                  grpc::CallbackServerContext* context, v1::BatchReceipt* receipt);

  void OnReadDone(bool ok) override;
  void OnDone() override { delete this; }

 private:
  // Whether the sender may still send: its certificate may have been revoked meanwhile.
  absl::Status CheckSender() const;
  // Whether a delivery of this task may begin; it has its place then.
  absl::Status Admit(const Task& task);
  // The first message. False: the stream is finished.
  bool Begin();
  // A message with reports. False: no further message is wanted.
  bool Take();
  void JobDone();
  // Once no job is under way and nothing more will come.
  void Conclude();
  // Ends the stream, and counts it among those refused.
  void Refuse(const absl::Status& status);
  void Answer(const BatchRecord& record);

  const Parts parts_;
  grpc::CallbackServerContext* const context_;
  v1::BatchReceipt* const receipt_;
  FairShare::Ticket ticket_;
  std::optional<rpc::CallWatch::Place> place_;  // changes before the first job begins
  v1::BatchChunk message_;
  std::optional<Delivery> delivery_;

  Mutex mutex_;
  int jobs_ ABSL_GUARDED_BY(mutex_) = 0;
  bool read_wanted_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_DELIVERY_REACTOR_H_
