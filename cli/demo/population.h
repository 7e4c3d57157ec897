// What the simulated devices of the demonstration hold.
#ifndef TOMBOLA_CLI_DEMO_POPULATION_H_
#define TOMBOLA_CLI_DEMO_POPULATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/task/request.h"
#include "common/json/rows.h"
#include "tombola/record.h"

namespace tombola::cli {

// Devices of one kind of task over twenty apps: the one that is used most, those that are
// installed, or stars from 1 to 5 for those that are rated; or hours of screen time in twenty bins.
// Not thread-safe.
class Population {
 public:
  // InvalidArgument: no such kind. `devices` >= 1.
  static absl::StatusOr<std::unique_ptr<Population>> Create(absl::string_view kind,
                                                            int64_t devices);
  virtual ~Population() = default;

  // Sets what the task asks about: kind, name, values, and what else its kind has.
  virtual void Describe(TaskRequestOptions* request) const = 0;

  // The next devices, at most `limit` of them; none at the end.
  std::vector<Record> Next(size_t limit);

  // What is true of each value, or bin, of the devices so far.
  Truth TruthOfAll() const;

 protected:
  explicit Population(int64_t devices);

  virtual Record NextDevice() = 0;
  // Uniform in [0, 1).
  virtual double Uniform() = 0;
  void Count(size_t value, double number = 0);

 private:
  int64_t left_;
  int64_t devices_ = 0;
  std::vector<double> holders_, sums_;
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_DEMO_POPULATION_H_
