// What the simulated devices of the demonstration hold.
#ifndef TOMBOLA_CLI_DEMO_POPULATION_H_
#define TOMBOLA_CLI_DEMO_POPULATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/query/options.h"
#include "cli/task/request.h"
#include "common/json/rows.h"
#include "common/random/secure_random.h"
#include "common/task/task.h"
#include "tombola/record.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

class Commutes;

// Devices of one kind of task, what is asked of them, and what is true of them. Not thread-safe.
class Population {
 public:
  // InvalidArgument: no such kind, or fewer than two devices a period. `devices`, `periods` >= 1;
  // the latter is for streams alone.
  static absl::StatusOr<std::unique_ptr<Population>> Create(absl::string_view kind, int64_t devices,
                                                            int64_t periods);
  // "histogram, set, key_value, number, records, stream or strings".
  static std::string Kinds();
  virtual ~Population() = default;

  // Sets what the task asks about: kind, name, values, and what else its kind has. Files that it
  // refers to are written into the directory, which is there.
  virtual absl::Status Describe(const std::string& directory,
                                TaskRequestOptions* request) const = 0;

  // Itself where the devices report in one period after the other, else nothing.
  virtual Commutes* over_time() { return nullptr; }

  // The next devices, at most `limit` of them; none at the end.
  std::vector<Record> Next(size_t limit);

  // What is asked once all have reported, each with an answer of its own; at least one.
  virtual std::vector<QueryOptions> Questions() const { return {QueryOptions{}}; }

  // What is true of an answer to one of the questions, of the devices so far.
  virtual Truth TruthOf(const v1::Answer& answer, const Task& task) const = 0;

 protected:
  explicit Population(int64_t devices) : left_(devices) {}

  virtual Record NextDevice() = 0;
  // So many are next.
  void Expect(int64_t devices) { left_ = devices; }
  // Uniform in [0, 1).
  double Uniform() { return static_cast<double>(random_.Next64() >> 11) * 0x1p-53; }

 private:
  int64_t left_;
  SecureRandom random_;
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_DEMO_POPULATION_H_
