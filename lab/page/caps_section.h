// Caps on tuples that are alike, on docs/results-joins.md.
#ifndef TOMBOLA_LAB_PAGE_CAPS_SECTION_H_
#define TOMBOLA_LAB_PAGE_CAPS_SECTION_H_

#include <string>

#include "absl/types/span.h"
#include "lab/experiment/join_study.h"

namespace tombola::lab {

// What caps are good for, over all data sets: a finding of the page.
std::string CapsFinding(absl::Span<const JoinStudy> studies);
// The table of one data set, with its heading.
std::string CapsOf(const JoinStudy& study);
std::string CapsCsv(absl::Span<const JoinStudy> studies);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_CAPS_SECTION_H_
