#include "lab/page/string_claims.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "lab/page/claims.h"
#include "lab/page/markdown.h"

namespace tombola::lab {
namespace {

// Half of the strings that matter: what finds fewer is of little use.
constexpr double kUsable = 0.5;

// Both ways and all worlds.
std::vector<const StringLine*> LinesNamed(const StringStudy& study, absl::string_view title) {
  std::vector<const StringLine*> lines;
  for (const StringWorld& world : study.worlds) {
    for (const auto* const some :
         {&world.local.blind, &world.local.listed, &world.shuffled.blind, &world.shuffled.listed}) {
      for (const StringLine& line : *some) {
        if (line.title == title) lines.push_back(&line);
      }
    }
  }
  return lines;
}

// Of how many of the lines' tops the f1 is as large as that.
JudgedStrings JudgeUsable(std::string claim, const StringStudy& study, absl::string_view title) {
  int64_t good = 0, all = 0;
  std::vector<double> scores;
  for (const StringLine* const line : LinesNamed(study, title)) {
    for (const double f1 : line->score.f1) {
      ++all;
      good += f1 >= kUsable;
      scores.push_back(f1);
    }
  }
  std::string found = "–";
  if (!scores.empty()) {
    const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
    found = absl::StrFormat("f1 of %.2f to %.2f; ½ counts as usable", *low, *high);
  }
  return {std::move(claim), Verdict(good, all), std::move(found)};
}

// Where two phases have the larger f1 than one with the whole epsilon, at the same local epsilon,
// unless neither finds anything.
JudgedStrings JudgePhases(const StringStudy& study) {
  int64_t good = 0, all = 0;
  const std::vector<const StringLine*> single = LinesNamed(study, "count-mean sketch");
  const std::vector<const StringLine*> phased = LinesNamed(study, "LDPMiner");
  double above = 0;
  for (size_t at = 0; at < std::min(single.size(), phased.size()); ++at) {
    for (size_t i = 0; i < kStringTops.size(); ++i) {
      const double one = single[at]->score.f1[i], two = phased[at]->score.f1[i];
      if (one == 0 && two == 0) continue;
      ++all;
      good += two > one;
      above += two - one;
    }
  }
  return {
      "LDPMiner: a second phase finds frequent items more accurately than a single one",
      Verdict(good, all),
      all == 0
          ? "–"
          : absl::StrFormat(
                "f1 against the count-mean sketch's with all of ε in one phase: %+.2f on average",
                above / static_cast<double>(all))};
}

std::string Epsilons(const StringStudy& study) {
  const auto [low, high] =
      std::minmax_element(study.rappor.begin(), study.rappor.end(),
                          [](const RapporRow& a, const RapporRow& b) { return a.one < b.one; });
  return absl::StrFormat("ε₁ from %.2f to %.2f with its parameters above, ε∞ %.2f as deployed",
                         low->one, high->one, study.rappor.front().memo);
}

}  // namespace

std::vector<JudgedStrings> JudgeStringClaims(const StringStudy& study) {
  const accounting::Rappor& deployed = study.rappor.front().rappor;
  const double once = accounting::LocalEpsilonOf(deployed, 1);
  const double often = accounting::LocalEpsilonOf(deployed, 100);
  return {
      {"Randomised response by two coins has ε = ln 3, and 2 (Y − ¼) is the share of yes", "holds",
       "p = ¾, the row of ε = ln 3 above"},
      {"RAPPOR offers ln 3", "does not hold", Epsilons(study)},
      JudgeUsable("RAPPOR's decoding estimates frequencies of strings with high utility", study,
                  "RAPPOR"),
      {"RAPPOR needs a dictionary in advance", "holds", "its rows are those with the list"},
      JudgeUsable("RAPPOR, improved, does without a dictionary", study, "RAPPOR, extended"),
      JudgePhases(study),
      {"The larger the number of collections, the smaller ε∞", "does not hold",
       absl::StrFormat("%.2f of one report, %.2f of 100, towards ε∞, which is the same for all",
                       once, often)},
      {"Memoised responses protect in the long run", "holds",
       "of one value; every further one costs ε∞ again, and that it changed is seen"},
  };
}

}  // namespace tombola::lab
