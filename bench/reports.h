// The mechanisms and plaintext reports that the collector's benchmarks count.
#ifndef TOMBOLA_BENCH_REPORTS_H_
#define TOMBOLA_BENCH_REPORTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/fast_random.h"
#include "common/mechanism/grr.h"
#include "common/mechanism/local_hash.h"

namespace tombola::bench {

inline constexpr int64_t kDomain = 600;
// Near what the planner gives 600,000 devices at epsilon 1.
inline constexpr uint64_t kPlaneOrder = 2281;

inline std::shared_ptr<const mechanism::LocalHash> MakeLocalHash(
    const mechanism::LocalHashOptions& options) {
  return std::make_shared<const mechanism::LocalHash>(
      mechanism::LocalHash::Create(options).value());
}

inline std::shared_ptr<const mechanism::LocalHash> MakePlane() {
  return MakeLocalHash({.family = mechanism::HashFamily::kPlane,
                        .range = kPlaneOrder,
                        .blanket_threshold = uint64_t{1} << 63,
                        .domain_size = kDomain});
}

inline std::shared_ptr<const mechanism::Grr> MakeGrr() {
  return std::make_shared<const mechanism::Grr>(
      mechanism::Grr::Create({.blanket_threshold = uint64_t{1} << 63, .domain_size = kDomain})
          .value());
}

// Reports of the blanket, back to back: uniform, as nearly all of a batch are.
inline std::vector<uint8_t> DrawReports(const mechanism::Mechanism& mechanism, int64_t count) {
  FastRandom random(1);
  const size_t bytes = mechanism.report_bytes();
  std::vector<uint8_t> reports(static_cast<size_t>(count) * bytes);
  for (size_t at = 0; at < reports.size(); at += bytes) {
    mechanism.DrawFake(random, absl::MakeSpan(reports).subspan(at, bytes));
  }
  return reports;
}

}  // namespace tombola::bench

#endif  // TOMBOLA_BENCH_REPORTS_H_
