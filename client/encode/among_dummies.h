// What the encoders of pure_dump and mix_dump share.
#ifndef TOMBOLA_CLIENT_ENCODE_AMONG_DUMMIES_H_
#define TOMBOLA_CLIENT_ENCODE_AMONG_DUMMIES_H_

#include <cstdint>
#include <string>

#include "common/mechanism/dummies.h"
#include "common/mechanism/value_report.h"
#include "common/random/random_source.h"

namespace tombola::client {

// Appends `own` and a drawn number of dummies, uniform over the domain, in a uniformly drawn order;
// returns how many reports that are. The random words drawn do not depend on `own`.
int64_t AppendAmongDummies(const mechanism::ValueReport& own, const mechanism::Dummies& dummies,
                           int64_t domain_size, RandomSource& random, std::string* out);

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_AMONG_DUMMIES_H_
