#include "lab/experiment/string_study.h"

#include <bit>
#include <functional>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/simulation/generator.h"
#include "common/base/status_macros.h"
#include "common/strings/alphabet.h"
#include "lab/strings/bloom_lasso.h"
#include "lab/strings/ldp_miner.h"
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
constexpr double kLocalEpsilons[] = {1, 2, 4};

using FindTexts = std::function<std::vector<FoundText>(simulation::Generator&)>;

uint64_t SeedOf(uint64_t seed, absl::string_view what, int64_t run) {
  return simulation::SeedSequence(seed).Add(what).Add(static_cast<uint64_t>(run)).seed();
}

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
  StringRuns(int64_t runs, uint64_t seed, int threads)
      : runs_(runs), seed_(seed), threads_(threads) {}

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
    for (int64_t run = 0; run < runs_; ++run) {
      simulation::Generator random(
          SeedOf(seed_, absl::StrCat(asked.title, asked.epsilon, plan.shape.step), run));
      TOMBOLA_ASSIGN_OR_RETURN(const OwnOutcome outcome,
                               FindOwn(truth, *asked.alphabet, plan, threads_, random));
      scores.push_back(ScoreOf(truth, outcome.found));
      line.tests += static_cast<double>(outcome.tests) / static_cast<double>(runs_);
    }
    line.score = MeanOf(scores);
    std::cerr << asked.title << ", epsilon " << asked.epsilon << "\n";
    return line;
  }

  StringLine Local(const StringPopulation& population, std::string title, double epsilon,
                   const FindTexts& find) const {
    StringLine line{.title = std::move(title), .epsilon = epsilon};
    std::vector<StringScore> scores;
    for (int64_t run = 0; run < runs_; ++run) {
      simulation::Generator random(SeedOf(seed_, absl::StrCat(line.title, epsilon), run));
      scores.push_back(ScoreOf(population, find(random)));
    }
    line.score = MeanOf(scores);
    return line;
  }

  // Methods that return as many as they are asked for are asked for each top, and what they find
  // of 100 says how many are held by nobody.
  StringLine OfTops(
      const StringPopulation& population, const std::string& title, double epsilon,
      const std::function<std::vector<FoundText>(int64_t, simulation::Generator&)>& find) const {
    StringLine line{.title = title, .epsilon = epsilon};
    for (size_t i = 0; i < kStringTops.size(); ++i) {
      const int64_t top = kStringTops[i];
      const MeanScore score =
          Local(population, absl::StrCat(title, top), epsilon, [&](simulation::Generator& random) {
            return find(top, random);
          }).score;
      line.score.f1[i] = score.f1[i];
      line.score.error[i] = score.error[i];
      if (top != 100) continue;
      line.score.found = score.found;
      line.score.held_by_nobody = score.held_by_nobody;
    }
    return line;
  }

 private:
  int64_t runs_;
  uint64_t seed_;
  int threads_;
};

absl::StatusOr<StringWorld> StudyAol(const StringPopulation& aol, const StringRuns& runs) {
  StringWorld world{.title = "AOL queries",
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
  for (const double epsilon : kLocalEpsilons) {
    world.blind.push_back(
        runs.OfTops(aol, "PEM", epsilon, [&](int64_t top, simulation::Generator& random) {
          return FindByPem(aol, epsilon, top, random);
        }));
    world.blind.push_back(runs.Local(aol, "TreeHist", epsilon, [&](simulation::Generator& random) {
      return FindByTreeHist(aol, epsilon, random);
    }));
    world.listed.push_back(
        runs.OfTops(aol, "LDPMiner", epsilon, [&](int64_t top, simulation::Generator& random) {
          return FindByLdpMiner(aol, epsilon, top, random);
        }));
  }
  const RapporSetting setting;
  world.listed.push_back(runs.Local(
      aol, "RAPPOR", accounting::LocalEpsilonOf(setting.rappor, 1),
      [&](simulation::Generator& random) { return FindByRappor(aol, setting, random); }));
  return world;
}

absl::StatusOr<StringWorld> StudyWords(const StringPopulation& words, const StringRuns& runs,
                                       uint64_t seed) {
  simulation::Generator random(SeedOf(seed, "words", 0));
  const StringPopulation drawn = Sampled(words, kWordUsers, random);
  StringWorld world{.title = "Words",
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

}  // namespace

absl::StatusOr<StringStudy> StudyStrings(const std::string& data, int64_t runs, uint64_t seed,
                                         int threads) {
  StringStudy study{.delta = kStringDelta, .runs = runs, .needs_of = kNeedsOf};
  TOMBOLA_ASSIGN_OR_RETURN(study.needs, StudyNeeds());
  TOMBOLA_ASSIGN_OR_RETURN(study.rappor, StudyRappor());
  if (data.empty()) return study;
  const StringRuns of(runs, seed, threads);
  TOMBOLA_ASSIGN_OR_RETURN(const StringPopulation aol, ReadAol(data));
  TOMBOLA_ASSIGN_OR_RETURN(StringWorld queries, StudyAol(aol, of));
  study.worlds.push_back(std::move(queries));
  TOMBOLA_ASSIGN_OR_RETURN(const StringPopulation words, ReadWords(data));
  TOMBOLA_ASSIGN_OR_RETURN(StringWorld spoken, StudyWords(words, of, seed));
  study.worlds.push_back(std::move(spoken));
  return study;
}

}  // namespace tombola::lab
