#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "cli/audit/experiment.h"
#include "cli/audit/mechanism.h"
#include "cli/audit/planted.h"
#include "cli/audit/question.h"
#include "cli/audit/trial.h"
#include "client/encode/encoder.h"
#include "common/table/value_report.h"
#include "tests/support/seeded_random.h"

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;
using MechanismPtr = std::shared_ptr<const mechanism::Mechanism>;

// Every audit below has confidence 1 - 1e-9, so that a true claim is refuted with probability 1e-9
// at most; that a false one is refuted has margins of at least six standard deviations of the
// bound, which are stated where they are not plain.
constexpr double kConfidence = 1 - 1e-9;

constexpr const char* kAll[] = {"local_hash", "grr",  "aue",       "pure_dump",
                                "mix_dump",   "murs", "correlated"};

AuditQuestion Ask(const std::string& mechanism) {
  AuditQuestion question;
  question.parameters.mechanism = mechanism;
  question.confidence = kConfidence;
  return question;
}

AuditAnswer Must(const AuditQuestion& question, uint64_t seed) {
  SeededRandom random(seed);
  const absl::StatusOr<AuditAnswer> answer = AnswerAudit(question, random);
  EXPECT_TRUE(answer.ok()) << answer.status();
  return answer.value_or(AuditAnswer());
}

std::string Refusal(const AuditQuestion& question) {
  SeededRandom random(1);
  const absl::StatusOr<AuditAnswer> answer = AnswerAudit(question, random);
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument) << answer.status();
  return std::string(answer.status().message());
}

// What `encoder` sends, and the reports that `Change` makes of them.
class ChangedEncoder : public client::Encoder {
 public:
  explicit ChangedEncoder(const MechanismPtr& mechanism)
      : mechanism_(mechanism), encoder_(client::MakeEncoder(mechanism)) {}

  int64_t Encode(absl::Span<const uint64_t> cells, RandomSource& random,
                 std::string* out) const override {
    const uint64_t value = cells.front();
    std::string reports;
    encoder_->Encode(value, random, &reports);
    Change(value, random, &reports);
    out->append(reports);
    return static_cast<int64_t>(reports.size() / mechanism_->report_bytes());
  }

 protected:
  virtual void Change(uint64_t value, RandomSource& random, std::string* reports) const = 0;

  MechanismPtr mechanism_;
  std::unique_ptr<client::Encoder> encoder_;
};

std::string NameValue(uint64_t value) {
  std::string report(mechanism::ValueReport::kBytes, '\0');
  mechanism::Write(mechanism::ValueReport{static_cast<uint32_t>(value)},
                   absl::MakeSpan(reinterpret_cast<uint8_t*>(report.data()), report.size()));
  return report;
}

// Says the value itself, alone, one time in `every`.
class Candid final : public ChangedEncoder {
 public:
  Candid(const MechanismPtr& mechanism, uint64_t every)
      : ChangedEncoder(mechanism), every_(every) {}

 private:
  void Change(uint64_t value, RandomSource& random, std::string* reports) const override {
    if (UniformBelow(every_, random) == 0) *reports = NameValue(value);
  }

  uint64_t every_;
};

// Value 1 is never sent by who does not hold it.
class NeverOne final : public ChangedEncoder {
 public:
  using ChangedEncoder::ChangedEncoder;

 private:
  void Change(uint64_t value, RandomSource&, std::string* reports) const override {
    if (value != 1 && *reports == NameValue(1)) *reports = NameValue(value);
  }
};

class Garbled final : public ChangedEncoder {
 public:
  using ChangedEncoder::ChangedEncoder;

 private:
  void Change(uint64_t, RandomSource&, std::string* reports) const override { reports->pop_back(); }
};

TEST(AuditTest, NoMechanismIsRefutedLocallyAndTheBoundIsTight) {
  for (const char* name : {"local_hash", "grr", "mix_dump", "murs"}) {
    AuditQuestion question = Ask(name);
    question.samples = 1000000;
    const AuditAnswer answer = Must(question, 1);
    EXPECT_EQ(answer.scope, "local");
    EXPECT_NEAR(answer.claimed, 3, 1e-9);
    EXPECT_FALSE(answer.refuted()) << name << " " << answer.finding.lower_bound;
    // The likely event's reports are rarest for mix_dump, which hides four fifths of them among
    // dummies: some 2,800 unlikely hits, of relative deviation 2 %. Six of those are the bound's
    // own distance from the truth, another six the margin.
    EXPECT_GT(answer.finding.lower_bound, 2.75) << name;
  }
}

TEST(AuditTest, NoMechanismIsRefutedInABatchAndSomethingIsSeen) {
  for (const char* name : kAll) {
    AuditQuestion question = Ask(name);
    question.scope = "batch";
    question.samples = 15000;
    question.parameters.users = 60;
    question.parameters.local_epsilon = 4;
    question.parameters.dummies = std::string(name) == "mix_dump" ? 3 : 10;
    question.parameters.fakes = 10;
    const AuditAnswer answer = Must(question, 2);
    EXPECT_FALSE(answer.refuted()) << name << " " << answer.finding.lower_bound;
    EXPECT_GT(answer.finding.lower_bound, 0.02) << name;
  }
}

// What the published step's local epsilon is, where local_epsilon is stated.
double Step3LocalEpsilon(double range, double local_epsilon) {
  return std::log1p(std::exp(local_epsilon) * range / (range - 1));
}

// 1 + e^(e_l) g/(g-1) against e^(e_l). At 2,000,000 samples and confidence 1 - 1e-9 the bound is
// about 0.04 below 3.110, with a deviation of 0.006.
TEST(AuditTest, ThePublishedStep3IsRefutedByDefault) {
  for (const uint64_t range : {uint64_t{16}, uint64_t{17}, uint64_t{4}}) {
    AuditQuestion question = Ask("local_hash");
    question.plant = "step3";
    question.parameters.range = range;
    const AuditAnswer answer = Must(question, range);
    const double truth = Step3LocalEpsilon(static_cast<double>(range), 3);
    EXPECT_TRUE(answer.refuted()) << answer.finding.lower_bound;
    EXPECT_GT(answer.finding.lower_bound, truth - 0.08);
    EXPECT_LE(answer.finding.lower_bound, truth);
  }
  EXPECT_NEAR(Step3LocalEpsilon(16, 3), 3.11016, 1e-5);
  EXPECT_NEAR(Step3LocalEpsilon(2, 1), 1.86199, 1e-5);
}

// One answer in three is the value itself: the ratio becomes (1/3 + 2/3 p) / (2/3 q), which is
// e^3.63. 200,000 samples have 3,800 unlikely hits: a deviation of 0.016, and 0.1 for the bound.
// Twenty reports by one memo say 2.197 at most. By memos of their own they say up to 10.7: of
// 20,000 trials hardly one is on the wrong side, which bounds epsilon by ln(20000 / 21.4) = 6.8.
// The kept memo's event has some hundred unlikely hits; six of their deviations are below 0.7.
TEST(AuditTest, AMemoThatIsDrawnAnewIsRefutedAndOneThatIsKeptIsNot) {
  AuditQuestion question = Ask("rappor");
  question.parameters.hashes = 1;
  question.parameters.bits = 16;
  question.scope = "memo";
  question.samples = 40000;
  const AuditAnswer kept = Must(question, 11);
  EXPECT_FALSE(kept.refuted());
  EXPECT_NEAR(kept.claimed, 2.196, 0.005);
  EXPECT_GT(kept.finding.lower_bound, 1.2);
  question.plant = "fresh_memo";
  EXPECT_TRUE(Must(question, 12).refuted());
  question.scope = "local";
  EXPECT_THAT(Refusal(question), HasSubstr("--plant fresh_memo is for --scope memo"));
  question = Ask("grr");
  question.scope = "memo";
  EXPECT_THAT(Refusal(question), HasSubstr("--scope memo is for rappor, not for grr"));
}

TEST(AuditTest, AnEncoderThatIsNowAndThenCandidIsRefuted) {
  AuditParameters parameters;
  parameters.mechanism = "grr";
  const MechanismPtr grr = *MakeAudited(parameters);
  LocalTrial trial(grr, std::make_shared<const Candid>(grr, 3));
  SeededRandom random(4);
  const AuditFinding finding =
      *Audit(trial, {.samples = 400000, .confidence = kConfidence}, random);
  const double p = grr->count_model().support.holder;
  const double q = grr->count_model().support.other;
  const double truth = std::log((1 + 2 * p) / (2 * q));
  EXPECT_GT(finding.lower_bound, grr->local_epsilon() + 0.2);
  EXPECT_LE(finding.lower_bound, truth);
  EXPECT_GT(finding.lower_bound, truth - 0.15);
}

// Only one direction tells: naming 1 gives value 1 away.
TEST(AuditTest, AFaultThatConcernsOneValueIsFound) {
  AuditParameters parameters;
  parameters.mechanism = "grr";
  const MechanismPtr grr = *MakeAudited(parameters);
  LocalTrial trial(grr, std::make_shared<const NeverOne>(grr));
  SeededRandom random(5);
  const AuditFinding finding = *Audit(trial, {.samples = 20000, .confidence = kConfidence}, random);
  EXPECT_GT(finding.lower_bound, grr->local_epsilon() + 2);
  EXPECT_FALSE(finding.first_likelier);
  EXPECT_EQ(finding.unlikely.hits, 0);
}

// Devices that leave out their dummies: the counts are bare, 1 against 0.
TEST(AuditTest, DevicesWithoutDummiesAreRefutedInABatch) {
  for (const char* name : {"aue", "pure_dump"}) {
    AuditParameters parameters;
    parameters.mechanism = name;
    parameters.users = 60;
    const MechanismPtr mechanism = *MakeAudited(parameters);
    const double claimed = *mechanism->EpsilonAt(60, 1e-3);
    BatchTrial trial(mechanism, std::make_shared<const Candid>(mechanism, 1), 60);
    SeededRandom random(6);
    const AuditFinding finding =
        *Audit(trial, {.samples = 2000, .confidence = kConfidence, .delta = 1e-3}, random);
    EXPECT_GT(finding.lower_bound, claimed + 2) << name;
  }
}

// A tenth of the dummies that are claimed.
TEST(AuditTest, ABatchWithTooFewDummiesIsRefuted) {
  AuditParameters claimed_parameters;
  claimed_parameters.mechanism = "pure_dump";
  claimed_parameters.users = 60;
  claimed_parameters.dummies = 40;
  AuditParameters real_parameters = claimed_parameters;
  real_parameters.dummies = 4;
  const MechanismPtr claimed = *MakeAudited(claimed_parameters);
  BatchTrial trial(claimed, client::MakeEncoder(*MakeAudited(real_parameters)), 60);
  SeededRandom random(7);
  const AuditFinding finding =
      *Audit(trial, {.samples = 20000, .confidence = kConfidence, .delta = 1e-3}, random);
  EXPECT_GT(finding.lower_bound, *claimed->EpsilonAt(60, 1e-3) + 0.3);
}

TEST(AuditTest, ReportsThatACollectorRefusesAreAnError) {
  AuditParameters parameters;
  parameters.mechanism = "grr";
  const MechanismPtr grr = *MakeAudited(parameters);
  LocalTrial trial(grr, std::make_shared<const Garbled>(grr));
  SeededRandom random(8);
  EXPECT_EQ(Audit(trial, {.samples = 100}, random).status().code(), absl::StatusCode::kInternal);
}

TEST(AuditTest, ASeedMakesItReproducible) {
  AuditQuestion question = Ask("murs");
  question.samples = 10000;
  const AuditAnswer once = Must(question, 9);
  EXPECT_EQ(Must(question, 9).finding.lower_bound, once.finding.lower_bound);
  EXPECT_NE(Must(question, 10).finding.lower_bound, once.finding.lower_bound);
}

TEST(AuditTest, TwoValuesAndBothHashFamiliesWork) {
  for (const auto& [domain, range] : {std::pair{2, 2}, {3, 2}, {1000, 37}, {1000, 64}}) {
    for (const char* scope : {"local", "batch"}) {
      AuditQuestion question = Ask("local_hash");
      question.scope = scope;
      question.parameters.domain = domain;
      question.parameters.range = static_cast<uint64_t>(range);
      question.parameters.users = 20;
      question.samples = 2000;
      EXPECT_FALSE(Must(question, 11).refuted()) << domain << " " << range << " " << scope;
    }
  }
}

TEST(AuditTest, NamesTheFlagThatIsWrong) {
  EXPECT_THAT(Refusal(Ask("laplace")), HasSubstr("--mechanism"));
  AuditQuestion question = Ask("grr");
  question.parameters.local_epsilon = 0;
  EXPECT_THAT(Refusal(question), HasSubstr("--local-epsilon"));
  question = Ask("aue");
  question.parameters.dummies = -1;
  EXPECT_THAT(Refusal(question), HasSubstr("--dummies"));
  question = Ask("aue");
  question.scope = "local";
  EXPECT_THAT(Refusal(question), HasSubstr("--scope batch"));
  question = Ask("grr");
  question.plant = "step3";
  EXPECT_THAT(Refusal(question), HasSubstr("--plant"));
  question = Ask("correlated");
  question.parameters.flood = 1;
  EXPECT_THAT(Refusal(question), HasSubstr("--flood"));
  question = Ask("local_hash");
  question.parameters.range = 15;
  EXPECT_THAT(Refusal(question), HasSubstr("range"));
  question = Ask("grr");
  question.samples = 10;
  EXPECT_THAT(Refusal(question), HasSubstr("samples"));
  question = Ask("grr");
  question.confidence = 1;
  EXPECT_THAT(Refusal(question), HasSubstr("confidence"));
  question = Ask("grr");
  question.parameters.users = 0;
  EXPECT_THAT(Refusal(question), HasSubstr("--users"));
}

}  // namespace
}  // namespace tombola::cli
