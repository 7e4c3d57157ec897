// RAPPOR with a list of candidates (Erlingsson, Pihur, Korolova 2014): Bloom filters in cohorts,
// decoded by a non-negative LASSO, least squares on its support and Bonferroni's bound.
#ifndef TOMBOLA_LAB_STRINGS_BLOOM_LASSO_H_
#define TOMBOLA_LAB_STRINGS_BLOOM_LASSO_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "cli/simulation/generator.h"
#include "common/accounting/rappor.h"
#include "lab/strings/held.h"

namespace tombola::lab {

struct RapporSetting {
  accounting::Rappor rappor = {.f = 0.5, .p = 0.5, .q = 0.75, .hashes = 2, .bits = 128};
  int64_t cohorts = 64;
};

// The bits, cohort by cohort, that a text sets: cohort * bits + bit, ascending, each once.
std::vector<int32_t> BitsOf(const std::string& text, const RapporSetting& setting);

// What the collector has: of each cohort its devices, and of each bit the estimated devices that
// set it, (reports - risen * devices) / (kept - risen).
struct BloomSums {
  std::vector<int64_t> devices;  // by cohort
  std::vector<double> with_bit;  // by cohort * bits + bit
  double deviation = 0;          // of with_bit, on average
};
// One report of each device; each bit's number has its exact law.
BloomSums ReportBlooms(const StringPopulation& population, const RapporSetting& setting,
                       simulation::Generator& random);

// The sums of reports that were counted, from how many of them have each bit; `devices` is set.
void EstimateBits(const std::vector<int64_t>& ones, const RapporSetting& setting, BloomSums* sums);

// The candidates that stand out, with estimates of how many devices hold each: of all cohorts
// together. alpha = 0.05.
std::vector<FoundText> DecodeBlooms(const BloomSums& sums, absl::Span<const HeldString> candidates,
                                    const RapporSetting& setting);

// Both, with all strings that are held as candidates: an advantage as LDPMiner's.
std::vector<FoundText> FindByRappor(const StringPopulation& population,
                                    const RapporSetting& setting, simulation::Generator& random);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STRINGS_BLOOM_LASSO_H_
