// One number a device: ranges over bins and the mean, by the published methods and Tombola's.
#ifndef TOMBOLA_LAB_EXPERIMENT_NUMBER_STUDY_H_
#define TOMBOLA_LAB_EXPERIMENT_NUMBER_STUDY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tombola::lab {

// A method over StudyEpsilons(): standard deviations.
struct NumberLine {
  std::string name;   // in files
  std::string title;  // on pages
  std::string where;  // local, shuffled, central
  int style = 0;
  bool dashed = false;
  std::vector<double> deviations;
  std::vector<double> messages;  // of a device; 0 where somebody trusted sees everything
};

struct NumberStudy {
  int64_t users = 0, bins = 0;
  std::vector<NumberLine>
      ranges;  // of numbers of devices, the root of the mean square of all ranges
  std::vector<NumberLine> means;  // of the mean of numbers in [-1, 1]

  const NumberLine& Range(absl::string_view name) const;  // must be there
  const NumberLine& Mean(absl::string_view name) const;
};
inline constexpr int64_t kNumberBins = 1024;
inline constexpr int64_t kBoostBranching = 2, kOwnBranching = 4;

// Local methods have each epsilon, shuffled ones (epsilon, kStudyDelta), central ones epsilon. All
// but NoiseFirst, of which `trials` runs are averaged, by their exact laws. The status of
// accountants that cannot do it.
absl::StatusOr<NumberStudy> StudyNumbers(int64_t users, int64_t trials, uint64_t seed);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_EXPERIMENT_NUMBER_STUDY_H_
