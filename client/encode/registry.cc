#include <utility>

#include "client/encode/aue.h"
#include "client/encode/correlated.h"
#include "client/encode/encoder.h"
#include "client/encode/grr.h"
#include "client/encode/local_hash.h"
#include "client/encode/mix_dump.h"
#include "client/encode/pure_dump.h"
#include "common/base/check.h"
#include "common/mechanism/murs.h"

namespace tombola::client {
namespace {

// Null if the mechanism is of another class.
template <typename EncoderClass, typename MechanismClass>
std::unique_ptr<Encoder> MakeIf(const std::shared_ptr<const mechanism::Mechanism>& mechanism) {
  auto own = std::dynamic_pointer_cast<const MechanismClass>(mechanism);
  return own == nullptr ? nullptr : std::make_unique<EncoderClass>(std::move(own));
}

// A device does the same whether or not the shuffler adds fakes.
std::unique_ptr<Encoder> MakeIfMurs(const std::shared_ptr<const mechanism::Mechanism>& mechanism) {
  const auto murs = std::dynamic_pointer_cast<const mechanism::Murs>(mechanism);
  if (murs == nullptr) return nullptr;
  return std::make_unique<LocalHashEncoder>(
      std::shared_ptr<const mechanism::LocalHash>(murs, &murs->local_hash()));
}

}  // namespace

std::unique_ptr<Encoder> MakeEncoder(std::shared_ptr<const mechanism::Mechanism> mechanism) {
  for (const auto make :
       {MakeIf<LocalHashEncoder, mechanism::LocalHash>, MakeIf<GrrEncoder, mechanism::Grr>,
        MakeIf<AueEncoder, mechanism::Aue>, MakeIf<PureDumpEncoder, mechanism::PureDump>,
        MakeIf<MixDumpEncoder, mechanism::MixDump>,
        MakeIf<CorrelatedEncoder, mechanism::Correlated>, MakeIfMurs}) {
    if (auto encoder = make(mechanism)) return encoder;
  }
  TOMBOLA_CHECK(false && "a mechanism without an encoder");
  return nullptr;
}

}  // namespace tombola::client
