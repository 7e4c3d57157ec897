// Shares that fit what was seen best, by expectation and maximisation, step by step.
#ifndef TOMBOLA_LAB_STRINGS_SQUAREM_H_
#define TOMBOLA_LAB_STRINGS_SQUAREM_H_

#include <cstdint>
#include <functional>
#include <vector>

namespace tombola::lab {

enum class Steps {
  kPlain,        // P <- mean over devices of P L / sum P L
  kAccelerated,  // SQUAREM (Varadhan, Roland, "Simple and globally convergent methods for
                 // accelerating the convergence of any EM algorithm", 2008)
};

struct FittedLaw {
  std::vector<double> law;
  int64_t steps = 0;  // of the plain kind: each looks at all that was seen once
  double log_likelihood = 0;
};

// What is fitted: a plain step from a law, and how likely a law makes what was seen, but for what
// does not depend on it.
struct Fitted {
  std::function<std::vector<double>(const std::vector<double>&)> step;
  std::function<double(const std::vector<double>&)> log_likelihood;
};

// From `start`, none of whose shares is 0, until a step changes no share by more than `tolerance`,
// or `most_steps`. Steps never lower the likelihood.
FittedLaw FitLaw(const Fitted& fitted, std::vector<double> start, Steps steps, double tolerance,
                 int64_t most_steps);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STRINGS_SQUAREM_H_
