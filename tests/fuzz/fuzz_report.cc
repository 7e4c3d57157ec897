// Opened reports of every mechanism: what is counted is what the mechanism says of the report, and
// what is not counted leaves no trace.
//
// The first byte chooses the mechanism; then report follows report.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collector/aggregate/aggregator.h"
#include "common/base/check.h"
#include "common/kind/kind.h"
#include "common/mechanism/strings.h"
#include "common/strings/report.h"
#include "common/table/table.h"
#include "common/table/value_report.h"
#include "tests/fuzz/fixtures.h"
#include "tests/fuzz/input.h"

namespace tombola::fuzz {
namespace {

using mechanism::ReportState;
using Counts = std::vector<int64_t>;
using Report = absl::Span<const uint8_t>;

const std::vector<std::shared_ptr<const Task>>& Tasks() {
  static const auto* const tasks = [] {
    auto* made = new std::vector<std::shared_ptr<const Task>>;
    for (const v1::Task& proto : TasksOfEveryMechanism()) {
      auto task = Task::Parse(proto.SerializeAsString());
      TOMBOLA_CHECK(task.ok());
      made->push_back(*task);
    }
    return made;
  }();
  return *tasks;
}

template <typename Decoded>
ReportState CountByBuckets(const mechanism::Hashing& hashing, Report report, Counts& counts) {
  Decoded decoded;
  const ReportState state = hashing.Decode(report, &decoded);
  if (state != ReportState::kValid) return state;
  for (size_t value = 0; value < counts.size(); ++value) {
    if (hashing.Bucket(decoded, value) == decoded.bucket) ++counts[value];
  }
  return ReportState::kValid;
}

// One report by the definition of its table, value by value.
ReportState CountSlowly(const mechanism::Table& table, Report report, Counts& counts) {
  if (table.layout() == mechanism::Layout::kPlane) {
    return CountByBuckets<mechanism::PlaneReport>(*table.hashing(), report, counts);
  }
  if (table.layout() == mechanism::Layout::kAffine) {
    return CountByBuckets<mechanism::AffineReport>(*table.hashing(), report, counts);
  }
  if (table.layout() == mechanism::Layout::kString) {
    if (report.size() != table.report_bytes()) return ReportState::kMalformed;
    const auto& texts = static_cast<const mechanism::Strings&>(table);
    const auto decoded = strings::ReadStringReport(report, texts.shape());
    if (!decoded.ok()) return ReportState::kOutOfRange;
    ++counts[texts.CellOf(*decoded)];
    return ReportState::kValid;
  }
  const auto size = static_cast<int64_t>(counts.size());
  if (table.layout() == mechanism::Layout::kSigned) {
    mechanism::SignedReport decoded;
    if (!mechanism::Read(report, &decoded)) return ReportState::kMalformed;
    const int64_t change = decoded.change;
    if (change == 0 || change > size || change < -size) return ReportState::kOutOfRange;
    counts[static_cast<size_t>((change > 0 ? change : -change) - 1)] += change > 0 ? 1 : -1;
    return ReportState::kValid;
  }
  mechanism::ValueReport decoded;
  if (!mechanism::Read(report, &decoded)) return ReportState::kMalformed;
  if (decoded.value >= size) return ReportState::kOutOfRange;
  ++counts[decoded.value];
  return ReportState::kValid;
}

void Run(Input input) {
  const auto& table = Tasks()[input.Byte() % Tasks().size()]->kind().tables()[0];
  const auto aggregator = collector::MakeAggregator(table);
  Counts expected(static_cast<size_t>(table->domain_size()), 0);
  while (!input.empty()) {
    const Report report = AsSpan(input.Take(table->report_bytes()));  // the last may be short
    const ReportState result = CountSlowly(*table, report, expected);
    TOMBOLA_CHECK(aggregator->Add(report) == result);
    TOMBOLA_CHECK(report.size() == table->report_bytes() || result == ReportState::kMalformed);
  }
  if (!table->sparse()) {
    TOMBOLA_CHECK(aggregator->counts() == expected);
    return;
  }
  for (const collector::CellCount& cell : aggregator->TakeCells()) {
    TOMBOLA_CHECK(cell.count > 0 && cell.count == std::exchange(expected[cell.cell], 0));
  }
  TOMBOLA_CHECK(std::count(expected.begin(), expected.end(), 0) ==
                static_cast<int64_t>(expected.size()));
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Run({data, size});
  return 0;
}
