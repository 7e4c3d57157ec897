// Strings of a list, asked of sketches: each device draws one of several public functions to
// buckets and reports the bucket of its string. Apple's count-mean sketch ("Learning with privacy
// at scale", 2017) and O-RR (Kairouz, Bonawitz, Ramage, "Discrete distribution estimation under
// local privacy", 2016).
#ifndef TOMBOLA_LAB_STRINGS_SKETCHES_H_
#define TOMBOLA_LAB_STRINGS_SKETCHES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/simulation/generator.h"
#include "lab/strings/held.h"

namespace tombola::lab {

// Public functions from strings to buckets, one a row.
class StringHash {
 public:
  explicit StringHash(const std::string& text);
  int64_t Bucket(int64_t row, int64_t buckets) const;

 private:
  uint64_t word_;
};

// Rows, which O-RR calls cohorts.
inline constexpr int64_t kSketchRows = 64;
inline constexpr int64_t kSketchBuckets = 1024;

// Devices by bucket, estimated without bias from their reports: row * buckets + bucket.
struct Sketch {
  int64_t rows = kSketchRows;
  int64_t buckets = kSketchBuckets;
  std::vector<double> devices;
};
// How many devices hold a string, but for the noise of those that share its buckets.
double HoldersOf(const std::string& text, const Sketch& sketch, int64_t devices);

// Of the one-hot bits of a bucket each is turned over with probability 1 / (e^(epsilon/2) + 1).
Sketch CountMeanSketch(const StringPopulation& population, double epsilon,
                       simulation::Generator& random);
// The buckets for which k-ary randomised response has the least variance, e^epsilon + 1, at least 2
// and at most kSketchBuckets; and its reports.
int64_t OrrBuckets(double epsilon);
Sketch OrrSketch(const StringPopulation& population, double epsilon, simulation::Generator& random);

// The `top` strings of the population, all of which must be known, with the largest estimates: an
// advantage as LDPMiner's.
std::vector<FoundText> LargestOf(const Sketch& sketch, const StringPopulation& population,
                                 int64_t top);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STRINGS_SKETCHES_H_
