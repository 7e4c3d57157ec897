// How the running totals of exact counts are made noisy: which method, with how much noise.
//
// One record changes increments; they become totals with noise that hides it. Guaranteed: all
// totals together are (epsilon, delta)-private for neighbours that differ in one record, which may
// change `intervals` increments by up to `sensitivity` each, whether increments were fixed in
// advance or chosen by what was released before (but for kKAry: fixed in advance only). Not
// guaranteed: anything if the noise is known, drawn twice for one period, or used for other
// increments; that there is a record at all who changes more.
#ifndef TOMBOLA_COMMON_STREAM_DESIGN_H_
#define TOMBOLA_COMMON_STREAM_DESIGN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/stream/k_ary.h"
#include "common/stream/shares.h"
#include "common/stream/structure.h"
#include "common/stream/toeplitz.h"

namespace tombola::stream {

// Discrete Laplace noise on every node: kPlain, kFenwick, kBest (structure.h) and kKAry. Discrete
// Gaussian noise that is correlated over time: kSquareRoot and kBlt (toeplitz.h).
enum class Method { kPlain, kFenwick, kBest, kKAry, kSquareRoot, kBlt };

inline constexpr Method kMethods[] = {Method::kPlain, Method::kFenwick,    Method::kBest,
                                      Method::kKAry,  Method::kSquareRoot, Method::kBlt};
absl::string_view NameOf(Method method);
bool IsGaussian(Method method);
// The most periods of one design.
int64_t MostPeriods(Method method);

inline constexpr int64_t kLargestSensitivity = int64_t{1} << 31;
inline constexpr double kLargestEpsilon = 700;

// What is wanted. Fields without a default that will do must be set.
struct Question {
  double epsilon = 0;       // (0, kLargestEpsilon]
  double delta = 0;         // [0, 1); 0: pure epsilon, and no Gaussian noise
  int64_t periods = 0;      // [1, kMostPeriods]
  int64_t sensitivity = 0;  // [1, kLargestSensitivity]: what a record may change an increment by
  int64_t intervals = 1;    // [1, kMostPeriods]: how many increments a record may change
  bool adaptive = false;    // increments may depend on totals that were released before
  // [1, 2^31]: as how many totals the last one counts where variances are to be small on average,
  // because others begin with it. Of kFenwick and kBest it moves the nodes' shares.
  int64_t last_weight = 1;
  // None: the one with the least mean variance, so weighted; kPlain before others.
  std::optional<Method> method;
};

// Made by MakeDesign only. Immutable by convention.
struct Design {
  Method method = Method::kPlain;
  int64_t periods = 0;
  // What is guaranteed: at most what was asked for; delta is 0 with Laplace noise.
  double epsilon = 0;
  double delta = 0;
  int64_t last_weight = 1;  // as asked for
  // The predicted variance of totals 1..periods; rounding to whole numbers is counted in. The mean
  // is not weighted.
  double mean_variance = 0;
  double max_variance = 0;
  double last_variance = 0;

  // With a tree: noise of node t has the rate share * rate (discrete_noise.h).
  double rate = 0;
  std::optional<Structure> structure;
  // kKAry, with a rate for each level, in the units of discrete_noise.h.
  KAry k_ary;
  std::vector<uint64_t> level_rates;
  // Gaussian: the noise's variance, in steps of 2^-grid_bits squared.
  uint64_t noise_variance = 0;
  int grid_bits = 0;
  std::vector<int64_t> column;  // kSquareRoot
  Blt blt;                      // kBlt
};

// InvalidArgument, naming the field and its bound, if it is out of range, if the method is not for
// this question, or if the noise would be too small or too large to draw.
absl::StatusOr<std::shared_ptr<const Design>> MakeDesign(const Question& question);

// The epsilon that holds, with the design's delta, for a record that changes at most one of `parts`
// equal parts of what the noise is for: one increment of so many intervals. parts >= 1.
double EpsilonOfPart(const Design& design, int64_t parts);

// The rates of the nodes 1, 2, ... of a tree, in the units of discrete_noise.h.
class NodeRates {
 public:
  // The design must have a structure and outlive this object.
  explicit NodeRates(const Design& design);
  uint64_t Of(int64_t node) const;

 private:
  const Design& design_;
  std::optional<FenwickShares> fenwick_;
  Shares listed_;  // kBest
};

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_STREAM_DESIGN_H_
