// Opened reports of every mechanism: what is counted is what the mechanism says of the report, and
// what is not counted leaves no trace.
//
// The first byte chooses the mechanism; then report follows report.
#include <memory>
#include <string>
#include <vector>

#include "collector/aggregate/aggregator.h"
#include "common/base/check.h"
#include "common/mechanism/correlated.h"
#include "common/mechanism/local_hash.h"
#include "common/mechanism/murs.h"
#include "common/mechanism/value_report.h"
#include "tests/fuzz/fixtures.h"
#include "tests/fuzz/input.h"

namespace tombola::fuzz {
namespace {

using collector::AddResult;
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
AddResult CountByBuckets(const mechanism::LocalHash& local_hash, Report report, Counts& counts) {
  Decoded decoded;
  const mechanism::ReportState state = local_hash.Decode(report, &decoded);
  if (state == mechanism::ReportState::kMalformed) return AddResult::kMalformed;
  if (state == mechanism::ReportState::kOutOfRange) return AddResult::kOutOfRange;
  for (size_t value = 0; value < counts.size(); ++value) {
    if (local_hash.Bucket(decoded, value) == decoded.bucket) ++counts[value];
  }
  return AddResult::kCounted;
}

// One report by the definition of its mechanism, value by value.
AddResult CountSlowly(const mechanism::Mechanism& mechanism, Report report, Counts& counts) {
  const auto* local_hash = dynamic_cast<const mechanism::LocalHash*>(&mechanism);
  if (const auto* murs = dynamic_cast<const mechanism::Murs*>(&mechanism)) {
    local_hash = &murs->local_hash();
  }
  if (local_hash != nullptr && local_hash->options().family == mechanism::HashFamily::kPlane) {
    return CountByBuckets<mechanism::PlaneReport>(*local_hash, report, counts);
  }
  if (local_hash != nullptr) {
    return CountByBuckets<mechanism::AffineReport>(*local_hash, report, counts);
  }
  const auto size = static_cast<int64_t>(counts.size());
  if (mechanism.name() == mechanism::Correlated::kName) {
    mechanism::SignedReport decoded;
    if (!mechanism::Read(report, &decoded)) return AddResult::kMalformed;
    const int64_t change = decoded.change;
    if (change == 0 || change > size || change < -size) return AddResult::kOutOfRange;
    counts[static_cast<size_t>((change > 0 ? change : -change) - 1)] += change > 0 ? 1 : -1;
    return AddResult::kCounted;
  }
  mechanism::ValueReport decoded;
  if (!mechanism::Read(report, &decoded)) return AddResult::kMalformed;
  if (decoded.value >= size) return AddResult::kOutOfRange;
  ++counts[decoded.value];
  return AddResult::kCounted;
}

void Run(Input input) {
  const auto& mechanism = Tasks()[input.Byte() % Tasks().size()]->mechanism();
  const auto aggregator = collector::MakeAggregator(mechanism);
  Counts expected(static_cast<size_t>(mechanism->domain_size()), 0);
  while (!input.empty()) {
    const Report report = AsSpan(input.Take(mechanism->report_bytes()));  // the last may be short
    const AddResult result = CountSlowly(*mechanism, report, expected);
    TOMBOLA_CHECK(aggregator->Add(report) == result);
    TOMBOLA_CHECK(report.size() == mechanism->report_bytes() || result == AddResult::kMalformed);
  }
  TOMBOLA_CHECK(aggregator->counts() == expected);
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Run({data, size});
  return 0;
}
