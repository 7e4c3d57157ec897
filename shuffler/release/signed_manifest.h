// What the shuffler signs for a batch.
#ifndef TOMBOLA_SHUFFLER_RELEASE_SIGNED_MANIFEST_H_
#define TOMBOLA_SHUFFLER_RELEASE_SIGNED_MANIFEST_H_

#include <string>

#include "common/crypto/ed25519_sign.h"
#include "shuffler/store/amounts.h"

namespace tombola::shuffler {

// The bytes of a serialised tombola.v1.BatchHeader for a batch with these totals.
std::string SignManifest(const BatchTotals& totals, const crypto::SigningKey& key);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_RELEASE_SIGNED_MANIFEST_H_
