// What a privacy mechanism's parameters mean to every party: how long a report is, what it costs in
// privacy, and how far off the answer will be.
#ifndef TOMBOLA_COMMON_MECHANISM_MECHANISM_H_
#define TOMBOLA_COMMON_MECHANISM_MECHANISM_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/mechanism/count_model.h"
#include "common/random/random_source.h"

namespace tombola::mechanism {

// A mechanism's parameters in the words of the command line; what it does not have is absent.
struct Parameters {
  std::optional<double> range;    // hash buckets
  std::optional<double> dummies;  // expected dummies for one value that `honest` devices send
  std::optional<int64_t> fakes;   // reports that the shuffler adds to a batch
  std::optional<double> noise_epsilon, shape, flood;  // of accounting::CorrelatedNoise
  // The devices that noise is spread over: they add up to `dummies`, or to `shape`.
  std::optional<int64_t> honest;
};

// A mechanism with valid parameters for one domain. Immutable and thread-safe.
//
// Guarantees hold for neighbours that differ in the value of one submission, n being public, if at
// least `honest` of a batch's submissions come from devices that followed the mechanism and the
// observer sees nothing but the multiset of reports. What a device does over several batches is
// composed elsewhere.
class Mechanism {
 public:
  virtual ~Mechanism() = default;

  // As on the command line, e.g. "local_hash".
  virtual absl::string_view name() const = 0;
  // Values are 0 to domain_size() - 1.
  virtual int64_t domain_size() const = 0;
  // The length of a plaintext report, the same for every value.
  virtual size_t report_bytes() const = 0;
  virtual int64_t max_reports_per_submission() const = 0;
  virtual double expected_reports_per_submission() const = 0;
  // How many reports, each by DrawFake, the shuffler adds to every batch.
  virtual int64_t fakes() const { return 0; }
  virtual Parameters parameters() const = 0;

  // What remains if the shuffler colludes; infinity where nothing does. Never below the truth.
  virtual double local_epsilon() const = 0;
  // An upper bound on the delta that holds at `epsilon`. Where noise is spread over devices
  // (parameters().honest), more honest submissions than it was sized for change nothing here; with
  // fewer, FailedPrecondition where nothing is proven.
  virtual absl::StatusOr<double> Delta(int64_t honest, double epsilon) const = 0;
  // An epsilon that holds at `delta`, at most local_epsilon(). FailedPrecondition if there is none.
  virtual absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const = 0;
  // The fewest honest submissions for which (epsilon, delta) holds.
  virtual absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const = 0;

  // How the count of a value comes about. Estimates, their errors and simulations follow from it.
  virtual CountModel count_model() const = 0;
  // The expected squared error of a frequency before post-processing, averaged over the domain, for
  // one batch of this many submissions, >= 1.
  double PredictedMse(int64_t submissions) const {
    return AverageSquaredError(count_model(), domain_size(),
                               {.submissions = submissions, .fakes = fakes()});
  }

  // Writes a report drawn uniformly from all reports; report.size() == report_bytes().
  virtual void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const = 0;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_MECHANISM_H_
