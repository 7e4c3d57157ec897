// Cells of prefixes under public hash functions, by which strings are told that nobody listed, as a
// mechanism: the table of these cells, and how submissions hide each other.
#ifndef TOMBOLA_COMMON_MECHANISM_STRINGS_H_
#define TOMBOLA_COMMON_MECHANISM_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/mechanism/dummies.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"
#include "common/strings/randomizer.h"
#include "common/strings/report.h"
#include "common/strings/shape.h"

namespace tombola::mechanism {

struct StringsOptions {
  strings::StringMessages messages = strings::StringMessages::kOne;
  uint64_t blanket_threshold = 0;  // of kOne: gamma * 2^64, at least 1
  DummyOptions dummies = {};       // of the others
};

// "one_message", "dummies" or "every_level".
absl::string_view NameOf(strings::StringMessages messages);

// A cell is (level * kFunctions + function) * range + bucket; there may be 2^40 of them, of which
// only those that occur are counted. A device fills the cell of its string under a random function,
// at a random level or at each (client/place), and as level and function are drawn whatever the
// string is, they say nothing of it.
//
// Guaranteed, by the accountants of mechanisms over buckets alone (docs/privacy.md): of one
// message, what randomised response over `range` values guarantees, local epsilon included; of
// dummies what pure_dump does over `range` values, and of every level, over `range` values for each
// of so many cells. Immutable and thread-safe.
class Strings final : public Mechanism {
 public:
  // InvalidArgument naming the field ("strings.dummies.rate", ...) and its bound.
  static absl::StatusOr<std::shared_ptr<const Strings>> Create(const strings::Shape& shape,
                                                               const StringsOptions& options);

  absl::string_view name() const override { return NameOf(options_.messages); }
  int64_t domain_size() const override {
    return shape_.levels() * strings::kFunctions * shape_.range();
  }
  Layout layout() const override { return Layout::kString; }
  Filling filling() const override { return {.held = cells(), .sent = cells()}; }
  int64_t max_reports_per_submission() const override {
    return hiding_->max_reports_per_submission();
  }
  double expected_reports_per_submission() const override {
    return hiding_->expected_reports_per_submission();
  }
  std::unique_ptr<MessageLaw> message_law() const override { return hiding_->message_law(); }
  Parameters parameters() const override;
  double local_epsilon() const override { return hiding_->local_epsilon(); }
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override {
    return hiding_->Delta(honest, epsilon);
  }
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override {
    return hiding_->EpsilonAt(honest, delta);
  }
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override {
    return hiding_->SmallestHonest(epsilon, delta);
  }
  absl::StatusOr<accounting::SubmissionLoss> Loss(int64_t honest,
                                                  double negligible) const override {
    return hiding_->Loss(honest, negligible);
  }
  // Of a string's reports at one level, whatever the functions.
  CountModel count_model() const override;
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override;

  const strings::Shape& shape() const { return shape_; }
  const StringsOptions& options() const { return options_; }
  // The cells that a device fills.
  int64_t cells() const {
    return options_.messages == strings::StringMessages::kEveryLevel ? shape_.levels() : 1;
  }
  // Of one message: the probability of a uniform bucket, rounded down; else 0.
  double gamma() const;
  // Which cell a report is of, and the other way round.
  uint64_t CellOf(const strings::StringReport& report) const;
  strings::StringReport ReportOf(uint64_t cell) const;

  // What a device says of a cell that it fills.
  strings::StringReport Randomised(uint64_t cell, RandomSource& random) const;
  // A report drawn uniformly from all.
  strings::StringReport AnyReport(RandomSource& random) const;
  // How many of those it adds.
  int64_t DrawDummies(RandomSource& random) const;

 private:
  Strings(const strings::Shape& shape, const StringsOptions& options,
          std::shared_ptr<const Mechanism> hiding, std::optional<Dummies> dummies);

  strings::Shape shape_;
  StringsOptions options_;
  std::shared_ptr<const Mechanism> hiding_;  // the accountant, over buckets
  std::optional<Dummies> dummies_;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_STRINGS_H_
