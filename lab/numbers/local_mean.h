// Means of numbers in [-1, 1] by devices that randomise by themselves. Lab only.
#ifndef TOMBOLA_LAB_NUMBERS_LOCAL_MEAN_H_
#define TOMBOLA_LAB_NUMBERS_LOCAL_MEAN_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cli/simulation/generator.h"

namespace tombola::lab {

// A report's expectation is the number. epsilon > 0, number in [-1, 1].
struct MeanMethod {
  absl::string_view name;   // in files
  absl::string_view title;  // on pages
  absl::string_view source;
  double (*draw)(double number, double epsilon, simulation::Generator& random);
  double (*variance)(double number, double epsilon);
};

// Laplace noise of scale 2 / epsilon; Duchi et al. 2013, which is what Harmony (Nguyen et al. 2016)
// does with one attribute: one of two reports +-(e^eps + 1)/(e^eps - 1); the piecewise mechanism
// (Wang et al. 2019): somewhere in an interval around the number, or elsewhere; and the hybrid of
// the last two by the same authors.
absl::Span<const MeanMethod> MeanMethods();

// The piecewise mechanism's reports lie in [-reach, reach]; those of a number have the density
// `inside` in [begin, end] and inside / e^eps elsewhere.
struct PiecewiseLaw {
  double reach = 0;
  double begin = 0, end = 0;
  double inside = 0;
};
PiecewiseLaw PiecewiseLawOf(double number, double epsilon);

// The probability with which Duchi's report is positive.
double DuchiPlus(double number, double epsilon);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_NUMBERS_LOCAL_MEAN_H_
