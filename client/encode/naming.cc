#include <cstddef>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "client/encode/encoders.h"
#include "common/base/check.h"
#include "common/table/value_report.h"

namespace tombola::client {
namespace {

using mechanism::Layout;
using mechanism::SignedReport;
using mechanism::ValueReport;

// Appends the reports' bytes.
void Append(absl::Span<const SignedReport> reports, Layout layout, std::string* out) {
  static_assert(SignedReport::kBytes == ValueReport::kBytes);
  constexpr size_t kBytes = ValueReport::kBytes;
  size_t at = out->size();
  out->resize(at + reports.size() * kBytes);
  const auto bytes = absl::MakeSpan(reinterpret_cast<uint8_t*>(out->data()), out->size());
  for (const SignedReport& report : reports) {
    if (layout == Layout::kSigned) {
      mechanism::Write(report, bytes.subspan(at, kBytes));
    } else {
      mechanism::Write(ValueReport{static_cast<uint32_t>(report.change - 1)},
                       bytes.subspan(at, kBytes));
    }
    at += kBytes;
  }
}

}  // namespace

NamingEncoder::NamingEncoder(std::shared_ptr<const mechanism::Table> table)
    : table_(std::move(table)) {
  TOMBOLA_CHECK(table_->hashing() == nullptr);
}

int64_t NamingEncoder::Encode(uint64_t cell, RandomSource& random, std::string* out) const {
  TOMBOLA_CHECK(cell < static_cast<uint64_t>(table_->domain_size()));
  const SignedReport own = {static_cast<int32_t>(table_->Randomise(cell, random)) + 1};
  std::vector<SignedReport> reports;
  table_->DrawNoise(random, &reports);
  if (reports.empty()) {
    Append(absl::MakeConstSpan(&own, 1), table_->layout(), out);
    return 1;
  }
  reports.push_back(own);
  // Fisher-Yates: an order drawn uniformly from all, so that no place is the device's own.
  for (size_t left = reports.size(); left > 1; --left) {
    std::swap(reports[left - 1], reports[UniformBelow(left, random)]);
  }
  Append(reports, table_->layout(), out);
  return static_cast<int64_t>(reports.size());
}

}  // namespace tombola::client
