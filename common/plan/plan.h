// Which mechanism, with which parameters, gives the least error that a target allows.
#ifndef TOMBOLA_COMMON_PLAN_PLAN_H_
#define TOMBOLA_COMMON_PLAN_PLAN_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/accounting/work.h"
#include "common/mechanism/mechanism.h"
#include "common/table/filling.h"

namespace tombola::mechanism {

enum class Method {
  kTight,      // the numerical accountants
  kPublished,  // the papers' closed forms, for comparison
};

// The messages of a submission that a device's policy allows if nothing else is said
// (client/public/tombola/policy.h).
inline constexpr int64_t kUsualMostReports = 4096;

// Points of an accountant's tables and grids: about a second.
inline constexpr int64_t kUsualWork = int64_t{1} << 25;

// The numbers of rappor that are given; the planner chooses the others. The probabilities go
// together.
struct RapporNumbers {
  std::optional<int64_t> bits, hashes;
  std::optional<double> prr, irr_p, irr_q;

  bool any() const {
    return bits.has_value() || hashes.has_value() || prr.has_value() || irr_p.has_value() ||
           irr_q.has_value();
  }
};

// A level of a table's cells: how many cells it has, and the noise on each of them as a multiple of
// what the planner chooses for all levels together.
struct LevelNoise {
  int64_t cells = 0;
  double noise = 0;
};

struct PlanRequest {
  // The honest submissions that every batch is sure to have, at least 1: the guarantee is for them.
  int64_t honest = 0;
  // All submissions expected, at least `honest`: the error is minimised for them.
  int64_t submissions = 0;
  // 2 to kLargestDomain (common/table/domain_size.h): the cells of the table, pads included.
  int64_t domain_size = 0;
  // How many of them a device fills. PlanAll does not look at filling.sent, and tries every number
  // of cells that may be sent.
  Filling filling = {};
  // pure_dump: where the cells are levels, on each of which a device fills and says one, the noise
  // of each; else the same on all cells. At least 2 levels of domain_size cells together.
  std::vector<LevelNoise> levels = {};
  // Where a device fills several cells: of the values at which errors are compared, in [0, 1].
  double frequency = 0;
  // The target, for one submission in a batch: epsilon > 0, delta in (0, 1).
  double epsilon = 0;
  double delta = 0;
  // What must remain if the shuffler colludes, > 0. Mechanisms that leave nothing need infinity.
  double max_local_epsilon = std::numeric_limits<double>::infinity();
  // The expected messages of a submission, its own included, >= 1.
  double max_messages = std::numeric_limits<double>::infinity();
  // Where they hash: this number of buckets, a prime or a power of two, instead of the best.
  std::optional<uint64_t> range;
  // murs: so many fakes; else a tenth of the honest submissions.
  std::optional<int64_t> fakes;
  // mix_dump: so many dummies for each value; else half of what pure_dump needs by the tight
  // accountant, whatever the method.
  std::optional<double> dummies;
  RapporNumbers rappor = {};
  Method method = Method::kTight;
  // What the search for one mechanism's parameters may take: PlanOne and PlanAll count it for each
  // candidate, and one that would take more is not feasible.
  int64_t most_work = kUsualWork;
  // Counts what all of it takes too, if not null: once its bound is reached nothing more is
  // feasible. Outlives the plan.
  accounting::Work* all_work = nullptr;
  // Counted here by the planners; PlanOne and PlanAll set it.
  accounting::Work* work = nullptr;
  // Whether to plan what is surely worse than another mechanism too; PlanAll does not, unless it is
  // named.
  bool dominated = true;
};

struct Candidate {
  std::string name;
  // Null if not feasible, or central.
  std::shared_ptr<const Mechanism> mechanism;
  bool feasible = false;
  // Needs a trusted party that sees every value: for comparison, never recommended.
  bool central = false;
  // Why it is not feasible, or what is to be said about it; else empty.
  std::string reason;
  // Predicted, for `submissions`; infinity if not feasible. Averaged over a histogram's values;
  // where a device fills several cells, of one cell at the request's frequency.
  double mse = std::numeric_limits<double>::infinity();
  // How many cells are sent, where a device fills several.
  std::optional<int64_t> sent = {};
  // What the search took, where a device fills several cells.
  int64_t work = 0;
  int64_t looks = 0;  // of an accountant
  // Of numbers (number.h): the branching of their tree; where they are dithered, how many levels.
  std::optional<int64_t> branching = {};
  std::optional<int64_t> levels = {};
};

// Which numbers of a request a mechanism's planner lets one choose; it does not look at the others.
struct ChosenNumbers {
  bool range = false;
  bool fakes = false;
  bool dummies = false;
  bool rappor = false;
};
// None for a name that there is not.
ChosenNumbers ChosenBy(absl::string_view name);

// Whether a mechanism is planned only where it is named: it is there for those who know it, and
// others say as much for less.
bool OnlyByName(absl::string_view name);

// The best parameters of one mechanism: its Delta(honest, epsilon) was evaluated and is at most
// delta, whatever the method. InvalidArgument names the request's field and its bound;
// FailedPrecondition says why it cannot be. Pure, as are the following.
absl::StatusOr<std::shared_ptr<const Mechanism>> PlanOne(absl::string_view name,
                                                         const PlanRequest& request);

// The same as a candidate, without an error: one that is not feasible says why not. InvalidArgument
// as PlanOne.
absl::StatusOr<Candidate> PlanCandidate(absl::string_view name, const PlanRequest& request);

// All of MechanismNames() (every.h) but those OnlyByName, and the central Laplace mechanism, or
// what there is of the one that is named. InvalidArgument as PlanOne; what is not feasible is a
// candidate with its reason.
absl::StatusOr<std::vector<Candidate>> PlanAll(const PlanRequest& request,
                                               absl::string_view only = "");

// Why most devices would refuse a task with this mechanism: a submission may have more messages
// than kUsualMostReports. Empty where they would not.
std::string RefusedByUsualDevices(const Mechanism& mechanism);

// What a recommendation must leave if shuffler and collector collude.
enum class Left {
  kSomething,  // a finite local epsilon
  kAnything,
};
// Of a request that says nothing of it: histograms leave something by default; shared noise is so
// much better for devices that fill several cells that there anything will do.
inline Left LeftByDefault(const Filling& filling) {
  return filling.held == 1 ? Left::kSomething : Left::kAnything;
}

// Errors this close are alike: the number of messages decides.
inline constexpr double kAlike = 1.005;

// The feasible candidate with the least error that is not central; null if there is none. Of those
// within `alike` times that error the one with the fewest messages is taken.
const Candidate* Recommended(const std::vector<Candidate>& candidates, Left left,
                             double alike = kAlike);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_PLAN_H_
