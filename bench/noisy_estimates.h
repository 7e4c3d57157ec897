// What estimates look like before post-processing.
#ifndef TOMBOLA_BENCH_NOISY_ESTIMATES_H_
#define TOMBOLA_BENCH_NOISY_ESTIMATES_H_

#include <cstddef>
#include <random>
#include <vector>

namespace tombola::bench {

// Frequencies that fall as 1 / rank, with noise that exceeds nearly all of them, so that most
// entries are to be cut.
inline std::vector<double> NoisyEstimates(size_t values) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> noise(0, 1e-4);
  std::vector<double> estimates(values);
  double sum = 0;
  for (size_t i = 0; i < values; ++i) sum += 1 / static_cast<double>(i + 1);
  for (size_t i = 0; i < values; ++i) {
    estimates[i] = 1 / (static_cast<double>(i + 1) * sum) + noise(engine);
  }
  return estimates;
}

}  // namespace tombola::bench

#endif  // TOMBOLA_BENCH_NOISY_ESTIMATES_H_
