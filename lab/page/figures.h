// Charts, tables and CSV of comparisons.
#ifndef TOMBOLA_LAB_PAGE_FIGURES_H_
#define TOMBOLA_LAB_PAGE_FIGURES_H_

#include <functional>
#include <string>

#include "absl/types/span.h"
#include "lab/experiment/study.h"

namespace tombola::lab {

// Which number of the errors is shown.
using Number = std::function<double(const Errors&)>;
// The mean squared errors of frequencies, over all keys and over the most held, and of means.
inline double FrequencyError(const Errors& errors) { return errors.frequency.value; }
inline double TopError(const Errors& errors) { return errors.top_frequency.value; }
inline double MeanError(const Errors& errors) { return errors.mean.value; }

// A chart of one number over epsilon.
std::string ChartOf(const Comparison& comparison, absl::Span<const double> epsilons,
                    const std::string& title, const std::string& what, const Number& number);

// A row for each line, a column for each epsilon.
std::string ErrorTable(const Comparison& comparison, absl::Span<const double> epsilons,
                       const Number& number);
// A row for each line, a column for each of kTops, at one epsilon.
std::string RelativeTable(const Comparison& comparison, size_t at);
// What a device sends, what is left of its record if the shuffler colludes, and how many of its
// pairs count.
std::string CostTable(const Comparison& comparison, absl::Span<const double> epsilons);

// One line a number: the heading, and the rows of a comparison.
std::string CsvHeading();
std::string CsvRows(absl::string_view data, absl::string_view way, const Comparison& comparison,
                    absl::Span<const double> epsilons);

// The ratio of simulated to predicted squared errors of frequencies, the least and the most, over
// whatever has a prediction; and the largest standard error, relative.
struct Agreement {
  int64_t cells = 0;
  double low = 0, high = 0;
  double spread = 0;
};
void AddAgreement(const Comparison& comparison, Agreement& agreement);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_FIGURES_H_
