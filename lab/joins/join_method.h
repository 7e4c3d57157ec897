// What every way to answer questions about joined tuples has in common.
#ifndef TOMBOLA_LAB_JOINS_JOIN_METHOD_H_
#define TOMBOLA_LAB_JOINS_JOIN_METHOD_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "cli/simulation/generator.h"
#include "lab/joins/join_trial.h"
#include "lab/joins/star.h"

namespace tombola::lab {

struct JoinSetting {
  Places places = {};  // of the attributes
  int asked = 1;       // how many of them, the first ones; 1 to kJoinAttributes
  int64_t users = 0;   // devices
  int64_t tau = 1;     // tuples of a device that count; 1 to kMostTau
  int32_t branching = 5;
  double epsilon = 0;  // of a device's whole record, finite and > 0
};
inline constexpr int64_t kMostTau = 1000;
// InvalidArgument, naming the field and its bound.
absl::Status Validate(const JoinSetting& setting);

// Estimates of one question. `sum` is NaN where a method has none.
struct JoinAnswer {
  double count = 0;
  double sum = std::numeric_limits<double>::quiet_NaN();

  // In the bounds of the measure: the middle of them where no tuple is counted; NaN without a sum.
  double Average() const;
};

// The law of an answer, given the data.
struct AnswerLaw {
  double count = 0, sum = 0;  // expectations
  double count_variance = 0, sum_variance = 0, covariance = 0;
};

// A method with all its parameters. Immutable, thread-safe.
class JoinMethod {
 public:
  explicit JoinMethod(const JoinSetting& setting) : setting_(setting) {}
  virtual ~JoinMethod() = default;

  const JoinSetting& setting() const { return setting_; }

  // One run on the trial's devices, an answer for each query; `laws` are what LawOf says of them.
  // An answer has its exact law but for what a method says of itself; those of several queries are
  // drawn independently of each other where a method does not count everything anyhow.
  virtual std::vector<JoinAnswer> Run(JoinTrial& trial, absl::Span<const JoinQuery> queries,
                                      absl::Span<const AnswerLaw> laws,
                                      simulation::Generator& noise) const = 0;

  // Exact but for terms of relative size 1/users, unless a method says otherwise.
  virtual AnswerLaw LawOf(JoinFacts& facts, const JoinQuery& query) const = 0;

 private:
  JoinSetting setting_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_JOIN_METHOD_H_
