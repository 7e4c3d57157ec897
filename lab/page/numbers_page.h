// docs/results-numbers.md.
#ifndef TOMBOLA_LAB_PAGE_NUMBERS_PAGE_H_
#define TOMBOLA_LAB_PAGE_NUMBERS_PAGE_H_

#include "lab/experiment/number_study.h"
#include "lab/page/pages.h"

namespace tombola::lab {

// Files are in the folder results-numbers/ beside the page.
Pages NumberPages(const NumberStudy& study, const PageFacts& facts);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_NUMBERS_PAGE_H_
