#include "lab/experiment/string_study.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/simulation/generator.h"
#include "common/accounting/blanket.h"
#include "common/accounting/search.h"
#include "common/base/status_macros.h"
#include "common/strings/alphabet.h"
#include "lab/experiment/string_rivals.h"
#include "lab/oracle/oracle.h"
#include "lab/strings/own.h"
#include "lab/strings/prefixes.h"

namespace tombola::lab {
namespace {

constexpr double kStringDelta = 1e-6;
constexpr int64_t kWordUsers = 1000000;
constexpr int64_t kNeedsOf = 1000000;
constexpr int64_t kQueryLength = 6;
constexpr int64_t kWordLength = 20;
constexpr absl::string_view kQueryCharacters = "abcdefghijklmnopqrstuvwxyz0123456789 .-'";
constexpr absl::string_view kWordCharacters = "abcdefghijklmnopqrstuvwxyz";

// One way of Tombola's to ask a population.
struct AskedStrings {
  std::string title;
  const strings::Alphabet* alphabet;
  int64_t length;
  int64_t step;
  double epsilon;
  size_t way;  // of PlanStrings
};

mechanism::StringPlanRequest RequestOf(const AskedStrings& asked, int64_t devices) {
  return {.plan = {.honest = devices,
                   .submissions = devices,
                   .epsilon = asked.epsilon,
                   .delta = kStringDelta},
          .symbols = asked.alphabet->symbols(),
          .length = asked.length,
          .step = asked.step};
}

class StringRuns {
 public:
  StringRuns(const StringTrials& trials, int threads) : trials_(trials), threads_(threads) {}

  const StringTrials& trials() const { return trials_; }

  absl::StatusOr<StringLine> Own(const StringPopulation& population,
                                 const AskedStrings& asked) const {
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<mechanism::StringPlan> plans,
                             PlanStrings(RequestOf(asked, population.devices)));
    const mechanism::StringPlan& plan = plans[asked.way];
    if (!plan.feasible) return absl::FailedPreconditionError(plan.reason);
    // What strings are once they are cut and foreign characters replaced.
    const StringPopulation truth = Mapped(population, [&](const std::string& text) {
      return asked.alphabet->Decode(asked.alphabet->Encode(text, plan.shape.length));
    });
    StringLine line{.title = asked.title,
                    .epsilon = asked.epsilon,
                    .messages = plan.expected_messages,
                    .holders = plan.holders,
                    .range_bits = std::countr_zero(static_cast<uint64_t>(plan.shape.range))};
    std::vector<StringScore> scores;
    for (int64_t run = 0; run < trials_.runs; ++run) {
      simulation::Generator random(
          StringSeed(trials_.seed, absl::StrCat(asked.title, asked.epsilon, plan.shape.step), run));
      TOMBOLA_ASSIGN_OR_RETURN(const OwnOutcome outcome,
                               FindOwn(truth, *asked.alphabet, plan, threads_, random));
      scores.push_back(ScoreOf(truth, outcome.found));
      line.tests += static_cast<double>(outcome.tests) / static_cast<double>(trials_.runs);
    }
    line.score = MeanOf(scores);
    std::cerr << asked.title << ", epsilon " << asked.epsilon << "\n";
    return line;
  }

 private:
  StringTrials trials_;
  int threads_;
};

absl::Status AddRivals(const AskedOfRivals& asked, const StringTrials& trials, StringWorld* world) {
  world->local = FindLocally(asked, trials);
  world->local.listed.push_back(FindByDeployedRappor(asked, trials));
  TOMBOLA_ASSIGN_OR_RETURN(world->shuffled, FindShuffled(asked, trials, kStringDelta));
  return absl::OkStatus();
}

absl::StatusOr<StringWorld> StudyAol(const StringPopulation& aol, const StringRuns& runs) {
  StringWorld world{.key = "aol",
                    .title = "AOL queries",
                    .devices = aol.devices,
                    .strings = static_cast<int64_t>(aol.strings.size())};
  const strings::Alphabet bytes = strings::Alphabet::OfBytes();
  TOMBOLA_ASSIGN_OR_RETURN(const strings::Alphabet characters,
                           strings::Alphabet::OfCharacters(kQueryCharacters));
  const auto ask = [&](const char* title, const strings::Alphabet& alphabet, int64_t step,
                       double epsilon, size_t way) -> absl::Status {
    TOMBOLA_ASSIGN_OR_RETURN(StringLine line,
                             runs.Own(aol, {title, &alphabet, kQueryLength, step, epsilon, way}));
    world.own.push_back(std::move(line));
    return absl::OkStatus();
  };
  for (const double epsilon : {1.0, 0.5}) {
    TOMBOLA_RETURN_IF_ERROR(ask("2 x 3 characters, one message", characters, 3, epsilon, 0));
    TOMBOLA_RETURN_IF_ERROR(ask("3 x 2 bytes, one message", bytes, 2, epsilon, 0));
    TOMBOLA_RETURN_IF_ERROR(ask("6 x 1 byte, one message", bytes, 1, epsilon, 0));
  }
  TOMBOLA_RETURN_IF_ERROR(ask("2 x 3 characters, dummies", characters, 3, 1, 1));
  TOMBOLA_RETURN_IF_ERROR(ask("3 x 2 bytes, dummies", bytes, 2, 1, 1));
  TOMBOLA_RETURN_IF_ERROR(ask("2 x 3 characters, every level", characters, 3, 1, 2));
  TOMBOLA_RETURN_IF_ERROR(ask("3 x 2 bytes, every level", bytes, 2, 1, 2));
  const PrefixCode whole_bytes;
  const std::string known(kQueryCharacters);
  TOMBOLA_RETURN_IF_ERROR(
      AddRivals({.population = aol, .code = whole_bytes, .pem = PemSteps(), .characters = known},
                runs.trials(), &world));
  return world;
}

absl::StatusOr<StringWorld> StudyWords(const StringPopulation& words, const StringRuns& runs) {
  simulation::Generator random(StringSeed(runs.trials().seed, "words", 0));
  const StringPopulation drawn = Sampled(words, kWordUsers, random);
  StringWorld world{.key = "words",
                    .title = "Words",
                    .devices = drawn.devices,
                    .strings = static_cast<int64_t>(drawn.strings.size())};
  TOMBOLA_ASSIGN_OR_RETURN(const strings::Alphabet letters,
                           strings::Alphabet::OfCharacters(kWordCharacters));
  for (const double epsilon : {1.0, 0.5}) {
    TOMBOLA_ASSIGN_OR_RETURN(
        StringLine line,
        runs.Own(drawn, {"7 x 3 letters, one message", &letters, kWordLength, 3, epsilon, 0}));
    world.own.push_back(std::move(line));
  }
  // Five bits a letter; first four letters are asked for, then two more each time.
  const PrefixCode code = {
      .symbol_bits = 5, .symbols = kWordLength, .characters = std::string(kWordCharacters)};
  const StringPopulation spelt =
      Mapped(drawn, [&](const std::string& text) { return TextOf(PackedOf(text, code), code); });
  const AskedOfRivals asked = {.population = spelt,
                               .code = code,
                               .pem = {.first = 20, .step = 10},
                               .characters = std::string(kWordCharacters)};
  TOMBOLA_RETURN_IF_ERROR(AddRivals(asked, runs.trials(), &world));
  return world;
}

absl::StatusOr<std::vector<StringNeed>> StudyNeeds() {
  struct Case {
    const char* title;
    int64_t symbols, length;
    bool whole;
  };
  std::vector<StringNeed> needs;
  for (const Case& c : {Case{"6 bytes", 256, 6, false},
                        {"6 characters of 42", 42, 6, false},
                        {"12 characters of 42", 42, 12, false},
                        {"20 letters of 28", 28, 20, false},
                        {"20 characters of 42", 42, 20, false},
                        {"20 bytes", 256, 20, false},
                        {"whole, a dictionary is asked", 42, 20, true}}) {
    TOMBOLA_ASSIGN_OR_RETURN(auto plans, mechanism::PlanStrings({.plan = {.honest = kNeedsOf,
                                                                          .submissions = kNeedsOf,
                                                                          .epsilon = 1,
                                                                          .delta = kStringDelta},
                                                                 .symbols = c.symbols,
                                                                 .length = c.length,
                                                                 .whole = c.whole}));
    needs.push_back({c.title, std::move(plans)});
  }
  return needs;
}

absl::StatusOr<std::vector<RapporRow>> StudyRappor() {
  std::vector<RapporRow> rows;
  for (const accounting::Rappor& rappor :
       {accounting::Rappor{.f = 0.5, .p = 0.5, .q = 0.75, .hashes = 2, .bits = 128},
        accounting::Rappor{.f = 0.5, .p = 0.5, .q = 0.75, .hashes = 1, .bits = 128},
        accounting::Rappor{.f = 0.25, .p = 0.35, .q = 0.65, .hashes = 2, .bits = 128},
        accounting::Rappor{.f = 0.75, .p = 0.5, .q = 0.75, .hashes = 2, .bits = 128},
        accounting::Rappor{.f = 0.5, .p = 0.25, .q = 0.75, .hashes = 2, .bits = 128},
        accounting::Rappor{.f = 0.5, .p = 0, .q = 1, .hashes = 2, .bits = 128}}) {
    RapporRow row{.rappor = rappor,
                  .one = accounting::LocalEpsilonOf(rappor, 1),
                  .memo = accounting::LocalEpsilonOfMemo(rappor)};
    for (const int64_t devices : kRapporDevices) {
      TOMBOLA_ASSIGN_OR_RETURN(const accounting::ShuffledRappor of,
                               accounting::ShuffledEpsilon(rappor, devices, kStringDelta));
      row.of.push_back(of);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// A bit of randomised response: (said - (1 - p)) / (2 p - 1), which is the survey's estimate.
absl::StatusOr<std::vector<WarnerRow>> StudyWarner() {
  std::vector<WarnerRow> rows;
  for (const double epsilon : {0.5, 1.0, std::log(3.0), 2.0, 4.0}) {
    const Oracle answer = Grr(2, epsilon);
    WarnerRow row{.epsilon = epsilon, .truth = answer.holder};
    for (const int64_t devices : kRapporDevices) {
      const double n = static_cast<double>(devices);
      // Of a share of devices drawn from a population: its own deviation is in it.
      row.deviations.push_back(
          std::sqrt(answer.Variance(kWarnerShare, n) + kWarnerShare * (1 - kWarnerShare) / n));
      const accounting::Blanket blanket = {
          .honest = devices, .range = 2, .gamma = 2 * answer.other};
      TOMBOLA_ASSIGN_OR_RETURN(const double found, accounting::EpsilonAt(blanket, kStringDelta));
      row.shuffled.push_back(std::min(found, epsilon));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

absl::StatusOr<StringStudy> StudyStrings(const std::string& data, int64_t runs, uint64_t seed,
                                         int threads) {
  StringStudy study{.delta = kStringDelta, .runs = runs, .needs_of = kNeedsOf};
  TOMBOLA_ASSIGN_OR_RETURN(study.needs, StudyNeeds());
  TOMBOLA_ASSIGN_OR_RETURN(study.rappor, StudyRappor());
  TOMBOLA_ASSIGN_OR_RETURN(study.warner, StudyWarner());
  if (data.empty()) return study;
  const StringRuns of({.runs = runs, .seed = seed}, threads);
  TOMBOLA_ASSIGN_OR_RETURN(const StringPopulation aol, ReadAol(data));
  TOMBOLA_ASSIGN_OR_RETURN(StringWorld queries, StudyAol(aol, of));
  study.worlds.push_back(std::move(queries));
  TOMBOLA_ASSIGN_OR_RETURN(const StringPopulation words, ReadWords(data));
  TOMBOLA_ASSIGN_OR_RETURN(StringWorld spoken, StudyWords(words, of));
  study.worlds.push_back(std::move(spoken));
  return study;
}

}  // namespace tombola::lab
