// A number becomes a level, by a coin.
#ifndef TOMBOLA_CLIENT_PLACE_LEVEL_H_
#define TOMBOLA_CLIENT_PLACE_LEVEL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/kind/levels.h"
#include "common/random/random_source.h"

namespace tombola::client {

// One of the two levels beside a number within them, so that its mean is kept.
inline int64_t LevelOf(const Levels& levels, double number, RandomSource& random) {
  const Levels::Place place = levels.PlaceOf(number);
  const auto threshold = static_cast<uint64_t>(std::ldexp(std::min(place.above, 1 - 0x1p-53), 64));
  const bool up = BernoulliBelow(threshold, random);
  return place.below + (up || place.above >= 1 ? 1 : 0);
}

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_PLACE_LEVEL_H_
