// What a batch consists of: the shuffler counts it and signs it, the collector checks it.
#ifndef TOMBOLA_COMMON_TASK_MANIFEST_H_
#define TOMBOLA_COMMON_TASK_MANIFEST_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/batch_key.h"
#include "common/base/ids.h"

namespace tombola {

// Prefixes what the shuffler's long-term key signs here.
inline constexpr absl::string_view kManifestContext = "tombola/v1/manifest";

// The fields of the same names in collector.proto.
struct Manifest {
  BatchKey of;  // task_id, key_id and part
  BatchId batch{};
  int64_t submissions = 0;
  int64_t reports_in = 0;
  int64_t duplicates = 0;
  int64_t fakes = 0;
  int64_t reports_out = 0;
  std::array<uint8_t, 32> digest_sum{};

  // InvalidArgument: not a manifest, or its counts contradict each other. The signature is checked
  // apart, because the key to check it with is the task's.
  static absl::StatusOr<Manifest> Parse(absl::string_view bytes);
  // What Parse reads, and what is signed: a serialised tombola.v1.Manifest.
  std::string Serialise() const;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_MANIFEST_H_
