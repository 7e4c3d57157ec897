// Strings that nobody listed: which are found, by the published methods and by Tombola.
#ifndef TOMBOLA_LAB_EXPERIMENT_STRING_STUDY_H_
#define TOMBOLA_LAB_EXPERIMENT_STRING_STUDY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/accounting/rappor.h"
#include "common/plan/strings.h"
#include "lab/strings/held.h"

namespace tombola::lab {

// A method at one epsilon on one population.
struct StringLine {
  std::string title;
  double epsilon = 0;  // of Tombola's the central one, of others the local one
  double messages = 1;
  // Tombola's: the devices that a string needs by the plan, and the bits of a bucket.
  double holders = 0;
  int range_bits = 0;
  double tests = 0;  // mean, of decoding
  MeanScore score;
};

// The published methods: some need no list of strings, the others have one of all that are held.
struct StringRivals {
  std::vector<StringLine> blind;
  std::vector<StringLine> listed;
};
// What they have without a shuffler, and what the collector sees with one.
inline constexpr double kLocalStrings[] = {1, 2, 4};
inline constexpr double kShuffledStrings = 1;

struct StringWorld {
  std::string key;  // in file names
  std::string title;
  int64_t devices = 0;
  int64_t strings = 0;
  std::vector<StringLine> own;  // (epsilon, delta), shuffled
  // The published methods without a shuffler, and with one at (kShuffledStrings, delta).
  StringRivals local, shuffled;
};

// Strings of an alphabet, and what each of Tombola's ways needs of them.
struct StringNeed {
  std::string title;
  std::vector<mechanism::StringPlan> plans;
};

struct RapporRow {
  accounting::Rappor rappor;
  double one = 0, memo = 0;                    // local epsilons
  std::vector<accounting::ShuffledRappor> of;  // by kRapporDevices
};
inline constexpr int64_t kRapporDevices[] = {10000, 100000, 1000000};

// Warner's randomised response (1965) of a yes that this share of devices has.
struct WarnerRow {
  double epsilon = 0;
  double truth = 0;                // the probability of a true answer
  std::vector<double> deviations;  // of the estimated share, by kRapporDevices
  std::vector<double> shuffled;    // the least epsilon of a batch, likewise
};
inline constexpr double kWarnerShare = 0.3;

struct StringStudy {
  double delta = 0;
  int64_t runs = 0;
  int64_t needs_of = 0;  // devices that `needs` are for
  std::vector<StringNeed> needs;
  std::vector<StringWorld> worlds;  // of those whose files there are
  std::vector<RapporRow> rappor;
  std::vector<WarnerRow> warner;
};

// `data`: folder of the public files; without them the worlds are missing. The status of planners,
// accountants and damaged files.
absl::StatusOr<StringStudy> StudyStrings(const std::string& data, int64_t runs, uint64_t seed,
                                         int threads);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_EXPERIMENT_STRING_STUDY_H_
