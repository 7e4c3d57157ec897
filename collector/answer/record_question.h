// What is asked of records, with names become places.
#ifndef TOMBOLA_COLLECTOR_ANSWER_RECORD_QUESTION_H_
#define TOMBOLA_COLLECTOR_ANSWER_RECORD_QUESTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "common/kind/records.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// A condition on one attribute: a range of its numbers, or some of its labels.
struct RecordCondition {
  size_t attribute = 0;
  double low = 0, high = 0;
  std::vector<bool> labels;  // which of them; empty for a range
};

struct RecordQuestion {
  std::vector<RecordCondition> where;
  std::optional<size_t> measure;
  std::vector<size_t> by;
  std::vector<double> fractions;
  bool independence = false;

  // InvalidArgument, naming the attribute and its bounds: there is no such attribute or measure, a
  // range is empty or outside, a label is none of the attribute's, or a fraction is outside [0, 1].
  static absl::StatusOr<RecordQuestion> Read(const RecordSchema& schema,
                                             const v1::RecordsQuestion& wire);

  // Whether a view can answer it: it has all its attributes, and its measure.
  bool AnsweredBy(const RecordsView& view) const;
  // How much of each value of the view's attribute at `place` meets the conditions, in [0, 1]: what
  // is cut counts by its width.
  std::vector<double> Weights(const RecordSchema& schema, const RecordsView& view,
                              size_t place) const;
};

// The values of an attribute of a view in words and numbers.
v1::CellValue ValueOf(const RecordSchema& schema, const RecordsView& view, size_t place,
                      int64_t value);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_RECORD_QUESTION_H_
