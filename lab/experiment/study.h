// All methods on one data set, in two ways.
#ifndef TOMBOLA_LAB_EXPERIMENT_STUDY_H_
#define TOMBOLA_LAB_EXPERIMENT_STUDY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lab/experiment/measure.h"

namespace tombola::lab {

// As in the paper's figures.
std::vector<double> StudyEpsilons();
inline constexpr double kStudyDelta = 1e-6;

struct DataSet {
  std::string key;    // in file names
  std::string title;  // on pages
  std::string about;  // a sentence or some
  bool values = false;
  std::function<absl::StatusOr<Population>()> make;
};

struct Comparison {
  std::vector<Line> lines;
  std::vector<std::vector<Errors>> errors;  // by line and epsilon

  // The line of this name; it must be there.
  size_t Find(absl::string_view name) const;
};

// How a rule to find the length does, over kLengthRuns pilots of a tenth of the devices.
inline constexpr int kLengthRuns = 200;
struct LengthRuns {
  int64_t low = 0, median = 0, high = 0;  // the 5, 50 and 95 % quantiles
  double ones = 0;                        // the share of runs that give 1
};

// What it costs to let so many pairs of a device count.
struct ItemsRow {
  std::string rule;  // which share of the devices is not cut
  int64_t items = 0;
  double bias = 0;                   // root mean square, of frequencies
  simulation::Mean shared, sampled;  // squared errors of frequencies
};

struct Study {
  DataSet data;
  int64_t users = 0, keys = 0, pairs = 0;
  int64_t items = 0;                         // the length that 90 % do not exceed
  int64_t all_items = 0;                     // that 99.9 % do not
  double zero_frequency = 0, zero_mean = 0;  // squared errors of answering 0
  Comparison local;                          // equal local epsilon, no shuffler
  Comparison shuffled;                       // equal (epsilon, delta), with one
  std::vector<LengthRuns> oetl, threshold;   // by epsilon; of values only
  std::vector<ItemsRow> by_items;            // at kItemsEpsilon
};
inline constexpr double kItemsEpsilon = 0.5;

// The status of data.make, or why a method cannot be had.
absl::StatusOr<Study> RunStudy(const DataSet& data, const MeasureOptions& options);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_EXPERIMENT_STUDY_H_
