#include "client/encode/encoder.h"

#include <utility>

#include "client/encode/encoders.h"

namespace tombola::client {

std::unique_ptr<Encoder> MakeEncoder(std::shared_ptr<const mechanism::Table> table) {
  if (table->layout() == mechanism::Layout::kString) {
    return std::make_unique<StringEncoder>(
        std::static_pointer_cast<const mechanism::Strings>(std::move(table)));
  }
  if (const mechanism::Bloom* const bloom = table->bloom()) {
    return std::make_unique<BitsEncoder>(
        std::shared_ptr<const mechanism::Bloom>(std::move(table), bloom));
  }
  const mechanism::Hashing* const hashing = table->hashing();
  if (hashing == nullptr) return std::make_unique<NamingEncoder>(std::move(table));
  return std::make_unique<HashedEncoder>(
      std::shared_ptr<const mechanism::Hashing>(std::move(table), hashing));
}

}  // namespace tombola::client
