// The data sets of simulations: who holds what.
#ifndef TOMBOLA_CLI_SIMULATION_DATA_H_
#define TOMBOLA_CLI_SIMULATION_DATA_H_

#include <cstdint>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tombola::simulation {

// As on the command line; what is absent was not given.
struct DataRequest {
  // One of
  //   zipf:S     Pr[v] proportional to (v + 1)^-S, S in [0, 20]
  //   normal     mean d/2 and standard deviation d/6, rounded down to a value; who would fall
  //              outside the domain is drawn again
  //   uniform
  //   file:PATH  one user a line, see ReadValues
  std::string source;
  std::optional<int64_t> users;  // 1 to 2^40; a file may leave it out
  std::optional<int64_t>
      domain;  // 2 to mechanism::kLargestDomain; a file of names may leave it out
  uint64_t seed = 0;
};

struct Data {
  // How many users hold each value.
  std::vector<int64_t> counts;
  int64_t users = 0;  // their sum, >= 1
  int64_t domain() const { return static_cast<int64_t>(counts.size()); }
};

// The users of zipf, normal and uniform are drawn independently from the law by the seed, so the
// frequencies are near the law's and not equal to them; the counts sum to `users`. InvalidArgument
// names the flag, or the file's line, and what is wrong with it.
absl::StatusOr<Data> MakeData(const DataRequest& request);

// What MakeData is made of, for devices that hold several values.
//
// InvalidArgument unless what is given of users and domain is in its bounds.
absl::Status ValidateSizes(const DataRequest& request);
// The law of zipf, normal or uniform, up to a factor. InvalidArgument if the source is none of
// them, or users or domain are absent.
absl::StatusOr<std::vector<double>> Weights(const DataRequest& request);
// The path of file:PATH; none for a law.
std::optional<std::string> FileOf(const DataRequest& request);
// InvalidArgument if it cannot be read.
absl::StatusOr<std::ifstream> OpenFile(const std::string& path);

// Reads one user a line, and `users` lines, all if it is absent. InvalidArgument names the line.
//   With `domain`, if the first line is a whole number every line must be one, from 0 to domain
//   - 1. Otherwise a line is a name, and each distinct name is a value, numbered as they come: as
//   many as there are, at least 2, or at most `domain` of them.
// `name` stands in messages.
absl::StatusOr<Data> ReadValues(std::istream& lines, absl::string_view name,
                                std::optional<int64_t> users, std::optional<int64_t> domain);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_DATA_H_
