// The part of a page that is about one data set.
#ifndef TOMBOLA_LAB_PAGE_SECTION_H_
#define TOMBOLA_LAB_PAGE_SECTION_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lab/experiment/study.h"
#include "lab/page/figures.h"
#include "lab/page/pages.h"

namespace tombola::lab {

// A number of which there is a chart and a table.
struct Shown {
  std::string name;   // in file names and charts' titles
  std::string words;  // before the table
  Number number;
};

// Both ways: charts, tables and relative errors, and what they cost. Charts go into `pages`, and
// are referred to in `folder`.
std::string SectionOf(const Study& study, absl::Span<const Shown> shown, absl::string_view folder,
                      Pages& pages);

// Numbers of devices, keys and pairs, and the error of answering 0; `means`: of pairs, not of sets.
std::string DataTable(absl::Span<const Study> studies, bool means);

// What different lengths cost.
std::string ItemsTable(absl::Span<const Study> studies);

// measurements.csv of all studies goes into `pages`.
Agreement AddMeasurements(absl::Span<const Study> studies, Pages& pages);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_SECTION_H_
