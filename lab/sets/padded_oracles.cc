#include "lab/sets/padded_oracles.h"

#include <cmath>

#include "lab/key_value/ternary.h"
#include "lab/oracle/oracle.h"

namespace tombola::lab {
namespace {

SetMethod Make(const Setting& setting, const Oracle& oracle, const LocalLaw& law) {
  return {std::make_unique<PaddedReports>(setting,
                                          Ternary{.holder = oracle.holder, .other = oracle.other}),
          law};
}

}  // namespace

SetMethod PaddedSetGrr(const Setting& setting) {
  const double items = static_cast<double>(setting.items);
  const double cells = static_cast<double>(setting.keys + setting.items);
  const Oracle oracle = Grr(cells, std::log1p(items * std::expm1(setting.epsilon)));
  return Make(setting, oracle,
              {.epsilon = setting.epsilon, .gamma = cells * oracle.other, .range = cells / items});
}

SetMethod PaddedSetOue(const Setting& setting) {
  return Make(setting, Oue(setting.epsilon), {.epsilon = setting.epsilon});
}

SetMethod PaddedSetOlh(const Setting& setting) {
  return Make(setting, Olh(setting.epsilon), {.epsilon = setting.epsilon});
}

}  // namespace tombola::lab
