#include "client/encode/correlated.h"

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "client/encode/random_order.h"
#include "common/base/check.h"
#include "common/mechanism/value_report.h"

namespace tombola::client {

CorrelatedEncoder::CorrelatedEncoder(std::shared_ptr<const mechanism::Correlated> correlated)
    : correlated_(std::move(correlated)) {}

int64_t CorrelatedEncoder::Encode(uint64_t value, RandomSource& random, std::string* out) const {
  TOMBOLA_CHECK(value < static_cast<uint64_t>(correlated_->domain_size()));
  std::vector<mechanism::SignedReport> reports;
  correlated_->DrawNoise(random, &reports);
  reports.push_back({static_cast<int32_t>(value) + 1});
  AppendInRandomOrder(absl::MakeSpan(reports), random, out);
  return static_cast<int64_t>(reports.size());
}

}  // namespace tombola::client
