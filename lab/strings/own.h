// Tombola's own strings, device by device: what `strings` tasks send and how it is decoded.
#ifndef TOMBOLA_LAB_STRINGS_OWN_H_
#define TOMBOLA_LAB_STRINGS_OWN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/simulation/generator.h"
#include "common/plan/strings.h"
#include "common/strings/alphabet.h"
#include "lab/strings/held.h"

namespace tombola::lab {

struct OwnOutcome {
  std::vector<FoundText> found;
  int64_t tests = 0;
  bool complete = true;
};

// One batch of all devices, every one honest. The hash functions are those of a task of its own in
// every run. `plan` must be feasible, and of the alphabet.
absl::StatusOr<OwnOutcome> FindOwn(const StringPopulation& population,
                                   const strings::Alphabet& alphabet,
                                   const mechanism::StringPlan& plan, int threads,
                                   simulation::Generator& random);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STRINGS_OWN_H_
