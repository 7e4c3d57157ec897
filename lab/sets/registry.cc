#include "lab/sets/registry.h"

#include "lab/key_value/collision.h"
#include "lab/sets/asked_bit.h"
#include "lab/sets/padded_oracles.h"

namespace tombola::lab {
namespace {

SetMethod SetCollision(const Setting& setting) {
  auto method = std::make_unique<Collision>(setting);
  const LocalLaw law = method->law();
  return {std::move(method), law};
}

constexpr SetEntry kMethods[] = {
    {"asked_bit", "one item asked", "Erlingsson et al. 2014", AskedSetBit},
    {"padded_oue", "PS-OUE", "Wang et al. 2018", PaddedSetOue},
    {"padded_olh", "PS-OLH", "Wang et al. 2018", PaddedSetOlh},
    {"padded_set_grr", "PS-GRR", "Wang et al. 2018", PaddedSetGrr},
    {"collision", "Collision", "Wang et al. 2023", SetCollision},
};

}  // namespace

absl::Span<const SetEntry> SetMethods() { return kMethods; }

}  // namespace tombola::lab
