// Running totals over N periods: how noisy they are, by the published methods and Tombola's.
#ifndef TOMBOLA_LAB_EXPERIMENT_STREAM_STUDY_H_
#define TOMBOLA_LAB_EXPERIMENT_STREAM_STUDY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lab/streams/noise.h"
#include "lab/streams/shuffled_nodes.h"

namespace tombola::lab {

// A method over the study's numbers of periods; NaN where it cannot be had.
struct StreamLine {
  std::string name;   // in files
  std::string title;  // on pages
  int style = 0;
  bool dashed = false;
  std::vector<TotalSpread> spreads;
  std::vector<double> messages;       // of a device and period on average; empty if not stated
  std::vector<double> raises, worst;  // as ShuffledNodes; empty likewise
};

// Methods that are compared with each other.
struct StreamWorld {
  std::string key;    // in files
  std::string title;  // on pages
  std::vector<StreamLine> lines;

  const StreamLine& Find(absl::string_view name) const;  // must be there
};

// The sum of the totals' variances over three periods at epsilon 1, by the paper's example.
struct StreamExample {
  double fenwick = 0, doubled = 0, fda = 0, solved = 0, best = 0;
};

// Up to kMostScanned periods: from where on FDA's mean is less than that of plain counts for good,
// and the least number for which the best structure is not plain.
struct StreamTurns {
  int64_t fda = 0, best = 0;
};
inline constexpr int64_t kMostScanned = 1024;

// Where nobody knows N: 2^k - 1 periods, after which doubling blocks are full.
struct UnboundedStudy {
  std::vector<int64_t> periods;
  std::vector<StreamWorld> worlds;  // unbounded_pure, unbounded_gaussian
};

struct StreamStudy {
  std::vector<int64_t> periods;
  StreamTarget target;
  StreamExample example;
  StreamTurns laplace, gaussian;
  std::vector<StreamWorld> worlds;  // pure, gaussian, correlated, pure_dump, aue
  UnboundedStudy unbounded;

  const StreamWorld& Find(absl::string_view key) const;  // must be there
};
inline constexpr int kBltNumbers = 4;
// Periods of a structure that are composed, at most.
inline constexpr int64_t kComposedPeriods = 48;

// 24 to 2^20, and one less: FDA's paper is about full trees.
std::vector<int64_t> StreamPeriods();
// As many blocks as this give that many periods less one.
inline constexpr int kUnboundedBlocks[] = {5, 8, 10, 12, 16, 20};
// The status of accountants that cannot do it.
absl::StatusOr<StreamStudy> StudyStreams(absl::Span<const int64_t> periods,
                                         const StreamTarget& target);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_EXPERIMENT_STREAM_STUDY_H_
