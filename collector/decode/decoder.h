// Which strings devices hold, from the counts of a batch: nobody had to list them.
//
// Level by level, all extensions of the prefixes that stood out are tried. A candidate's statistic
// is the sum over the 256 functions of what is in its cells, capped; it stands out where that is
// more than chance makes of any candidate of the level (NullLaw, Bonferroni over all candidates of
// all levels). What stood out at the end is estimated with its standard error.
//
// Everything here is post-processing of what the shuffler released: it costs no privacy, however
// often and for whatever strings it is asked. Not guaranteed: that a string held by few stays
// unseen, for which epsilon is there and not the threshold; that estimates of strings just above
// the threshold are unbiased, as those that chance lifted are the ones that are seen; anything
// against devices that lie, each of which lifts one string by up to the cap at one level.
#ifndef TOMBOLA_COLLECTOR_DECODE_DECODER_H_
#define TOMBOLA_COLLECTOR_DECODE_DECODER_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "collector/decode/estimates.h"
#include "common/strings/alphabet.h"

namespace tombola::collector {

struct DecodeProgress {
  int64_t level = 0;  // being searched
  int64_t tests = 0;  // done at this level ...
  int64_t all = 0;    // ... of so many
};

struct DecodeOptions {
  // The probability that anything is found that nobody holds, about; (0, 1).
  double alpha = 0.05;
  // The prefixes of a level that are extended: those that stand out most. At least 1.
  int64_t most_survivors = 10000;
  // 256 for each candidate of each level: about a second a core for 1.5e9. At least 1.
  int64_t most_tests = 1'000'000'000'000;
  // Strings with fewer estimated holders are left out.
  double least_holders = 0;
  int threads = 1;  // at least 1
  // Asked from any of the threads, and at once, whether to go on; empty: yes.
  std::function<bool(const DecodeProgress&)> progress;
};

struct FoundString {
  strings::Symbols symbols;  // all of them, with kEnd up to the length
  int64_t statistic = 0;     // at the level where it was complete
  double holders = 0;
  double stderr_of = 0;
};

struct DecodedLevel {
  double candidates = 0;  // among which the threshold was chosen
  int64_t cap = 0;
  int64_t threshold = 0;
  int64_t survivors = 0;  // that stood out, before bounds
};

struct DecodedStrings {
  std::vector<FoundString> strings;  // most holders first
  std::vector<DecodedLevel> levels;  // that were searched; of a dictionary, by where strings end
  int64_t tests = 0;
  // False if most_survivors or most_tests left prefixes out.
  bool complete = true;
};

// InvalidArgument as Validate(batch) and for options out of bounds, FailedPrecondition where
// devices hash whole strings only, Cancelled if `progress` said so.
absl::StatusOr<DecodedStrings> DecodeStrings(const StringBatch& batch,
                                             const DecodeOptions& options);

// The same of given strings only, from the level on at which each is complete: far fewer candidates
// and so fewer holders that one needs. What is given twice is looked at once. Also InvalidArgument
// unless each has `length` symbols of the alphabet and nothing but kEnd after kEnd.
absl::StatusOr<DecodedStrings> DecodeDictionary(const StringBatch& batch,
                                                absl::Span<const strings::Symbols> dictionary,
                                                const DecodeOptions& options);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DECODE_DECODER_H_
