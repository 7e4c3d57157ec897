// Extended RAPPOR (Fanti, Pihur, Erlingsson, "Building a RAPPOR with the unknown", 2016): strings
// that nobody listed, from n-grams at two places of each device's string.
#ifndef TOMBOLA_LAB_STRINGS_NGRAMS_H_
#define TOMBOLA_LAB_STRINGS_NGRAMS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/simulation/generator.h"
#include "lab/strings/bloom_lasso.h"
#include "lab/strings/held.h"

namespace tombola::lab {

struct NgramSetting {
  // Characters of strings; every other, and what is missing of a short string, is kNoCharacter.
  std::string characters;
  int length = 6;  // strings are cut to, a multiple of kNgram
  // One of the three parts that a device reports, in cohorts of its own.
  RapporSetting part;
};
inline constexpr int kNgram = 2;
inline constexpr char kNoCharacter = '\x01';

// A part of a report that is `epsilon`-private by itself: two hashes, and next to no permanent
// response, which would only add noise to a single report.
RapporSetting RapporPart(double epsilon);

// With epsilon / 3 a device says its whole string, and with as much each of two of its n-grams, at
// places drawn for it. 1. At each place the n-grams stand out, at most 16, by LASSO. 2. How those
// of two places go together, by accelerated EM over the devices that reported both. 3. Strings all
// of whose pairs of n-grams do are candidates, at most 20,000, and are looked for in the reports of
// whole strings.
std::vector<FoundText> FindByNgrams(const StringPopulation& population, const NgramSetting& setting,
                                    simulation::Generator& random);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STRINGS_NGRAMS_H_
