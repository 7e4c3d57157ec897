// Strings that nobody listed, sent and found: what a plan promises and what comes of it.
#ifndef TOMBOLA_CLI_SIMULATION_STRING_EXPERIMENT_H_
#define TOMBOLA_CLI_SIMULATION_STRING_EXPERIMENT_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/simulation/generator.h"
#include "cli/simulation/string_data.h"
#include "common/plan/strings.h"

namespace tombola::simulation {

// The tops by which finding is judged.
inline constexpr std::array<int64_t, 4> kStringTops = {32, 100, 300, 1000};

// A string that was found, and how many devices it was estimated to have; most devices first.
struct FoundString {
  std::string text;
  double devices = 0;
};

// One batch, or the mean over several.
struct StringScore {
  double found = 0;
  double held_by_nobody = 0;  // of those
  // Of the first k found against the first k held: the harmonic mean of precision and recall.
  std::array<double, kStringTops.size()> f1{};
  // The median of the relative errors of those of the first k held that were found; NaN for none.
  std::array<double, kStringTops.size()> error{};
};
StringScore ScoreOf(const StringData& truth, const std::vector<FoundString>& found);
// Of errors over those scores that have one; of no scores all 0, and NaN.
StringScore MeanOf(const std::vector<StringScore>& scores);

// How many strings a plan finds of these on average, prefixes and the survivors of every level
// being followed; what lies in a cell is taken as a Poisson number without a cap.
double PredictedFound(const StringData& data, const mechanism::StringPlan& plan, double alpha);
// The median of the relative errors of the first k held, from a standard error at the level where
// each is complete: 0.6745 of it. NaN where k is 0.
double PredictedError(const StringData& data, const mechanism::StringPlan& plan, int64_t top);

struct FoundStrings {
  std::vector<FoundString> strings;
  int64_t tests = 0;
  bool complete = true;  // whether no prefix was left out
  absl::Duration decoding;
};

// One batch of all devices, every one honest, under the public functions of a task that is drawn.
// Where whole strings are sent all that are held, and as many that are not, are looked up. `plan`
// must be feasible, and of the data's length and symbols.
absl::StatusOr<FoundStrings> SendAndFind(const StringData& data, const strings::Alphabet& alphabet,
                                         const mechanism::StringPlan& plan, double alpha,
                                         int threads, Generator& random);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_STRING_EXPERIMENT_H_
