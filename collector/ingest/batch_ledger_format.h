// The tables of the batch ledger, and how those of its first version become them.
#ifndef TOMBOLA_COLLECTOR_INGEST_BATCH_LEDGER_FORMAT_H_
#define TOMBOLA_COLLECTOR_INGEST_BATCH_LEDGER_FORMAT_H_

#include <string>

#include "absl/status/status.h"
#include "collector/database/database.h"

namespace tombola::collector {

// Version 1 had no `finished`, and its columns in another order.
inline constexpr int kBatchLedgerVersion = 2;

// SQL that makes the tables.
std::string BatchLedgerSchema();

// Inside a transaction of the caller's. Every row is compared with its checksum first: DataLoss if
// one differs or is missing. The batches of version 1 have no time.
absl::Status ConvertBatchLedgerFromVersion1(Database& database);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_BATCH_LEDGER_FORMAT_H_
