// One uniform item, and whether the device holds it by randomised response: what RAPPOR with one
// bit makes of sets.
#ifndef TOMBOLA_LAB_SETS_ASKED_BIT_H_
#define TOMBOLA_LAB_SETS_ASKED_BIT_H_

#include "lab/sets/registry.h"

namespace tombola::lab {

SetMethod AskedSetBit(const Setting& setting);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_SETS_ASKED_BIT_H_
