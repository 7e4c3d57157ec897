// One of the ways to count a table privately. A mechanism is both: the table that it counts, for
// who writes, reads and counts reports, and the scheme of a task in which devices fill cells of it
// as Table::filling says.
#ifndef TOMBOLA_COMMON_MECHANISM_MECHANISM_H_
#define TOMBOLA_COMMON_MECHANISM_MECHANISM_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "common/random/random_source.h"
#include "common/scheme/scheme.h"
#include "common/table/count_model.h"
#include "common/table/table.h"

namespace tombola::mechanism {

// What a filling adds to parameters: nothing for one cell.
inline void SayFilling(const Filling& filling, Parameters* parameters) {
  if (filling == Filling()) return;
  parameters->max_items = filling.held;
  parameters->sent = filling.sent;
  if (filling.units > 1) parameters->units = filling.units;
}

// A mechanism with valid parameters for one domain. Immutable and thread-safe.
class Mechanism : public Table, public Scheme {
 public:
  size_t report_bytes() const final { return Table::report_bytes(); }
  int64_t own_reports_per_submission() const final { return filling().sent; }
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override = 0;

  // What any number of reports by one memo say to everybody; absent where a report is nothing to
  // keep, as beside dummies, or where its hash function would name the device.
  virtual std::optional<double> memo_epsilon() const { return std::nullopt; }

  // The expected squared error of a frequency before post-processing, averaged over the domain, for
  // one batch of this many submissions, >= 1.
  virtual double PredictedMse(int64_t submissions) const {
    return AverageSquaredError(count_model(), domain_size(),
                               {.submissions = submissions, .fakes = fakes()});
  }
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_MECHANISM_H_
