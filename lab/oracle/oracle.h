// Frequency oracles: one value of a domain, one randomised report. Published by Kairouz et al. 2016
// (GRR) and Wang et al. 2017 (OUE, OLH).
#ifndef TOMBOLA_LAB_ORACLE_ORACLE_H_
#define TOMBOLA_LAB_ORACLE_ORACLE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "cli/simulation/generator.h"

namespace tombola::lab {

// A report supports a value with probability `holder` if the device has it, else with `other`.
struct Oracle {
  double holder = 0;
  double other = 0;

  // Of a share from `users` reports, for a value that this share of the devices has.
  double Variance(double share, double users) const;
};

// All are exactly epsilon-private by themselves. epsilon > 0, domain >= 2.
// The value with e^eps / (e^eps + domain - 1), each other with 1 / (e^eps + domain - 1).
Oracle Grr(double domain, double epsilon);
// A bit for each value: the device's own is set with 1/2, another with 1/(e^eps + 1).
Oracle Oue(double epsilon);
// A bit for each value: the device's own is set with e^(eps/2) / (e^(eps/2) + 1), another with the
// rest (RAPPOR's one-time response without hashing, Erlingsson et al. 2014).
Oracle Sue(double epsilon);
// A random function to g = max(2, round(e^eps + 1)) buckets, then GRR over those.
int64_t OlhRange(double epsilon);
Oracle Olh(double epsilon);

// The estimates from one run on counts[v] devices with value v. Each value's has its exact law;
// they are drawn independently of each other, which only OUE's are.
std::vector<double> EstimateShares(const Oracle& oracle, absl::Span<const int64_t> counts,
                                   simulation::Generator& noise);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_ORACLE_ORACLE_H_
