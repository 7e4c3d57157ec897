// Padding and sampling, then a frequency oracle over items and dummies (Wang et al., "Locally
// Differentially Private Frequent Itemset Mining", 2018).
#ifndef TOMBOLA_LAB_SETS_PADDED_ORACLES_H_
#define TOMBOLA_LAB_SETS_PADDED_ORACLES_H_

#include "lab/sets/registry.h"

namespace tombola::lab {

// The only oracle that gains by sampling: with the budget ln(1 + items (e^eps - 1)) for the item,
// the set has epsilon.
SetMethod PaddedSetGrr(const Setting& setting);
// A vector, or a hashed report, tells as much of all items of a set as of one.
SetMethod PaddedSetOue(const Setting& setting);
SetMethod PaddedSetOlh(const Setting& setting);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_SETS_PADDED_ORACLES_H_
