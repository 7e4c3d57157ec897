// One repetition of an experiment.
#ifndef TOMBOLA_LAB_SAMPLE_TRIAL_H_
#define TOMBOLA_LAB_SAMPLE_TRIAL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lab/data/population.h"
#include "lab/sample/draws.h"

namespace tombola::lab {

// What devices pick in one repetition, drawn when it is first asked for and then shared by every
// method and epsilon: only what they randomise afterwards differs. So an error has its exact law,
// and the errors of two methods in one trial are not independent. What is drawn depends on the seed
// and on what is asked for, not on the order of asking. Not thread-safe.
class Trial {
 public:
  // The population must outlive the trial.
  Trial(const Population& population, uint64_t seed) : population_(population), seed_(seed) {}

  const Population& population() const { return population_; }

  const Padded& padded(int64_t items);
  const std::vector<Asked>& asked(int groups);
  const Kept& kept(int64_t items, int levels);

  // A pilot group of kPilotShare of the devices, and padding and sampling by all others.
  static constexpr double kPilotShare = 0.1;
  const Pilot& pilot();
  const Padded& padded_without_pilot(int64_t items);

 private:
  const Population& population_;
  uint64_t seed_;
  std::map<int64_t, Padded> padded_, padded_without_pilot_;
  std::map<int, std::vector<Asked>> asked_;
  std::map<std::pair<int64_t, int>, Kept> kept_;
  std::optional<Pilot> pilot_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_SAMPLE_TRIAL_H_
