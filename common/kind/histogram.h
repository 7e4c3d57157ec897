// A device holds one value of a domain; asked is how often each value occurs.
#ifndef TOMBOLA_COMMON_KIND_HISTOGRAM_H_
#define TOMBOLA_COMMON_KIND_HISTOGRAM_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/kind/kind.h"
#include "common/mechanism/mechanism.h"
#include "tombola/v1/task.pb.h"

namespace tombola {

// One table, whose cells are the values, counted by the task's mechanism; by memos if the task says
// so (Task.longitudinal).
class Histogram final : public Kind {
 public:
  static constexpr absl::string_view kName = "histogram";

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<std::shared_ptr<const Kind>> Read(const v1::Task& task);

  // memo_values > 0: of a mechanism that has memos.
  explicit Histogram(std::shared_ptr<const mechanism::Mechanism> mechanism,
                     int64_t memo_values = 0);

  absl::string_view name() const override { return kName; }
  const mechanism::Tables& tables() const override { return tables_; }
  const std::shared_ptr<const mechanism::Scheme>& scheme() const override { return scheme_; }
  int64_t memo_values() const override { return memo_values_; }
  double PredictedMse(int64_t submissions) const override {
    return mechanism_->PredictedMse(submissions);
  }

 private:
  std::shared_ptr<const mechanism::Mechanism> mechanism_;
  int64_t memo_values_;
  mechanism::Tables tables_;
  std::shared_ptr<const mechanism::Scheme> scheme_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_HISTOGRAM_H_
