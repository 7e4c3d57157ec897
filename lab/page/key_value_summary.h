// The parts of docs/results-key-value.md that are about all data sets.
#ifndef TOMBOLA_LAB_PAGE_KEY_VALUE_SUMMARY_H_
#define TOMBOLA_LAB_PAGE_KEY_VALUE_SUMMARY_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "lab/experiment/study.h"

namespace tombola::lab {

// What each published method states, and what is true, at epsilon 1 with the keys and items of a
// data set.
std::string SourcesTable(const Study& study);
std::string ClaimsTable(absl::Span<const Study> studies);

// What was found, a sentence or some each.
std::vector<std::string> Findings(absl::Span<const Study> studies);

// The lengths that a rule found; and how often OETL found 1, which makes HISKV break its promise,
// with the true epsilon it then has.
std::string LengthTable(absl::Span<const Study> studies, std::vector<LengthRuns> Study::*rule);
std::string BrokenPromises(absl::Span<const Study> studies);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_KEY_VALUE_SUMMARY_H_
