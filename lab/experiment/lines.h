// Which methods are compared, with which parameters.
#ifndef TOMBOLA_LAB_EXPERIMENT_LINES_H_
#define TOMBOLA_LAB_EXPERIMENT_LINES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lab/experiment/measure.h"

namespace tombola::lab {

// A published method in which every device randomises by itself, for whatever kind of data.
struct Published {
  std::string name;
  std::string title;
  std::function<std::unique_ptr<const Method>(const Setting&)> make;
  std::function<LocalLaw(const Setting&)> law;
};
// Those of the registries, and HISKV is none of them.
std::vector<Published> PublishedKeyValueMethods();
std::vector<Published> PublishedSetMethods();

// What is asked for.
struct Question {
  int64_t users = 0;
  int64_t keys = 0;
  bool values = false;  // a mean of every key too, not only its frequency
};

// Without a shuffler: every method with each epsilon as its paper counts it, and `items` pairs of a
// device; last the central Laplace mechanism. InvalidArgument if the question is out of range.
absl::StatusOr<std::vector<Line>> LocalLines(const Question& question,
                                             absl::Span<const Published> published, int64_t items,
                                             absl::Span<const double> epsilons);
// HISKV, as published and with its length by threshold responses.
std::vector<Line> HiskvLines(const Question& question, absl::Span<const double> epsilons);

// With one: every method with the largest budget, truly accounted for, that meets each epsilon and
// delta; Tombola's own; and the central mechanisms. Each with that of the candidates for `items`
// with which it predicts the least error of frequencies. The status of accountants that cannot do
// it.
absl::StatusOr<std::vector<Line>> ShuffledLines(const Question& question,
                                                absl::Span<const Published> published,
                                                absl::Span<const int64_t> candidates,
                                                absl::Span<const double> epsilons, double delta,
                                                Predictor& predictor);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_EXPERIMENT_LINES_H_
