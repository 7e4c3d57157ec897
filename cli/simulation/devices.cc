#include "cli/simulation/devices.h"

#include <string>

#include "client/encode/encoder.h"
#include "collector/aggregate/aggregator.h"
#include "common/base/check.h"

namespace tombola::simulation {

std::vector<int64_t> RunDevices(const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                absl::Span<const int64_t> truth, RandomSource& random) {
  TOMBOLA_CHECK(static_cast<int64_t>(truth.size()) == mechanism->domain_size());
  const auto encoder = client::MakeEncoder(mechanism);
  const auto aggregator = collector::MakeAggregator(mechanism);
  const auto add = [&](absl::Span<const uint8_t> report) {
    TOMBOLA_CHECK(aggregator->Add(report) == collector::AddResult::kCounted);
  };
  const size_t bytes = mechanism->report_bytes();
  std::string reports;
  for (size_t v = 0; v < truth.size(); ++v) {
    for (int64_t device = 0; device < truth[v]; ++device) {
      reports.clear();
      encoder->Encode(v, random, &reports);
      const auto* begin = reinterpret_cast<const uint8_t*>(reports.data());
      for (size_t at = 0; at < reports.size(); at += bytes) add({begin + at, bytes});
    }
  }
  std::vector<uint8_t> fake(bytes);
  for (int64_t i = 0; i < mechanism->fakes(); ++i) {
    mechanism->DrawFake(random, absl::MakeSpan(fake));
    add(fake);
  }
  return aggregator->counts();
}

}  // namespace tombola::simulation
