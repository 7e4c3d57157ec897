#include "lab/experiment/string_rivals.h"

#include <cstddef>
#include <iostream>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/status_macros.h"
#include "lab/oracle/oracle.h"
#include "lab/shuffled/account.h"
#include "lab/strings/bloom_lasso.h"
#include "lab/strings/ldp_miner.h"
#include "lab/strings/sketches.h"
#include "lab/strings/succinct.h"

namespace tombola::lab {
namespace {

using simulation::Generator;
using Found = std::vector<FoundText>;

constexpr int64_t kMostAsked = 1000;

// What a report is to a shuffler: nothing but its epsilon, a bucket of so many by randomised
// response, or a bit.
LocalLaw AnyLaw(double epsilon) { return {.epsilon = epsilon}; }

LocalLaw BucketLaw(double epsilon, int64_t buckets) {
  const double range = static_cast<double>(buckets);
  return {.epsilon = epsilon, .gamma = range * Grr(range, epsilon).other, .range = range};
}

LocalLaw BitLaw(double epsilon) {
  return {.epsilon = epsilon, .gamma = 2 * (1 - OneBit(epsilon).holder), .range = 2};
}

struct Rival {
  absl::string_view title;
  bool listed;  // is told all strings that are held
  bool asked;   // returns as many as it is asked for, and does otherwise if they are fewer
  LocalLaw (*law)(double epsilon);
  Found (*find)(const AskedOfRivals& asked, double epsilon, int64_t top, Generator& random);
};

constexpr Rival kRivals[] = {
    {"PEM", false, true, [](double epsilon) { return BucketLaw(epsilon, OlhRange(epsilon)); },
     [](const AskedOfRivals& of, double epsilon, int64_t top, Generator& random) {
       return FindByPem(of.population, of.code, of.pem, epsilon, top, random);
     }},
    {"TreeHist", false, false, &BitLaw,
     [](const AskedOfRivals& of, double epsilon, int64_t /*top*/, Generator& random) {
       return FindByTreeHist(of.population, of.code, epsilon, random);
     }},
    {"SHist", false, false, &AnyLaw,
     [](const AskedOfRivals& of, double epsilon, int64_t /*top*/, Generator& random) {
       return FindBySuccinct(of.population, of.code, epsilon, random);
     }},
    {"RAPPOR, extended", false, false, &AnyLaw,
     [](const AskedOfRivals& of, double epsilon, int64_t /*top*/, Generator& random) {
       return FindByNgrams(of.population,
                           {.characters = of.characters,
                            .length = of.code.symbols,
                            .part = RapporPart(epsilon / 3)},
                           random);
     }},
    {"count-mean sketch", true, false, &AnyLaw,
     [](const AskedOfRivals& of, double epsilon, int64_t /*top*/, Generator& random) {
       return LargestOf(CountMeanSketch(of.population, epsilon, random), of.population, kMostAsked);
     }},
    {"O-RR", true, false, [](double epsilon) { return BucketLaw(epsilon, OrrBuckets(epsilon)); },
     [](const AskedOfRivals& of, double epsilon, int64_t /*top*/, Generator& random) {
       return LargestOf(OrrSketch(of.population, epsilon, random), of.population, kMostAsked);
     }},
    {"LDPMiner", true, true, &AnyLaw,
     [](const AskedOfRivals& of, double epsilon, int64_t top, Generator& random) {
       return FindByLdpMiner(of.population, epsilon, top, random);
     }},
    {"RAPPOR", true, false, &AnyLaw,
     [](const AskedOfRivals& of, double epsilon, int64_t /*top*/, Generator& random) {
       return FindByRappor(of.population, RapporPart(epsilon), random);
     }},
};

MeanScore Runs(const AskedOfRivals& asked, const StringTrials& trials, const std::string& name,
               const std::function<Found(Generator&)>& find) {
  std::vector<StringScore> scores;
  for (int64_t run = 0; run < trials.runs; ++run) {
    Generator random(StringSeed(trials.seed, name, run));
    scores.push_back(ScoreOf(asked.population, find(random)));
  }
  return MeanOf(scores);
}

// Those that return as many as they are asked for are asked for each top; what they find of 100
// says how many are held by nobody.
StringLine LineOf(const Rival& rival, const AskedOfRivals& asked, const StringTrials& trials,
                  double epsilon) {
  StringLine line{.title = std::string(rival.title), .epsilon = epsilon};
  const auto run = [&](int64_t top) {
    return Runs(asked, trials, absl::StrCat(rival.title, top, "/", epsilon),
                [&](Generator& random) { return rival.find(asked, epsilon, top, random); });
  };
  std::cerr << rival.title << ", local epsilon " << epsilon << "\n";
  if (!rival.asked) {
    line.score = run(kMostAsked);
    return line;
  }
  for (size_t i = 0; i < kStringTops.size(); ++i) {
    const MeanScore score = run(kStringTops[i]);
    line.score.f1[i] = score.f1[i];
    line.score.error[i] = score.error[i];
    if (kStringTops[i] != 100) continue;
    line.score.found = score.found;
    line.score.held_by_nobody = score.held_by_nobody;
  }
  return line;
}

void AddLine(const Rival& rival, StringLine line, StringRivals* rivals) {
  (rival.listed ? rivals->listed : rivals->blind).push_back(std::move(line));
}

}  // namespace

uint64_t StringSeed(uint64_t seed, absl::string_view what, int64_t run) {
  return simulation::SeedSequence(seed).Add(what).Add(static_cast<uint64_t>(run)).seed();
}

StringRivals FindLocally(const AskedOfRivals& asked, const StringTrials& trials) {
  StringRivals rivals;
  for (const Rival& rival : kRivals) {
    for (const double epsilon : kLocalStrings) {
      AddLine(rival, LineOf(rival, asked, trials, epsilon), &rivals);
    }
  }
  return rivals;
}

absl::StatusOr<StringRivals> FindShuffled(const AskedOfRivals& asked, const StringTrials& trials,
                                          double delta) {
  StringRivals rivals;
  TOMBOLA_ASSIGN_OR_RETURN(const Target target,
                           Target::Create(asked.population.devices, kShuffledStrings, delta));
  for (const Rival& rival : kRivals) {
    TOMBOLA_ASSIGN_OR_RETURN(const double epsilon, LargestNominal(rival.law, target));
    AddLine(rival, LineOf(rival, asked, trials, epsilon), &rivals);
  }
  return rivals;
}

StringLine FindByDeployedRappor(const AskedOfRivals& asked, const StringTrials& trials) {
  const RapporSetting setting;
  return {.title = "RAPPOR, as deployed",
          .epsilon = accounting::LocalEpsilonOf(setting.rappor, 1),
          .score = Runs(asked, trials, "RAPPOR, as deployed", [&](Generator& random) {
            return FindByRappor(asked.population, setting, random);
          })};
}

}  // namespace tombola::lab
