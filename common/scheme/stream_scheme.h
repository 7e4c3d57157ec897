// What a stream guarantees for one submission, over all nodes that it says something in.
#ifndef TOMBOLA_COMMON_SCHEME_STREAM_SCHEME_H_
#define TOMBOLA_COMMON_SCHEME_STREAM_SCHEME_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/base/mutex.h"
#include "common/random/random_source.h"
#include "common/scheme/nodes.h"
#include "common/scheme/scheme.h"

namespace tombola::mechanism {

// The worst period's. Reports are those of any node; numbers of them are over all nodes of a
// period. `honest` is of a period: that many in each of its periods are as many as a node is sized
// for. What Delta says of the epsilon that it was asked for last is kept, as a task's target is
// asked for again and again: the first time takes about a millisecond for each of DistinctPeriods.
// Who is in one period only asks Nodes::PeriodDelta. Thread-safe.
class StreamScheme final : public Scheme {
 public:
  explicit StreamScheme(std::shared_ptr<const Nodes> nodes);

  absl::string_view name() const override { return first().name(); }
  // Of the node that has the most noise; `honest` of a period.
  Parameters parameters() const override;
  size_t report_bytes() const override { return first().report_bytes(); }
  int64_t own_reports_per_submission() const override;
  int64_t max_reports_per_submission() const override { return nodes_->MostReports(); }
  double expected_reports_per_submission() const override;
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override {
    first().DrawFake(random, report);
  }
  // Of all nodes of a period together.
  double local_epsilon() const override;
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override;
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override;
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override;

 private:
  const Scheme& first() const { return *(*nodes_)[1].scheme; }
  // FailedPrecondition: fewer than the nodes are sized for.
  absl::Status CheckHonest(int64_t honest) const;

  std::shared_ptr<const Nodes> nodes_;
  int64_t honest_;
  mutable Mutex mutex_;
  mutable std::optional<std::pair<double, double>> last_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_SCHEME_STREAM_SCHEME_H_
