// What the LPRR-JOIN paper's section 4 says of its figures, beside what was measured.
#ifndef TOMBOLA_LAB_PAGE_JOIN_CLAIMS_H_
#define TOMBOLA_LAB_PAGE_JOIN_CLAIMS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lab/experiment/join_study.h"

namespace tombola::lab {

// Which number of the errors is looked at.
using JoinNumber = std::function<double(const JoinErrors&)>;
inline double CountNmse(const JoinErrors& errors) { return errors.count_nmse.value; }
inline double SumNmse(const JoinErrors& errors) { return errors.sum_nmse.value; }
inline double AverageMre(const JoinErrors& errors) { return errors.average_mre.value; }

// The places of JoinAxes().
inline constexpr size_t kEpsilonAxis = 0, kVolumeAxis = 1, kRangesAxis = 2, kTauAxis = 3;

// At every point of an axis, of all studies, where both have it: how many times the number of
// `under` that of `over` is.
std::vector<double> JoinRatios(absl::Span<const JoinStudy> studies,
                               std::vector<JoinComparison> JoinStudy::*way, size_t axis,
                               absl::string_view over, absl::string_view under,
                               const JoinNumber& number);

struct JudgedJoin {
  std::string claim;
  std::string verdict;  // as Verdict of claims.h
  std::string found;    // the ratios that are compared, or why not
};
// All claims, in the paper's order.
std::vector<JudgedJoin> JudgeJoinClaims(absl::Span<const JoinStudy> studies);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_JOIN_CLAIMS_H_
