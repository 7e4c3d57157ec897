// docs/results-streams.md.
#ifndef TOMBOLA_LAB_PAGE_STREAMS_PAGE_H_
#define TOMBOLA_LAB_PAGE_STREAMS_PAGE_H_

#include "lab/experiment/stream_study.h"
#include "lab/page/pages.h"

namespace tombola::lab {

// Files are in the folder results-streams/ beside the page.
Pages StreamPages(const StreamStudy& study);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_STREAMS_PAGE_H_
