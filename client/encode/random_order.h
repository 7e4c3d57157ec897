// The order of a submission's reports.
#ifndef TOMBOLA_CLIENT_ENCODE_RANDOM_ORDER_H_
#define TOMBOLA_CLIENT_ENCODE_RANDOM_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "common/mechanism/value_report.h"
#include "common/random/random_source.h"

namespace tombola::client {

// Puts the reports in an order drawn uniformly from all orders (Fisher-Yates) and appends their
// bytes to *out, so that no place among them is the device's own. Draws the same random words
// whatever the reports are.
template <typename Report>
void AppendInRandomOrder(absl::Span<Report> reports, RandomSource& random, std::string* out) {
  for (size_t left = reports.size(); left > 1; --left) {
    std::swap(reports[left - 1], reports[UniformBelow(left, random)]);
  }
  size_t at = out->size();
  out->resize(at + reports.size() * Report::kBytes);
  const auto bytes = absl::MakeSpan(reinterpret_cast<uint8_t*>(out->data()), out->size());
  for (const Report& report : reports) {
    mechanism::Write(report, bytes.subspan(at, Report::kBytes));
    at += Report::kBytes;
  }
}

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_RANDOM_ORDER_H_
