#include "shuffler/release/fakes_and_signature.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "common/base/status_macros.h"
#include "common/crypto/hpke_seal.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::shuffler {

absl::StatusOr<FakeReports> MakeFakes(std::shared_ptr<const Task> task, const HpkeKey& key,
                                      uint64_t part, RandomSource& random) {
  TOMBOLA_ASSIGN_OR_RETURN(crypto::Sealer created,
                           crypto::Sealer::Create(key.public_key, task->HpkeInfo(key.id, part)));
  auto sealer = std::make_shared<crypto::Sealer>(std::move(created));
  FakeReports fakes;
  fakes.count = task->scheme()->fakes();
  std::vector<uint8_t> plaintext(task->scheme()->report_bytes());
  fakes.draw = [task = std::move(task), sealer, &random,
                plaintext = std::move(plaintext)](absl::Span<uint8_t> sealed) mutable {
    task->scheme()->DrawFake(random, absl::MakeSpan(plaintext));
    return sealer->Seal(plaintext, random, sealed);
  };
  return fakes;
}

std::string SignManifest(const Manifest& manifest, const crypto::SigningKey& key) {
  v1::BatchHeader header;
  header.set_manifest(manifest.Serialise());
  header.set_signature(key.Sign(kManifestContext, header.manifest()));
  return header.SerializeAsString();
}

}  // namespace tombola::shuffler
