// Draws from the laws that counts follow. Exact up to the rounding of doubles, at most a few dozen
// nanoseconds each whatever the parameters, and free of global state: std's binomial and Poisson
// distributions call lgamma, which writes a global variable.
#ifndef TOMBOLA_CLI_SIMULATION_DISTRIBUTIONS_H_
#define TOMBOLA_CLI_SIMULATION_DISTRIBUTIONS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "cli/simulation/generator.h"

namespace tombola::simulation {

// Uniform on (0, 1), never an end.
double Uniform(Generator& random);

// Successes among `trials` >= 0 of this probability, in [0, 1].
int64_t Binomial(int64_t trials, double probability, Generator& random);

// mean in [0, 2^52].
int64_t Poisson(double mean, Generator& random);

// Pr[k] proportional to Gamma(k + shape) / k! success^k: a Poisson variable whose mean is gamma
// distributed. shape > 0, success in (0, 1).
int64_t NegativeBinomial(double shape, double success, Generator& random);

// Density e^(-|x| / scale) / (2 scale).
double Laplace(double scale, Generator& random);

// `draws` >= 0 independent draws from a law on 0 .. weights.size() - 1, counted. The weights are
// not negative, one is positive, and they need not sum to one.
std::vector<int64_t> Multinomial(int64_t draws, absl::Span<const double> weights,
                                 Generator& random);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_DISTRIBUTIONS_H_
