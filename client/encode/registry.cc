#include <utility>

#include "client/encode/encoder.h"
#include "client/encode/local_hash.h"
#include "common/base/check.h"

namespace tombola::client {

std::unique_ptr<Encoder> MakeEncoder(std::shared_ptr<const mechanism::Mechanism> mechanism) {
  auto local_hash = std::dynamic_pointer_cast<const mechanism::LocalHash>(std::move(mechanism));
  TOMBOLA_CHECK(local_hash != nullptr);
  return std::make_unique<LocalHashEncoder>(std::move(local_hash));
}

}  // namespace tombola::client
