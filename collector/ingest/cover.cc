#include "collector/ingest/cover.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "collector/quality/chernoff.h"

namespace tombola::collector {
namespace {

constexpr double kSurprise = 13.8;  // of what chance gives with 1e-6

// Whether so many devices that followed the scheme may have added no more noise than this.
bool MayAdd(const mechanism::Scheme& scheme, int64_t devices, int64_t noise) {
  if (noise < 0) return false;
  const auto law = scheme.message_law();
  return law == nullptr || NoiseBelow(*law, devices, noise) <= kSurprise;
}

}  // namespace

int64_t CoveredSubmissions(const Task& task, const Manifest& manifest, int64_t good, int64_t bad) {
  const mechanism::Scheme& scheme = task.SchemeOf(manifest.of.part);
  const int64_t most = scheme.max_reports_per_submission();
  const int64_t senders = (bad + most - 1) / most;  // at least
  const int64_t dishonest = manifest.submissions - task.Honest(manifest.submissions);
  const std::optional<int64_t> honest = scheme.parameters().honest;
  // What is left when each of the others has said its own.
  const int64_t noise = good - manifest.fakes -
                        (manifest.submissions - senders) * scheme.own_reports_per_submission();
  if (bad > 0 && honest.has_value() && !MayAdd(scheme, *honest, noise)) return 0;
  if (senders <= dishonest) return manifest.submissions;
  const int64_t one_each = std::max<int64_t>(0, manifest.submissions - bad);
  if (!honest.has_value() || manifest.submissions - senders < *honest) return one_each;
  // So many that less the dishonest share they are no more than those that are left.
  const double beyond =
      static_cast<double>(senders - dishonest) / (1 - task.batch_policy().dishonest_share);
  const int64_t most_left = manifest.submissions - static_cast<int64_t>(std::ceil(beyond));
  const int64_t smallest = task.SmallestBatchOf(manifest.of.part);
  return most_left < smallest ? one_each : std::max(one_each, smallest);
}

}  // namespace tombola::collector
