#include "lab/page/strings_page.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/simulation/chart.h"
#include "lab/page/markdown.h"
#include "lab/page/string_claims.h"
#include "lab/strings/succinct.h"

namespace tombola::lab {
namespace {

constexpr absl::string_view kStringsIntroduction =
    R"(Which strings do devices hold, if nobody can list them? This page puts the published local methods beside
Tombola's strings, by what is found of public data: the first six bytes of AOL's queries, and words as they are said in films. **f1** is
the harmonic mean of precision and recall of the first k found against the k that most hold; **error** the median of the relative errors of those of them that
were found; **nobody's** are strings among those found that no device holds. Tombola's are shuffled, (ε, δ = %s), all devices honest; the published
methods stand here in two ways: **without a shuffler**, with a local ε, which protects from everybody, and **with one**, each with the largest
local ε with which a batch of all devices meets the same (1, δ). Means of %d runs. The page is made by `./dev results --pages strings` and not edited by
hand, by `tombola-lab strings` with seed %d. The published methods are in `lab/` for this page alone; the mathematics is in
[privacy.md](privacy.md).)";

constexpr absl::string_view kStringsWays =
    R"(A device says which bucket a prefix of its string has under one of 256 public functions. *One message*: of a random level, randomised; it
leaves a local ε. *Dummies*: the true bucket of a random level, and uniform ones besides. *Every level*: the true ones of all levels, and more of
the uniform ones. The last two leave nothing if the two servers collude. *Holders* are those whom a string needs to be found with
probability 90 %, as planned.)";

constexpr absl::string_view kStringsRivals =
    R"(*PEM* (Wang et al. 2019): prefixes by optimised local hashing, the k best of each level, once for each k; nobody's are of k = 100; its
groups ask for 16 to 48 bits, of words for 4 letters and then 2 more each time. *TreeHist* (Bassily et al. 2017): a group for each bit, one bit of each report, what exceeds chance. *SHist* (Bassily, Smith 2015): %s
channels, one bit of a codeword in each, and one bit of an oracle, half of ε each. *RAPPOR, extended* (Fanti et al. 2016): the string and two of its pairs of characters, a third of ε each; joint distributions
by accelerated EM, candidates where every two pairs go together. The others **are given the list of all strings**, which those do not have: the *count-mean sketch* (Apple 2017; 64
rows of 1,024 buckets), *O-RR* (Kairouz et al. 2016; 64 cohorts), *LDPMiner* (Qin et al. 2016; both phases) and *RAPPOR*
(Erlingsson et al. 2014; 2 hashes, 128 bits, 64 cohorts, non-negative LASSO, least squares, Bonferroni; as deployed with f = ½, p = ½, q = ¾). Counts are drawn by their
exact laws; of PEM, TreeHist and LDPMiner each candidate's independently of the others'. What each report gives away is enumerated in `lab/strings/strings_privacy_test.cc`.)";

constexpr absl::string_view kStringsShuffled =
    R"(By the privacy blanket where a report has one (PEM, TreeHist, O-RR), else by what holds for every randomiser (clones). Groups, levels and
cohorts are drawn by the device and said in its report, so that all devices of the batch hide it.)";

constexpr absl::string_view kStringsShort =
    R"(- **It is the shuffler that does most of it.** With one PEM sends nearly what one message of Tombola's is, a bucket of a prefix of a random length. But it
returns as many strings as it is asked for, whether they stand out or not, and nothing is said of the others.)";

constexpr absl::string_view kStringsWarner =
    R"(Each device answers whether it has a property, truly with probability p = e^ε / (e^ε + 1). Of a share of 0.3: the standard deviation
√(π(1 − π)/n + p(1 − p)/((2p − 1)² n)) of its estimate, that of drawing the devices in it, and in brackets the ε of the shuffled batch, δ = %s. At ε = ln 3 it is two coins: yes
is estimated as 2 (Y − ¼).)";

constexpr absl::string_view kStringsRappor =
    R"(ε₁ is of one report by itself, ε∞ of any number of reports of one memoised value; values add up. Shuffled, one report of each device, with a
cohort drawn for it, δ = %s: by the blanket of bits that belong together, and in brackets by the bound for any randomiser. A memo that is used again,
or a cohort that is kept, leaves ε∞.)";

constexpr absl::string_view kStringsClaims =
    R"(What the survey of local privacy says of these methods ([errata.md](errata.md#24-the-survey-of-local-privacy-rappor)), beside what was found here.
Its authors measured nothing. A verdict in numbers counts comparisons: both data sets, every ε, the four k.)";

std::string TopCells(const std::array<double, kStringTops.size()>& numbers, bool percent) {
  std::string text;
  for (const double number : numbers) {
    absl::StrAppend(&text, text.empty() ? "" : " / ");
    if (std::isnan(number)) {
      absl::StrAppend(&text, "–");
    } else if (percent) {
      absl::StrAppendFormat(&text, "%.1f %%", 100 * number);
    } else {
      absl::StrAppendFormat(&text, "%.2f", number);
    }
  }
  return text;
}

std::string Tops() {
  std::string text;
  for (const int64_t top : kStringTops) {
    absl::StrAppend(&text, text.empty() ? "" : " / ", Grouped(top));
  }
  return text;
}

std::string OwnTable(const std::vector<StringLine>& lines) {
  std::vector<std::vector<std::string>> rows;
  for (const StringLine& line : lines) {
    rows.push_back({line.title, absl::StrFormat("%g", line.epsilon),
                    absl::StrFormat("%.1f", line.messages),
                    absl::StrFormat("2^%d", line.range_bits), absl::StrFormat("%.0f", line.holders),
                    absl::StrFormat("%.0f", line.score.found), TopCells(line.score.f1, false),
                    TopCells(line.score.error, true),
                    absl::StrFormat("%.2f", line.score.held_by_nobody), Scientific(line.tests)});
  }
  return TableOf({"levels", "ε", "messages", "buckets", "holders", "found",
                  absl::StrCat("f1 of ", Tops()), "error of the same", "nobody's", "tests"},
                 rows);
}

std::string LocalTable(const std::vector<StringLine>& lines) {
  std::vector<std::vector<std::string>> rows;
  for (const StringLine& line : lines) {
    rows.push_back({line.title, absl::StrFormat("%.3g", line.epsilon),
                    absl::StrFormat("%.0f", line.score.found), TopCells(line.score.f1, false),
                    TopCells(line.score.error, true),
                    absl::StrFormat("%.1f", line.score.held_by_nobody)});
  }
  return TableOf({"method", "local ε", "found", absl::StrCat("f1 of ", Tops()), "error of the same",
                  "nobody's"},
                 rows);
}

std::string NeedTable(const StringStudy& study) {
  std::vector<std::vector<std::string>> rows;
  for (const StringNeed& need : study.needs) {
    const mechanism::StringPlan& first = need.plans.front();
    std::vector<std::string> row = {
        need.title,
        need.plans.front().shape.whole ? "1" : absl::StrCat(first.levels, " x ", first.shape.step)};
    for (const mechanism::StringPlan& plan : need.plans) {
      row.push_back(plan.feasible
                        ? absl::StrFormat("%.0f (%.1f)", plan.holders, plan.expected_messages)
                        : "–");
    }
    row.push_back(absl::StrFormat("%.1f", first.local_epsilon));
    row.push_back(absl::StrFormat("%.1f", first.of_liar));
    rows.push_back(std::move(row));
  }
  return TableOf({"strings", "levels", "one message", "dummies", "every level",
                  "local ε of one message", "a lying report adds"},
                 rows);
}

std::string RapporTable(const StringStudy& study) {
  std::vector<std::string> header = {"f", "p", "q", "hashes", "ε₁", "ε∞"};
  for (const int64_t devices : kRapporDevices) {
    header.push_back(absl::StrCat(Grouped(devices), " devices"));
  }
  std::vector<std::vector<std::string>> rows;
  for (const RapporRow& row : study.rappor) {
    std::vector<std::string>& cells = rows.emplace_back();
    cells = {absl::StrFormat("%g", row.rappor.f), absl::StrFormat("%g", row.rappor.p),
             absl::StrFormat("%g", row.rappor.q), absl::StrCat(row.rappor.hashes),
             absl::StrFormat("%.4f", row.one),    absl::StrFormat("%.4f", row.memo)};
    for (const accounting::ShuffledRappor& of : row.of) {
      cells.push_back(absl::StrFormat("%.4f (%.4f)", of.blanket, of.clones));
    }
  }
  return TableOf(header, rows);
}

std::vector<std::pair<const char*, const std::vector<StringLine>*>> LinesOf(
    const StringWorld& world) {
  return {{"shuffled", &world.own},
          {"local", &world.local.blind},
          {"local, listed", &world.local.listed},
          {"shuffled", &world.shuffled.blind},
          {"shuffled, listed", &world.shuffled.listed}};
}

std::string ClaimTable(const std::vector<JudgedStrings>& claims) {
  std::vector<std::vector<std::string>> rows;
  for (const JudgedStrings& claim : claims)
    rows.push_back({claim.claim, claim.verdict, claim.found});
  return TableOf({"claim", "verdict", "found"}, rows);
}

std::string CsvOf(const StringStudy& study) {
  std::string csv = "data,way,method,epsilon,messages,found,nobodys";
  for (const int64_t top : kStringTops) absl::StrAppend(&csv, ",f1_", top, ",error_", top);
  absl::StrAppend(&csv, "\n");
  for (const StringWorld& world : study.worlds) {
    for (const auto& [way, lines] : LinesOf(world)) {
      for (const StringLine& line : *lines) {
        absl::StrAppendFormat(&csv, "%s,\"%s\",\"%s\",%.4g,%.4g,%.4g,%.4g", world.title, way,
                              line.title, line.epsilon, line.messages, line.score.found,
                              line.score.held_by_nobody);
        for (size_t i = 0; i < kStringTops.size(); ++i) {
          absl::StrAppendFormat(&csv, ",%.4g,", line.score.f1[i]);
          if (!std::isnan(line.score.error[i]))
            absl::StrAppendFormat(&csv, "%.4g", line.score.error[i]);
        }
        absl::StrAppend(&csv, "\n");
      }
    }
  }
  return csv;
}

std::string WarnerTable(const StringStudy& study) {
  std::vector<std::string> header = {"ε", "p"};
  for (const int64_t devices : kRapporDevices) {
    header.push_back(absl::StrCat(Grouped(devices), " devices"));
  }
  std::vector<std::vector<std::string>> rows;
  for (const WarnerRow& row : study.warner) {
    std::vector<std::string>& cells = rows.emplace_back();
    cells = {absl::StrFormat("%.4g", row.epsilon), absl::StrFormat("%.4f", row.truth)};
    for (size_t at = 0; at < row.deviations.size(); ++at) {
      cells.push_back(absl::StrFormat("%.5f (%.4f)", row.deviations[at], row.shuffled[at]));
    }
  }
  return TableOf(header, rows);
}

void AddSeries(const StringLine& line, bool dashed, std::vector<simulation::Series>* series) {
  simulation::Series& drawn = series->emplace_back();
  drawn.name = line.title;
  drawn.style = static_cast<int>(series->size() - 1) % simulation::Series::kStyles;
  drawn.dashed = dashed;
  for (size_t i = 0; i < kStringTops.size(); ++i) {
    drawn.points.push_back({static_cast<double>(kStringTops[i]), line.score.f1[i]});
  }
}

// The f1 of the first 100, of several lines the largest.
double BestOfHundred(const std::vector<StringLine>& lines, double epsilon) {
  constexpr size_t kHundred = 1;
  static_assert(kStringTops[kHundred] == 100);
  double best = 0;
  for (const StringLine& line : lines) {
    if (epsilon == 0 || line.epsilon == epsilon) best = std::max(best, line.score.f1[kHundred]);
  }
  return best;
}

double MostLocal() { return *std::max_element(std::begin(kLocalStrings), std::end(kLocalStrings)); }

std::string InShort(const StringWorld& world) {
  return Wrapped(
      absl::StrFormat(
          "- **%s.** f1 of the first 100: without a list of strings the best published method "
          "has %.2f at local ε = %g, and %.2f at (1, 10⁻⁶) with a shuffler; with the list "
          "the best has %.2f and %.2f. Tombola, without one, has up to %.2f.",
          world.title, BestOfHundred(world.local.blind, MostLocal()), MostLocal(),
          BestOfHundred(world.shuffled.blind, 0), BestOfHundred(world.local.listed, MostLocal()),
          BestOfHundred(world.shuffled.listed, 0), BestOfHundred(world.own, 0)),
      "  ");
}

// Tombola's one message at epsilon 1 first; of the rivals those with so much local epsilon, or all
// of them for 0.
std::string ChartOfTops(const StringWorld& world, const StringRivals& rivals, double epsilon,
                        const std::string& title) {
  std::vector<simulation::Series> series;
  AddSeries(world.own.front(), false, &series);
  series.front().name = absl::StrCat("Tombola, ", series.front().name);
  for (const auto* const lines : {&rivals.blind, &rivals.listed}) {
    for (const StringLine& line : *lines) {
      if (epsilon == 0 || line.epsilon == epsilon)
        AddSeries(line, lines == &rivals.listed, &series);
    }
  }
  return simulation::DrawChart(
      {.title = title, .x = "the k that most hold", .y = "f1", .log_x = true}, series);
}

void AddRivals(const StringRivals& rivals, std::string* page) {
  absl::StrAppend(page, "\n", LocalTable(rivals.blind), "\n",
                  Wrapped("With the list of all strings:"), "\n", LocalTable(rivals.listed));
}

std::string Picture(const std::string& words, const std::string& file) {
  return absl::StrCat("\n![", words, "](results-strings/", file, ")\n");
}

void AddWorld(const StringWorld& world, Pages* pages) {
  const double most = MostLocal();
  const std::string local = absl::StrCat(world.key, "-local.svg");
  const std::string shuffled = absl::StrCat(world.key, "-shuffled.svg");
  pages->files[local] =
      ChartOfTops(world, world.local, most, absl::StrCat(world.title, ", local epsilon ", most));
  pages->files[shuffled] =
      ChartOfTops(world, world.shuffled, 0, absl::StrCat(world.title, ", shuffled"));
  std::string* const page = &pages->markdown;
  absl::StrAppend(page, "\n## ", world.title, "\n\n",
                  Wrapped(absl::StrCat(Grouped(world.devices), " devices, ", Grouped(world.strings),
                                       " different strings.")),
                  "\n", OwnTable(world.own), "\n### Without a shuffler\n",
                  Picture(absl::StrCat("f1 of the published methods at local ε = ", most,
                                       ", and of Tombola's one message at (1, 10⁻⁶)"),
                          local));
  AddRivals(world.local, page);
  absl::StrAppend(
      page, "\n### With a shuffler, at (1, 10⁻⁶)\n",
      Picture("f1 of the published methods and of Tombola's one message at (1, 10⁻⁶)", shuffled));
  AddRivals(world.shuffled, page);
}

}  // namespace

Pages StringPages(const StringStudy& study, const PageFacts& facts) {
  Pages pages;
  std::string& page = pages.markdown;
  page =
      absl::StrCat("# Results: strings nobody listed, the published methods and Tombola's\n\n",
                   Wrapped(absl::StrFormat(kStringsIntroduction, "10⁻⁶", study.runs, facts.seed)),
                   "\n", Wrapped(kStringsWays));
  if (study.worlds.empty()) {
    absl::StrAppend(&page, "\n",
                    Wrapped("Without the public files there is no data to find "
                            "strings in: see `bench/results --data`."));
  }
  if (!study.worlds.empty()) {
    absl::StrAppend(&page, "\n", Wrapped(absl::StrFormat(kStringsRivals, Grouped(kChannels))), "\n",
                    Wrapped(kStringsShuffled), "\n## In short\n\n");
    for (const StringWorld& world : study.worlds) page += InShort(world);
    page += Wrapped(kStringsShort, "  ");
  }
  for (const StringWorld& world : study.worlds) AddWorld(world, &pages);
  absl::StrAppend(&page, "\n## How many must hold a string\n\n",
                  Wrapped(absl::StrFormat(
                      "Of %s devices, at (1, 10⁻⁶), as planned, with as few levels as 10¹² "
                      "tests of a decoding allow; in brackets messages of a device. The last "
                      "column: by so many holders one lying report raises an estimate of one "
                      "message and one level.",
                      Grouped(study.needs_of))),
                  "\n", NeedTable(study), "\n## RAPPOR's parameters\n\n",
                  Wrapped(absl::StrFormat(kStringsRappor, "10⁻⁶")), "\n", RapporTable(study),
                  "\n## Warner's randomised response\n\n",
                  Wrapped(absl::StrFormat(kStringsWarner, "10⁻⁶")), "\n", WarnerTable(study),
                  "\n## Where the survey's claims hold\n\n", Wrapped(kStringsClaims), "\n",
                  ClaimTable(JudgeStringClaims(study)));
  if (!study.worlds.empty()) {
    absl::StrAppend(&page, "\nEvery number: [strings.csv](results-strings/strings.csv).\n");
    pages.files["strings.csv"] = CsvOf(study);
  }
  return pages;
}

}  // namespace tombola::lab
