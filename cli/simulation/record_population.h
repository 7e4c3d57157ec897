// Who has which records: the devices of a simulated task of records.
#ifndef TOMBOLA_CLI_SIMULATION_RECORD_POPULATION_H_
#define TOMBOLA_CLI_SIMULATION_RECORD_POPULATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cli/simulation/data.h"
#include "client/place/records.h"
#include "common/kind/records.h"

namespace tombola::simulation {

// The records of many devices, in 4 bytes an attribute and 8 a measure.
class RecordPopulation {
 public:
  // Of all devices' records together, attributes and measures.
  static constexpr int64_t kMostFields = 200000000;

  // Of records with so many of each.
  explicit RecordPopulation(const RecordSchema& schema)
      : attributes_(schema.attributes.size()), measures_(schema.measures.size()) {}

  // One more device.
  void Add(absl::Span<const client::PlacedRow> rows);

  int64_t users() const { return static_cast<int64_t>(ends_.size()) - 1; }
  int64_t rows() const { return static_cast<int64_t>(ends_.back()); }
  int64_t fields() const { return rows() * static_cast<int64_t>(attributes_ + measures_); }

  // Of one device.
  std::vector<client::PlacedRow> RowsOf(int64_t user) const;

 private:
  size_t attributes_, measures_;
  std::vector<uint32_t> places_;
  std::vector<double> numbers_;
  std::vector<size_t> ends_ = {0};
};

// A made-up population by one of the laws of DataRequest, of which the domain is not looked at,
// from its seed: a device has none to max_records records, each number of them with the same
// probability; each attribute of a record is drawn from the law over its bins or labels, and each
// measure is one of the hundredths of its range, all independently and measures evenly.
// InvalidArgument names the flag.
absl::StatusOr<RecordPopulation> DrawRecords(const DataRequest& request,
                                             const RecordSchema& schema);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_RECORD_POPULATION_H_
