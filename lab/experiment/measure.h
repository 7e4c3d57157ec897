// Methods compared on one population.
#ifndef TOMBOLA_LAB_EXPERIMENT_MEASURE_H_
#define TOMBOLA_LAB_EXPERIMENT_MEASURE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "cli/simulation/trials.h"
#include "lab/data/population.h"
#include "lab/key_value/method.h"

namespace tombola::lab {

// A method at one epsilon.
struct Point {
  std::unique_ptr<const Method> method;
  // What is left of a record if the shuffler colludes; infinity: nothing.
  double local_epsilon = std::numeric_limits<double>::infinity();
  double messages = 1;  // of a device, on average
};

// A method over all epsilons: a line of a chart, a row of a table.
struct Line {
  std::string name;   // in files
  std::string title;  // on pages
  int style = 0;      // of simulation::Series; -1: in no chart
  bool dashed = false;
  std::vector<Point> points;  // one for each epsilon
};

// The keys whose means are looked at, and those whose relative errors are: the most held ones.
inline constexpr int64_t kTopMeans = 50;
inline constexpr std::array<int64_t, 5> kTops = {10, 20, 30, 40, 50};

// Averages over trials. Where there is nothing to measure the values are NaN.
struct Errors {
  simulation::Mean frequency;                           // squared error, over all keys
  simulation::Mean mean;                                // squared error, over the kTopMeans keys
  simulation::Mean every_mean;                          // over all keys that anybody holds
  simulation::Mean top_frequency;                       // squared error, over the kTopMeans keys
  std::array<simulation::Mean, kTops.size()> relative;  // |error| / frequency, over so many keys
  double predicted = std::numeric_limits<double>::quiet_NaN();  // of `frequency`
};

// Of one number in each trial; the standard error is NaN after a single one.
simulation::Mean AverageOf(absl::Span<const double> trials);

// What methods say of themselves: the expected squared error of a frequency, averaged over all
// keys, that is variance and the bias of what is cut off. Not thread-safe; the population must
// outlive it.
class Predictor {
 public:
  explicit Predictor(const Population& population) : population_(population) {}

  // NaN where there is no closed form.
  double FrequencyError(const Method& method);
  // The root mean square, over keys, of the bias if so many pairs of a device count.
  double Bias(int64_t items);

 private:
  const std::vector<KeyShare>& Shares(int64_t items);

  const Population& population_;
  std::map<int64_t, std::vector<KeyShare>> shares_;
};

struct MeasureOptions {
  int64_t trials = 0;  // at least 1
  uint64_t seed = 0;
  int threads = 1;
  std::function<void()> trial_done;  // from any thread; may be null
};

// By line and point. All lines share what devices pick in a trial. The result does not depend on
// the number of threads.
std::vector<std::vector<Errors>> Measure(const Population& population, absl::Span<const Line> lines,
                                         const MeasureOptions& options);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_EXPERIMENT_MEASURE_H_
