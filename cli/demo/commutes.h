// How people get to work, day after day: what the demonstration of streams counts.
#ifndef TOMBOLA_CLI_DEMO_COMMUTES_H_
#define TOMBOLA_CLI_DEMO_COMMUTES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "cli/demo/population.h"
#include "common/stream/structure.h"

namespace tombola::cli {

// Every period has devices of its own, as many as the others, but for one that has too few for a
// batch. More people cycle in the middle of the year. Not thread-safe.
class Commutes final : public Population {
 public:
  // periods >= 1, devices >= 2 * periods.
  Commutes(int64_t devices, int64_t periods);

  absl::Status Describe(const std::string& directory, TaskRequestOptions* request) const override;
  std::vector<QueryOptions> Questions() const override;
  Truth TruthOf(const v1::Answer& answer, const Task& task) const override;

  // The task's, once it is known: the period that has too few has a node alone, which is then void,
  // and is in a later one too.
  void Know(const stream::Structure& structure);
  // From now on Next gives the devices of this period, then none. Of each once, ascending.
  void Begin(int64_t period);
  int64_t periods() const { return static_cast<int64_t>(counts_.size()); }
  Commutes* over_time() override { return this; }
  // How many of the devices from the first period to the last that are not missing from the total
  // said each value.
  std::vector<int64_t> CountsOf(const v1::StreamTotal& total) const;

 private:
  Record NextDevice() override;
  // Of a period with too few a tenth.
  int64_t UsualDevices() const { return devices_ / periods(); }

  const int64_t devices_;
  int64_t period_ = 0;
  int64_t short_ = 0;                         // the period that has too few; 0: none has
  int64_t back_ = 0;                          // the first total that has it again; 0: none has
  std::vector<std::vector<int64_t>> counts_;  // by period, how many said each value
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_DEMO_COMMUTES_H_
