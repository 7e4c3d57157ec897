// docs/results-sets.md.
#ifndef TOMBOLA_LAB_PAGE_SET_PAGE_H_
#define TOMBOLA_LAB_PAGE_SET_PAGE_H_

#include "absl/types/span.h"
#include "lab/experiment/histograms.h"
#include "lab/experiment/study.h"
#include "lab/page/pages.h"

namespace tombola::lab {

// At least one study. Files are in the folder results-sets/ beside the page.
Pages SetPages(absl::Span<const Study> studies, const HistogramStudy& histograms,
               const PageFacts& facts);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_SET_PAGE_H_
