#include "collector/aggregate/plane.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "collector/aggregate/each_report.h"
#include "common/base/check.h"
#include "common/table/hash_family.h"
#include "common/table/local_hash_report.h"

namespace tombola::collector {
namespace {

PlaneShape ShapeOf(const mechanism::Hashing& hashing) {
  const uint64_t side = hashing.side();
  const uint64_t domain = static_cast<uint64_t>(hashing.options().domain_size);
  return {.order = static_cast<uint32_t>(hashing.options().range),
          .side = static_cast<uint32_t>(side),
          .rows = static_cast<uint32_t>((domain + side - 1) / side)};
}

}  // namespace

PlaneAggregator::PlaneAggregator(std::shared_ptr<const mechanism::Hashing> hashing)
    : Aggregator(hashing->options().domain_size, mechanism::PlaneReport::kBytes),
      hashing_(std::move(hashing)),
      classes_(*hashing_),
      shape_(ShapeOf(*hashing_)) {
  TOMBOLA_CHECK(hashing_->options().family == mechanism::HashFamily::kPlane);
  hashes_ = classes_.Empty();
}

AddedReports PlaneAggregator::Count(absl::Span<const uint8_t> reports) {
  constexpr size_t kBlockBytes = PlaneLines::kMost * mechanism::PlaneReport::kBytes;
  // Copies that no counter can be mistaken for, so that the loop keeps them in registers.
  const mechanism::Hashing& hashing = *hashing_;
  const HashClasses classes = classes_;
  PlaneLines lines;
  AddedReports added;
  for (size_t at = 0; at < reports.size(); at += kBlockBytes) {
    size_t size = 0;
    added += CountEach<mechanism::PlaneReport>(
        reports.subspan(at, kBlockBytes),
        [&](absl::Span<const uint8_t> bytes, mechanism::PlaneReport* report) {
          return hashing.Decode(bytes, report);
        },
        [&](const mechanism::PlaneReport& report) {
          classes.Add(report, hashes_);
          if (report.function == shape_.order) return AddRow(report.bucket);
          lines.slopes[size] = report.function;
          lines.buckets[size] = report.bucket;
          ++size;
        });
    lines.size = size;
    CountPoints(shape_, lines, absl::MakeSpan(counts_));
  }
  return added;
}

void PlaneAggregator::AddRow(uint32_t row) {
  if (row >= shape_.rows) return;
  const size_t start = size_t{row} * shape_.side;
  const size_t end = std::min(start + shape_.side, counts_.size());
  for (size_t value = start; value < end; ++value) ++counts_[value];
}

}  // namespace tombola::collector
