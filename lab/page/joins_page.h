// docs/results-joins.md.
#ifndef TOMBOLA_LAB_PAGE_JOINS_PAGE_H_
#define TOMBOLA_LAB_PAGE_JOINS_PAGE_H_

#include "absl/types/span.h"
#include "lab/experiment/join_study.h"
#include "lab/page/pages.h"

namespace tombola::lab {

// At least one study. Files are in the folder results-joins/ beside the page.
Pages JoinPages(absl::Span<const JoinStudy> studies, const PageFacts& facts);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_JOINS_PAGE_H_
