// What comparisons over several data sets come to.
#ifndef TOMBOLA_LAB_PAGE_READING_H_
#define TOMBOLA_LAB_PAGE_READING_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lab/page/figures.h"

namespace tombola::lab {

using Names = absl::Span<const absl::string_view>;

// Over all comparisons and epsilons: the error of `over`, of several the least, in terms of that of
// `under`.
std::vector<double> Ratios(absl::Span<const Comparison* const> comparisons, Names over,
                           absl::string_view under, const Number& number);

// Which of the lines is the best at each epsilon, counted: "Collision in 21, KVOH in 3 of 24".
std::string Tally(absl::Span<const Comparison* const> comparisons, Names names,
                  const Number& number);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_READING_H_
