// docs/results-strings.md.
#ifndef TOMBOLA_LAB_PAGE_STRINGS_PAGE_H_
#define TOMBOLA_LAB_PAGE_STRINGS_PAGE_H_

#include "lab/experiment/string_study.h"
#include "lab/page/pages.h"

namespace tombola::lab {

// Files are in the folder results-strings/ beside the page.
Pages StringPages(const StringStudy& study, const PageFacts& facts);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_STRINGS_PAGE_H_
