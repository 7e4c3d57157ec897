// The names in a collector's data directory.
#ifndef TOMBOLA_COLLECTOR_DATA_DIRECTORY_H_
#define TOMBOLA_COLLECTOR_DATA_DIRECTORY_H_

#include "absl/strings/string_view.h"

namespace tombola::collector {

inline constexpr absl::string_view kCatalogFile = "catalog.db";
inline constexpr absl::string_view kKeysDirectory = "keys";
inline constexpr absl::string_view kBatchesFile = "batches.db";
inline constexpr absl::string_view kDatabases[] = {kCatalogFile, "keys/keys.db", kBatchesFile};
inline constexpr absl::string_view kAuditFile = "audit.log";
// Not in a backup: noise that was brought back would be used twice.
inline constexpr absl::string_view kTotalsDirectory = "totals";
inline constexpr absl::string_view kTotalsKeyFile = "totals.key";
// There once all of the others have been made, so that one that is gone is missed.
inline constexpr absl::string_view kCompleteFile = "complete";
inline constexpr absl::string_view kCompleteContent = "1\n";

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DATA_DIRECTORY_H_
