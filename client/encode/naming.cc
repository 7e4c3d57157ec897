#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
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

// So many of the cells, drawn uniformly; all of them in their own order, since that is lost later.
absl::InlinedVector<uint64_t, 4> Chosen(absl::Span<const uint64_t> cells, size_t count,
                                        RandomSource& random) {
  absl::InlinedVector<uint64_t, 4> chosen(cells.begin(), cells.end());
  if (count == cells.size()) return chosen;
  for (size_t i = 0; i < count; ++i) {
    std::swap(chosen[i], chosen[i + UniformBelow(cells.size() - i, random)]);
  }
  chosen.resize(count);
  return chosen;
}

// Fisher-Yates: an order drawn uniformly from all, so that no place is the device's own.
void PutInRandomOrder(RandomSource& random, std::vector<SignedReport>* reports) {
  for (size_t left = reports->size(); left > 1; --left) {
    std::swap((*reports)[left - 1], (*reports)[UniformBelow(left, random)]);
  }
}

}  // namespace

NamingEncoder::NamingEncoder(std::shared_ptr<const mechanism::Table> table)
    : table_(std::move(table)) {
  TOMBOLA_CHECK(table_->hashing() == nullptr);
}

int64_t NamingEncoder::Encode(absl::Span<const uint64_t> cells, RandomSource& random,
                              std::string* out) const {
  const mechanism::Filling filling = table_->filling();
  TOMBOLA_CHECK(cells.size() == static_cast<size_t>(filling.held));
  absl::InlinedVector<SignedReport, 4> own;
  for (const uint64_t cell : Chosen(cells, static_cast<size_t>(filling.sent), random)) {
    TOMBOLA_CHECK(cell < static_cast<uint64_t>(table_->domain_size()));
    own.push_back({static_cast<int32_t>(table_->Randomise(cell, random)) + 1});
  }
  std::vector<SignedReport> reports;
  table_->DrawNoise(random, &reports);
  if (reports.empty() && own.size() == 1) {
    Append(own, table_->layout(), out);
    return 1;
  }
  reports.insert(reports.end(), own.begin(), own.end());
  PutInRandomOrder(random, &reports);
  Append(reports, table_->layout(), out);
  return static_cast<int64_t>(reports.size());
}

}  // namespace tombola::client
