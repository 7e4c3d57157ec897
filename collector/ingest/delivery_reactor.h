// One stream of DeliverBatch.
#ifndef TOMBOLA_COLLECTOR_INGEST_DELIVERY_REACTOR_H_
#define TOMBOLA_COLLECTOR_INGEST_DELIVERY_REACTOR_H_

#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "collector/ingest/intake.h"
#include "common/base/mutex.h"
#include "common/base/work_pool.h"
#include "common/rpc/call_watch.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// Reads chunks and hands them to the pool, a few at a time, then lets the intake finish. Owned by
// gRPC: it deletes itself when the stream is done, which is after the last job that knows it,
// because it finishes the stream only when none is under way. A stream on which nothing comes and
// nothing is opened for the watch's patience is cancelled.
class DeliveryReactor final : public grpc::ServerReadReactor<v1::BatchChunk> {
 public:
  // `under_way` counts this delivery; it is taken off at the end.
  DeliveryReactor(const Intake* intake, WorkPool* pool, v1::BatchReceipt* receipt,
                  rpc::CallWatch* watch, grpc::CallbackServerContext* context,
                  std::atomic<int>* under_way);
  ~DeliveryReactor() override { --*under_way_; }

  void OnReadDone(bool ok) override;
  void OnDone() override { delete this; }

 private:
  // The first message. False: the stream is finished.
  bool Begin();
  // A message with reports. False: no further message is wanted.
  bool Take();
  void JobDone();
  // Once no job is under way and nothing more will come.
  void Conclude();
  // Ends the stream, and tells the log why.
  void Refuse(const absl::Status& status);
  void Answer(const BatchRecord& record);

  const Intake* const intake_;
  WorkPool* const pool_;
  v1::BatchReceipt* const receipt_;
  std::atomic<int>* const under_way_;
  rpc::CallWatch::Place place_;
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
