// What an observer of a device, or of a whole batch, makes of it.
#ifndef TOMBOLA_CLI_AUDIT_TRIAL_H_
#define TOMBOLA_CLI_AUDIT_TRIAL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/encode/encoder.h"
#include "collector/aggregate/aggregator.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"

namespace tombola::cli {

// One score for each of the two values that the victim may hold: the higher, the more the reports
// look like the first value's. Each score has the law that it has in a run of its own; the two of
// one trial may depend on each other. Never NaN.
struct Scores {
  double first = 0;
  double second = 0;
};

// Independent repetitions of an experiment on a victim that holds one of two values. Any score
// gives a true lower bound on epsilon (audit_bound.h); a better one gives a higher. Not
// thread-safe.
class Trial {
 public:
  virtual ~Trial() = default;

  // Internal if the encoder makes reports that a collector refuses.
  virtual absl::StatusOr<Scores> Run(RandomSource& random) = 0;
};

// The counts of two values through the collector's own aggregator.
class AuditCounts {
 public:
  struct Pair {
    int64_t first = 0;
    int64_t second = 0;
  };

  // Reports that support the value `known`, if there is one, are left out: everybody but the victim
  // holds it, and so most of them are known not to be the victim's.
  AuditCounts(std::shared_ptr<const mechanism::Mechanism> mechanism, std::optional<uint64_t> known);

  // The counts of the values 0 and 1 among these reports.
  absl::StatusOr<Pair> Of(absl::string_view reports);

 private:
  struct Support {
    int64_t first = 0;
    int64_t second = 0;
    int64_t known = 0;
  };

  size_t report_bytes_;
  std::optional<uint64_t> known_;
  std::unique_ptr<collector::Aggregator> aggregator_;
  Support before_;
};

// The view of a shuffler that colludes: all reports of one submission. The score says which of the
// values 0 and 1 more reports support, and is larger where the submission is one report only, which
// no dummy can have made.
class LocalTrial final : public Trial {
 public:
  LocalTrial(std::shared_ptr<const mechanism::Mechanism> mechanism,
             std::shared_ptr<const client::Encoder> encoder);

  absl::StatusOr<Scores> Run(RandomSource& random) override;

 private:
  absl::StatusOr<double> Score(uint64_t value, RandomSource& random);

  std::shared_ptr<const client::Encoder> encoder_;
  AuditCounts counts_;
  std::string reports_;
};

// What accumulates over time: `reports` reports of one device by one memo, or by a memo drawn anew
// each time, which is the fault. The score says on which of two values' bits more ones came. Of a
// table whose reports are bits; the values 0 and 1 should share none.
class MemoTrial final : public Trial {
 public:
  MemoTrial(std::shared_ptr<const mechanism::Mechanism> mechanism, int64_t reports,
            bool drawn_anew);

  absl::StatusOr<Scores> Run(RandomSource& random) override;

 private:
  double Score(uint64_t value, RandomSource& random);

  std::shared_ptr<const mechanism::Mechanism> mechanism_;
  int64_t reports_;
  bool drawn_anew_;
  std::vector<uint8_t> report_;
};

// The collector's view: the reports of `users` devices and the shuffler's fakes, of which it uses
// the two values' counts. All but the victim hold value 2, so that their own reports hide least
// (value 1 if there are only two). The score is the likelihood ratio of the counts as if the rest
// of a count were a Poisson variable, or for correlated noise the difference of the counts.
class BatchTrial final : public Trial {
 public:
  // users >= 1.
  BatchTrial(std::shared_ptr<const mechanism::Mechanism> mechanism,
             std::shared_ptr<const client::Encoder> encoder, int64_t users);

  absl::StatusOr<Scores> Run(RandomSource& random) override;

 private:
  // Draws everything but the victim's reports into reports_.
  void DrawCover(RandomSource& random);
  double Score(const AuditCounts::Pair& cover, const AuditCounts::Pair& victim) const;

  std::shared_ptr<const mechanism::Mechanism> mechanism_;
  std::shared_ptr<const client::Encoder> encoder_;
  int64_t users_;
  bool difference_;         // counts are differences
  double holder_;           // probability that the victim's report supports the value it holds
  double other_;            // the same for the other of the two values
  double background_;       // expected count of a value that nobody holds
  double from_others_ = 0;  // expected count of value 1 from devices known to hold it
  AuditCounts counts_;
  std::string reports_;
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_AUDIT_TRIAL_H_
