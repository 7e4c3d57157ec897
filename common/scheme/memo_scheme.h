// The scheme of devices that say the same memo again and again.
#ifndef TOMBOLA_COMMON_SCHEME_MEMO_SCHEME_H_
#define TOMBOLA_COMMON_SCHEME_MEMO_SCHEME_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/accounting/submission_loss.h"
#include "common/random/random_source.h"
#include "common/scheme/scheme.h"

namespace tombola::mechanism {

// A device draws a memo of each value that it holds, of so many values at most, and every
// submission is made of one of them.
//
// Guarantees what the memos say by themselves, to everybody and for any number of submissions: for
// two histories of values that change at the same times, their budgets together. Does not guarantee
// that it stays hidden whether or when a value changes: a memo that gives way to another is seen.
// Shuffling adds nothing: whoever sees a batch before and after a few devices have left or come
// sees those devices' memos alone, so that no batch is a crowd.
//
// Immutable and thread-safe.
class MemoScheme final : public Scheme {
 public:
  // One report of `report` by a memo, of which any number have `memo_epsilon`, finite and above 0.
  // values >= 1.
  MemoScheme(std::shared_ptr<const Scheme> report, double memo_epsilon, int64_t values);

  absl::string_view name() const override { return report_->name(); }
  Parameters parameters() const override { return report_->parameters(); }
  size_t report_bytes() const override { return report_->report_bytes(); }
  int64_t max_reports_per_submission() const override { return 1; }
  double expected_reports_per_submission() const override { return 1; }
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override {
    report_->DrawFake(random, report);
  }
  bool memoised() const override { return true; }
  double local_epsilon() const override { return epsilon_; }
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override;
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override;
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override;

 private:
  std::shared_ptr<const Scheme> report_;
  double epsilon_;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_SCHEME_MEMO_SCHEME_H_
