#include <string>

#include "cli/simulation/draw_counts.h"
#include "client/encode/encoder.h"
#include "collector/aggregate/aggregator.h"
#include "common/base/check.h"

namespace tombola::simulation {
namespace {

// Counting many at once is faster, as in the collector.
constexpr size_t kReportsAtOnce = 256;

}  // namespace

std::vector<int64_t> RunDevices(const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                absl::Span<const int64_t> truth, RandomSource& random) {
  TOMBOLA_CHECK(static_cast<int64_t>(truth.size()) == mechanism->domain_size());
  const auto encoder = client::MakeEncoder(mechanism);
  const auto aggregator = collector::MakeAggregator(mechanism);
  const size_t bytes = mechanism->report_bytes();
  std::string reports;
  const auto count = [&] {
    const auto* begin = reinterpret_cast<const uint8_t*>(reports.data());
    const auto number = static_cast<int64_t>(reports.size() / bytes);
    TOMBOLA_CHECK(aggregator->AddAll({begin, reports.size()}).counted == number);
    reports.clear();
  };
  for (size_t v = 0; v < truth.size(); ++v) {
    for (int64_t device = 0; device < truth[v]; ++device) {
      encoder->Encode(v, random, &reports);
      if (reports.size() >= kReportsAtOnce * bytes) count();
    }
  }
  for (int64_t i = 0; i < mechanism->fakes(); ++i) {
    const size_t at = reports.size();
    reports.resize(at + bytes);
    mechanism->DrawFake(random, {reinterpret_cast<uint8_t*>(reports.data()) + at, bytes});
    if (reports.size() >= kReportsAtOnce * bytes) count();
  }
  count();
  return aggregator->counts();
}

}  // namespace tombola::simulation
