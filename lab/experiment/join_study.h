// Star joins: all methods on one data set, as the LPRR-JOIN paper's figures have it.
#ifndef TOMBOLA_LAB_EXPERIMENT_JOIN_STUDY_H_
#define TOMBOLA_LAB_EXPERIMENT_JOIN_STUDY_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/simulation/trials.h"
#include "lab/experiment/cap_study.h"
#include "lab/experiment/measure.h"
#include "lab/joins/star.h"

namespace tombola::lab {

struct JoinData {
  std::string key;    // in file names
  std::string title;  // on pages
  std::string about;  // a sentence or some
  std::function<absl::StatusOr<StarData>()> make;
};
// SYN-1, SYN-2 and the stand-in of IPUMS-P, `part` of their devices, and, if `folder` is not empty,
// Adult in it.
std::vector<JoinData> JoinDataSets(const std::string& folder, double part, uint64_t seed);

// Where a figure's panel stands on its axis.
struct JoinPoint {
  double x = 0;
  double epsilon = 1;
  double volume = 0.15;  // of an attribute's places, that a range covers
  int asked = 1;         // ranges
  int64_t tau = 1;       // of all methods without a shuffler but the central one
  int64_t tau_e = 1;     // of LPRR-JOIN-E
};
struct JoinAxis {
  std::string name;   // in file names
  std::string title;  // on pages
  std::vector<JoinPoint> points;
  bool fixed_tau = false;  // with a shuffler too
};
// Epsilon 1 to 5; volume 0.07 to 0.3; 1 to 3 ranges; tau 1 to 4.
std::vector<JoinAxis> JoinAxes();

// Averages over trials and queries: (answer - truth)^2 / total^2, and |answer - truth| / truth. NaN
// where a method has no answer.
struct JoinErrors {
  simulation::Mean count_nmse, sum_nmse, count_mre, sum_mre, average_mre;
  // Of count_nmse, from laws.
  double predicted = std::numeric_limits<double>::quiet_NaN();
  int64_t tau = 0;
  double local_epsilon = 0, messages = 0;
};

struct JoinLine {
  std::string name;
  std::string title;
  int style = 0;
  bool dashed = false;
  std::vector<JoinErrors> errors;  // by point
};

// One axis in one of the two ways.
struct JoinComparison {
  std::vector<JoinLine> lines;
  const JoinLine* Find(absl::string_view name) const;  // null if it is not there
};

struct JoinStudy {
  JoinData data;
  int64_t users = 0, tuples = 0, most = 0;
  Places places = {};
  double below_six = 0;                  // share of devices with so few tuples
  std::vector<double> tau_bias;          // by tau from 1: the share of tuples that is cut off
  std::vector<JoinComparison> local;     // by axis: equal local epsilon, no shuffler
  std::vector<JoinComparison> shuffled;  // equal (epsilon, kStudyDelta), with one
  // With one, of tuples that are alike only so many count: where the axis of 1 to 3 ranges is.
  std::vector<CapPoint> capped;
};
inline constexpr int kJoinQueries = 16;
inline constexpr double kJoinDelta = 1e-6;

// Each axis has kJoinQueries queries of every kind, each around a tuple that is drawn from the
// data.
absl::StatusOr<JoinStudy> RunJoinStudy(const JoinData& data, const MeasureOptions& options);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_EXPERIMENT_JOIN_STUDY_H_
