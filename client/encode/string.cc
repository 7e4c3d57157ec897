#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/encode/encoders.h"
#include "common/base/check.h"
#include "common/base/encoding.h"
#include "common/strings/report.h"

namespace tombola::client {

using strings::StringReport;

StringEncoder::StringEncoder(std::shared_ptr<const mechanism::Strings> cells)
    : cells_(std::move(cells)) {}

int64_t StringEncoder::Encode(absl::Span<const uint64_t> cells, RandomSource& random,
                              std::string* out) const {
  TOMBOLA_CHECK(cells.size() == static_cast<size_t>(cells_->cells()));
  std::vector<StringReport> reports;
  for (const uint64_t cell : cells) {
    TOMBOLA_CHECK(cell < static_cast<uint64_t>(cells_->domain_size()));
    reports.push_back(cells_->Randomised(cell, random));
  }
  for (int64_t dummies = cells_->DrawDummies(random); dummies > 0; --dummies) {
    reports.push_back(cells_->AnyReport(random));
  }
  // Fisher-Yates: an order drawn uniformly from all, so that no place is the device's own.
  for (size_t left = reports.size(); left > 1; --left) {
    std::swap(reports[left - 1], reports[UniformBelow(left, random)]);
  }
  std::array<uint8_t, StringReport::kBytes> bytes{};
  for (const StringReport& report : reports) {
    Write(report, absl::MakeSpan(bytes));
    absl::StrAppend(out, AsView(bytes));
  }
  return static_cast<int64_t>(reports.size());
}

}  // namespace tombola::client
