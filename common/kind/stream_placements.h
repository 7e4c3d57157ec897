// What several submissions of one device cost it, wherever in a stream they are.
#ifndef TOMBOLA_COMMON_KIND_STREAM_PLACEMENTS_H_
#define TOMBOLA_COMMON_KIND_STREAM_PLACEMENTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "common/accounting/submission_loss.h"
#include "common/kind/stream.h"

namespace tombola {

// All ways to place as many submissions in different periods of a stream whose nodes are nested and
// counted by pure_dump or aue. Of every node and number c of submissions in it the loss is that of
// a shift by c units (accounting::SeveralCells). Not thread-safe.
//
// Guaranteed: no placement has a larger delta. A moment of the losses' sum is a sum over nodes, of
// which the largest over all placements is found exactly (stream/placement.h); that bounds delta
// for each of them, some percent of epsilon above the worst. Where there are few placements they
// are composed as well: by falling moments, until what is left is surely less than what was seen.
class StreamPlacements {
 public:
  // FailedPrecondition or InvalidArgument: of other nodes. ResourceExhausted: it would take longer
  // than some seconds, whoever made the nodes.
  static absl::StatusOr<StreamPlacements> Of(const StreamKind& stream, int64_t submissions);

  // The smallest epsilon that was seen to hold at delta for all of them, if any.
  std::optional<double> EpsilonAt(double delta) const;

  // Orders of the moments: 2^(i/2) from 1/8 to 128. Between two of them a bound loses about a
  // percent of epsilon.
  static constexpr int kLeastOrder = -6;
  static constexpr size_t kOrders = 21;

 private:
  struct Moments {
    std::array<double, kOrders> log_mgf{};  // ln E[e^(order loss); loss finite]
    double charge = 0;                      // and what is infinite
    double difference = 0;                  // as SubmissionLoss

    void Add(const Moments& other);
    double DeltaAt(double epsilon) const;
    std::optional<double> EpsilonAt(double delta) const;
  };
  // Of c submissions in one sort of node: [sort][c - 1].
  struct Cost {
    accounting::SubmissionLoss loss;  // kept where placements are composed
    Moments moments;
  };
  // Which sorts have how many of the submissions.
  using Placement = std::vector<std::pair<size_t, int64_t>>;

  static Moments MomentsOf(const accounting::SubmissionLoss& loss);
  void Enumerate(const mechanism::Nodes& nodes, int64_t submissions);
  const Cost& CostOf(const std::pair<size_t, int64_t>& in) const {
    return costs_[in.first][static_cast<size_t>(in.second - 1)];
  }
  std::optional<double> ComposedEpsilon(double delta) const;

  std::vector<size_t> sort_of_;  // by node, from 0
  std::vector<std::vector<Cost>> costs_;
  Moments largest_;
  std::vector<Placement> placements_;  // distinct; empty where there are too many
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_STREAM_PLACEMENTS_H_
