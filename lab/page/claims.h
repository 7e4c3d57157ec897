// What the HISKV paper's section 4 says of its figures, beside what was measured.
#ifndef TOMBOLA_LAB_PAGE_CLAIMS_H_
#define TOMBOLA_LAB_PAGE_CLAIMS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "lab/experiment/study.h"

namespace tombola::lab {

// One row of the table of claims.
struct Judged {
  std::string claim;
  // "holds", "does not hold", "in 3 of 12", "not measured"; and the ratios of the errors that are
  // compared, or a dash. Of HISKV, and of LRR_KV that is told the right length.
  std::string hiskv, hiskv_ratio;
  std::string told, told_ratio;
};

std::string Verdict(int64_t good, int64_t all);

// All claims, in the paper's order.
std::vector<Judged> JudgeClaims(absl::Span<const Study> studies);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_CLAIMS_H_
