// What the bodies of answers share that have a row for each value of a domain.
#ifndef TOMBOLA_COLLECTOR_ANSWER_COLUMNS_H_
#define TOMBOLA_COLLECTOR_ANSWER_COLUMNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "collector/answer/answerer.h"
#include "collector/estimate/estimator.h"
#include "collector/estimate/interval.h"
#include "common/task/task.h"

namespace tombola::collector {

// The values asked for, in the domain's order or, for top > 0, those with the largest frequencies,
// largest first. InvalidArgument: one is outside the domain, or there twice.
absl::StatusOr<std::vector<uint64_t>> Pick(uint64_t top, absl::Span<const uint64_t> values,
                                           const std::vector<double>& frequencies);

// What is said of every value; one entry for each value of the domain.
struct Estimated {
  const Estimates& estimates;
  const std::vector<double>& frequencies;  // post-processed
  const Interval& interval;
};

// Sets the columns that every such body has: values, labels, frequencies, raw, standard_errors, low
// and high.
template <typename Body>
void FillColumns(const Domain& domain, const std::vector<uint64_t>& values,
                 const Estimated& estimated, Body* body) {
  const int rows = static_cast<int>(values.size());
  body->mutable_values()->Add(values.begin(), values.end());
  for (auto* const column :
       {body->mutable_frequencies(), body->mutable_raw(), body->mutable_standard_errors(),
        body->mutable_low(), body->mutable_high()}) {
    column->Reserve(rows);
  }
  for (const uint64_t value : values) {
    const double raw = estimated.estimates.raw[value];
    const std::vector<double>& widening = estimated.estimates.widening;
    const double half =
        estimated.interval.HalfWidth(raw) * (widening.empty() ? 1 : widening[value]);
    body->add_frequencies(estimated.frequencies[value]);
    body->add_raw(raw);
    body->add_standard_errors(estimated.estimates.standard_errors[value]);
    body->add_low(raw - half);
    body->add_high(raw + half);
  }
  const std::vector<std::string>& labels = domain.labels();
  if (labels.empty()) return;
  for (const uint64_t value : values) body->add_labels(labels[value]);
}

// What is surely so of the rows `values`, if the question asked for the `top` >= 1 largest. `raw`
// is of every value of the domain.
v1::Ranking RankingOf(const Band& band, absl::Span<const double> raw,
                      const std::vector<uint64_t>& values, uint64_t top);

// What an answer with such a body takes at most, from the question until it is sent in that form.
// InvalidArgument: the question has more values than the domain.
struct AskedRows {
  uint64_t top = 0;
  int values = 0;  // named in the question
};
struct ColumnCosts {
  int64_t columns = 5;  // of numbers in the body, beside the values
  int64_t counted = 0;  // cells that are estimated
};
absl::StatusOr<int64_t> ColumnBytes(const Task& task, const AskedRows& asked,
                                    const ColumnCosts& costs, AnswerForm form);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_COLUMNS_H_
