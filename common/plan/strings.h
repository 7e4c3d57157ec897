// How strings that nobody listed are asked for: with which levels, buckets and noise, and how many
// devices must hold one before it is found.
#ifndef TOMBOLA_COMMON_PLAN_STRINGS_H_
#define TOMBOLA_COMMON_PLAN_STRINGS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/mechanism/dummies.h"
#include "common/plan/plan.h"
#include "common/strings/randomizer.h"
#include "common/strings/shape.h"

namespace tombola::mechanism {

struct StringPlanRequest {
  // Of it honest, submissions, epsilon, delta, max_local_epsilon, max_messages and range are looked
  // at.
  PlanRequest plan;
  int64_t symbols = 0;  // of the alphabet, with "end" and "other"
  int64_t length = 0;   // of a string at most
  // Symbols of a level; else so many that there are as few levels as `most_tests` allows.
  std::optional<int64_t> step;
  // Only a dictionary will be asked, of up to `dictionary` strings.
  bool whole = false;
  double dictionary = 67108864;
  // Tests of a decoding (collector/decode), and the prefixes of a level that it is to be enough
  // for: 1e12 are some minutes of a core.
  double most_tests = 1e12;
  double survivors = 1000;
  // Of finding anything that nobody holds, and of finding a string of `holders`.
  double alpha = 0.05;
  double power = 0.9;
};

// One way to send strings.
struct StringPlan {
  strings::StringMessages messages = strings::StringMessages::kOne;
  bool feasible = false;
  std::string reason;  // why it is not feasible

  strings::ShapeOptions shape;  // its length is the request's or, to fill levels, a little more
  int64_t levels = 0;
  // Devices that must hold a string, and what its statistic must then reach at every level.
  double holders = std::numeric_limits<double>::infinity();
  int64_t statistic = 0;
  double candidates = 0;  // of a level
  // By so many devices one lying report may move an estimate of one level.
  double of_liar = 0;

  // Of one message: the probability of a uniform cell, as a threshold and as a number.
  uint64_t blanket_threshold = 0;
  double gamma = 0;
  double local_epsilon = std::numeric_limits<double>::infinity();
  // Else: the uniform cells that a device adds.
  std::optional<DummyOptions> dummies;

  double expected_messages = 1;
  double delta = 0;  // evaluated; at most the request's
};

// What each way may cost where the request says nothing: messages of a submission.
inline constexpr double kUsualStringMessages = 4;       // of one true cell
inline constexpr double kUsualMessagesOfEachLevel = 3;  // where every level is sent

// The best of each of the three ways: one message, by the blanket accountant for all honest
// reports; with dummies, by pure_dump's accountant; and all levels with dummies, by the product
// accountant. The number of buckets is a power of two with the fewest holders within the bounds on
// messages. What cannot be is a plan with its reason: only one message leaves a local epsilon.
// InvalidArgument names the field and its bound, also where no step allows decoding within
// most_tests.
absl::StatusOr<std::vector<StringPlan>> PlanStrings(const StringPlanRequest& request);

// Of the feasible ones the one with the fewest holders; null if there is none.
const StringPlan* RecommendedStrings(const std::vector<StringPlan>& plans, Left left);

// The shape's symbols, length and step for a request, valid but for the range.
absl::StatusOr<strings::ShapeOptions> LevelsFor(const StringPlanRequest& request);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_STRINGS_H_
