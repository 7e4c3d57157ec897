#include "lab/page/strings_page.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lab/page/markdown.h"

namespace tombola::lab {
namespace {

constexpr absl::string_view kStringsIntroduction =
    R"(Which strings do devices hold, if nobody can list them? This page puts the published local methods beside
Tombola's strings, by what is found of public data: the first six bytes of AOL's queries, and words as they are said in films. **f1** is
the harmonic mean of precision and recall of the first k found against the k that most hold; **error** the median of the relative errors of those of them that
were found; **nobody's** are strings among those found that no device holds. Tombola's are shuffled, (ε, δ = %s), all devices honest; the published
methods' ε is local, which protects from everybody. Means of %d runs. The page is made by `./dev results --pages strings` and not edited by
hand, by `tombola-lab strings` with seed %d. The published methods are in `lab/` for this page alone; the mathematics is in
[privacy.md](privacy.md).)";

constexpr absl::string_view kStringsWays =
    R"(A device says which bucket a prefix of its string has under one of 256 public functions. *One message*: of a random level, randomised; it
leaves a local ε. *Dummies*: the true bucket of a random level, and uniform ones besides. *Every level*: the true ones of all levels, and more of
the uniform ones. The last two leave nothing if the two servers collude. *Holders* are those whom a string needs to be found with
probability 90 %, as planned.)";

constexpr absl::string_view kStringsLocal =
    R"(*PEM* (Wang et al. 2019): five groups, prefixes of 16 to 48 bits by optimised local hashing, the k best of each level, once for each k;
nobody's are of k = 100. *TreeHist* (Bassily et al. 2017): 48 groups, one bit of each report, what exceeds chance. *LDPMiner* (Qin et al. 2016)
and *RAPPOR* (Erlingsson et al. 2014; f = ½, p = ½, q = ¾, 2 hashes, 128 bits, 64 cohorts, non-negative LASSO, least squares, Bonferroni) **are given
the list of all strings**, which the others do not have. Reports are drawn by the exact law of each candidate's count, independently of each other's.)";

constexpr absl::string_view kStringsRappor =
    R"(ε₁ is of one report by itself, ε∞ of any number of reports of one memoised value; values add up. Shuffled, one report of each device, with a
cohort drawn for it, δ = %s: by the blanket of bits that belong together, and in brackets by the bound for any randomiser. A memo that is used again,
or a cohort that is kept, leaves ε∞.)";

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

std::string CsvOf(const StringStudy& study) {
  std::string csv = "data,method,epsilon,messages,found,nobodys";
  for (const int64_t top : kStringTops) absl::StrAppend(&csv, ",f1_", top, ",error_", top);
  absl::StrAppend(&csv, "\n");
  for (const StringWorld& world : study.worlds) {
    for (const auto* const lines : {&world.own, &world.blind, &world.listed}) {
      for (const StringLine& line : *lines) {
        absl::StrAppendFormat(&csv, "%s,\"%s\",%.4g,%.4g,%.4g,%.4g", world.title, line.title,
                              line.epsilon, line.messages, line.score.found,
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

void AddWorld(const StringWorld& world, std::string* page) {
  absl::StrAppend(page, "\n## ", world.title, "\n\n",
                  Wrapped(absl::StrCat(Grouped(world.devices), " devices, ", Grouped(world.strings),
                                       " different strings.")),
                  "\n", OwnTable(world.own));
  if (world.blind.empty()) return;
  absl::StrAppend(page, "\n", Wrapped(kStringsLocal), "\n", LocalTable(world.blind), "\n",
                  Wrapped("With the list of all strings:"), "\n", LocalTable(world.listed));
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
  for (const StringWorld& world : study.worlds) AddWorld(world, &page);
  absl::StrAppend(&page, "\n## How many must hold a string\n\n",
                  Wrapped(absl::StrFormat(
                      "Of %s devices, at (1, 10⁻⁶), as planned, with as few levels as 10¹² "
                      "tests of a decoding allow; in brackets messages of a device. The last "
                      "column: by so many holders one lying report raises an estimate of one "
                      "message and one level.",
                      Grouped(study.needs_of))),
                  "\n", NeedTable(study), "\n## RAPPOR's parameters\n\n",
                  Wrapped(absl::StrFormat(kStringsRappor, "10⁻⁶")), "\n", RapporTable(study));
  if (!study.worlds.empty()) {
    absl::StrAppend(&page, "\nEvery number: [strings.csv](results-strings/strings.csv).\n");
    pages.files["strings.csv"] = CsvOf(study);
  }
  return pages;
}

}  // namespace tombola::lab
