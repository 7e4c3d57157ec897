// The one list of the mechanisms there are. Whatever there is for each of them is made from it, so
// that one that lacks something does not link; what is no C++ is compared with it by
// tests/rules/mechanisms_test.py.
#ifndef TOMBOLA_COMMON_MECHANISM_EVERY_H_
#define TOMBOLA_COMMON_MECHANISM_EVERY_H_

#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include "common/mechanism/aue.h"
#include "common/mechanism/correlated.h"
#include "common/mechanism/grr.h"
#include "common/mechanism/local_hash.h"
#include "common/mechanism/mix_dump.h"
#include "common/mechanism/murs.h"
#include "common/mechanism/pure_dump.h"
#include "common/mechanism/rappor.h"

namespace tombola::mechanism {

template <typename... M>
struct Mechanisms {};

// In the order in which they are shown.
using Every = Mechanisms<LocalHash, Grr, Aue, PureDump, MixDump, Murs, Correlated, Rappor>;

// make(std::type_identity<M>()) for each of them, in order.
template <typename Make, typename... M>
constexpr auto ForEach(Mechanisms<M...>, Make make) {
  return std::array{make(std::type_identity<M>())...};
}
template <typename Make>
constexpr auto ForEvery(Make make) {
  return ForEach(Every(), make);
}

// Their names.
inline const std::vector<std::string>& MechanismNames() {
  static const auto& names = *new std::vector<std::string>([] {
    const auto made =
        ForEvery([]<typename M>(std::type_identity<M>) { return std::string(M::kName); });
    return std::vector<std::string>(made.begin(), made.end());
  }());
  return names;
}

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_EVERY_H_
