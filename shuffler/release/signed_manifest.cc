#include "shuffler/release/signed_manifest.h"

#include "common/task/manifest.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::shuffler {

std::string SignManifest(const BatchTotals& totals, const crypto::SigningKey& key) {
  v1::Manifest manifest;
  manifest.set_task_id(std::string(AsView(totals.of.task)));
  manifest.set_batch_id(std::string(AsView(totals.batch)));
  manifest.set_key_id(std::string(AsView(totals.of.key)));
  manifest.set_part(totals.of.part);
  manifest.set_submissions(static_cast<uint64_t>(totals.submissions));
  manifest.set_reports_in(static_cast<uint64_t>(totals.reports_in));
  manifest.set_duplicates(static_cast<uint64_t>(totals.duplicates));
  manifest.set_fakes(static_cast<uint64_t>(totals.fakes));
  manifest.set_reports_out(static_cast<uint64_t>(totals.reports_out));
  manifest.set_digest_sum(std::string(AsView(totals.digest_sum)));
  v1::BatchHeader header;
  header.set_manifest(manifest.SerializeAsString());
  header.set_signature(key.Sign(kManifestContext, header.manifest()));
  return header.SerializeAsString();
}

}  // namespace tombola::shuffler
