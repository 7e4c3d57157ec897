// Devices with a number each, or none.
#ifndef TOMBOLA_CLI_SIMULATION_NUMBER_DATA_H_
#define TOMBOLA_CLI_SIMULATION_NUMBER_DATA_H_

#include <cstdint>
#include <numeric>
#include <vector>

namespace tombola::simulation {

struct NumberData {
  // How many devices have a number in each bin; or, where means alone are asked for, at each point.
  std::vector<int64_t> counts;
  // Where the points lie, as shares of the distance between the edges, in [0, 1]; of bins none.
  std::vector<double> points;
  // Whether a device may have no number, and how many have none.
  bool missing = false;
  int64_t none = 0;

  // At least 1 has a number.
  int64_t with_number() const { return std::accumulate(counts.begin(), counts.end(), int64_t{0}); }
  int64_t users() const { return with_number() + none; }
  int64_t bins() const { return static_cast<int64_t>(counts.size()); }
};

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_NUMBER_DATA_H_
