#include "client/encode/aue.h"

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "client/encode/random_order.h"
#include "common/base/check.h"
#include "common/mechanism/value_report.h"

namespace tombola::client {

AueEncoder::AueEncoder(std::shared_ptr<const mechanism::Aue> aue) : aue_(std::move(aue)) {}

int64_t AueEncoder::Encode(uint64_t value, RandomSource& random, std::string* out) const {
  TOMBOLA_CHECK(value < static_cast<uint64_t>(aue_->domain_size()));
  std::vector<uint32_t> dummies;
  aue_->DrawDummies(random, &dummies);
  std::vector<mechanism::ValueReport> reports;
  reports.reserve(1 + dummies.size());
  reports.push_back({static_cast<uint32_t>(value)});
  for (const uint32_t dummy : dummies) reports.push_back({dummy});
  AppendInRandomOrder(absl::MakeSpan(reports), random, out);
  return static_cast<int64_t>(reports.size());
}

}  // namespace tombola::client
