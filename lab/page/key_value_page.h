// docs/results-key-value.md.
#ifndef TOMBOLA_LAB_PAGE_KEY_VALUE_PAGE_H_
#define TOMBOLA_LAB_PAGE_KEY_VALUE_PAGE_H_

#include "absl/types/span.h"
#include "lab/experiment/study.h"
#include "lab/page/pages.h"

namespace tombola::lab {

// At least one study. Files are in the folder results-key-value/ beside the page.
Pages KeyValuePages(absl::Span<const Study> studies, const PageFacts& facts);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_KEY_VALUE_PAGE_H_
