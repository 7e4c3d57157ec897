// A task as analysts and administrators see it.
#ifndef TOMBOLA_COLLECTOR_QUERY_TASK_INFO_H_
#define TOMBOLA_COLLECTOR_QUERY_TASK_INFO_H_

#include "absl/status/statusor.h"
#include "collector/catalog/catalog.h"
#include "collector/ingest/batch_ledger.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

absl::StatusOr<v1::TaskInfo> DescribeTask(const CatalogEntry& entry, const BatchLedger& ledger);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_TASK_INFO_H_
