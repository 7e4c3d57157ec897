// The published methods to find strings, one after the other, on one population.
#ifndef TOMBOLA_LAB_EXPERIMENT_STRING_RIVALS_H_
#define TOMBOLA_LAB_EXPERIMENT_STRING_RIVALS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/simulation/generator.h"
#include "lab/experiment/string_study.h"
#include "lab/key_value/method.h"
#include "lab/strings/held.h"
#include "lab/strings/ngrams.h"
#include "lab/strings/prefixes.h"

namespace tombola::lab {

// The strings that devices hold, and what the methods are told of them.
struct AskedOfRivals {
  const StringPopulation& population;
  PrefixCode code;
  PemSteps pem;
  std::string characters;  // of extended RAPPOR
};

// How often each is run, and with what seed.
struct StringTrials {
  int64_t runs = 1;
  uint64_t seed = 0;
};

// What those local epsilons let them find.
StringRivals FindLocally(const AskedOfRivals& asked, const StringTrials& trials);
// Each with the largest local epsilon, to 0.1 %, with which a batch of all devices meets
// (kShuffledStrings, delta): by the privacy blanket where its report has one, else by what holds
// for every randomiser (clones). A group, a level or a cohort is drawn by the device and said in
// the report. The statuses of the accountants.
absl::StatusOr<StringRivals> FindShuffled(const AskedOfRivals& asked, const StringTrials& trials,
                                          double delta);

// RAPPOR as it was deployed, one report of each device, whose epsilon its parameters give.
StringLine FindByDeployedRappor(const AskedOfRivals& asked, const StringTrials& trials);

// The seed of a run of what goes by that name.
uint64_t StringSeed(uint64_t seed, absl::string_view what, int64_t run);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_EXPERIMENT_STRING_RIVALS_H_
