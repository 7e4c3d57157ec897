#include "lab/page/joins_page.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/simulation/chart.h"
#include "lab/joins/join_registry.h"
#include "lab/joins/printed.h"
#include "lab/page/caps_section.h"
#include "lab/page/join_claims.h"
#include "lab/page/markdown.h"

namespace tombola::lab {
namespace {

constexpr absl::string_view kJoinFolder = "results-joins";

constexpr absl::string_view kJoinIntroduction =
    R"(A device has a row of its own and some transactions, each of a product; joined, they are tuples with an
attribute from each of three tables and an amount. Wanted are COUNT, SUM and AVG of the amounts of all tuples
whose attributes lie in given ranges. This page repeats the figures of the LPRR-JOIN paper
([errata.md](errata.md), sections 14 to 20) in two ways: **A**, without a shuffler, every method with the same
local ε, as the paper does; **B**, with one, every method with the same (ε, 10⁻⁶) of what the collector sees.
It is made by `./dev results%s` and not edited by hand; every number is measured by `tombola-lab joins` with
seed %d. The published methods are in `lab/` for this page alone: no package ships them.)";

constexpr absl::string_view kJoinPromises =
    R"(The least ε that all reports of a device truly have, for any two records, where 1 is stated. Tests
enumerate it for small trees. Joins by ids need a device's id on each of its reports, so that no shuffler can
hide whose they are; in a local join the device joins its rows itself and sends one report. † marks what is not
private: a report of LPRR-JOIN is a true node of the row, and every other is impossible (`tombola-lab audit
--method lprr_join`).)";

constexpr absl::string_view kAsPrinted =
    R"(A device of the published joins sends 1 + n + nτ rows for n devices and three tables, each with that part
of ε. What follows, at ε = 1 and τ = 3: where each table has a range, an unbiased COUNT has at least the
stated NMSE, whatever else is done (answering 0 has less than 1). Theorem 11's τ is for γ = 0.05; at least 1 is
needed. No machine holds the joined tuples.)";

constexpr absl::string_view kInFavour =
    R"(So everything that follows is in the published joins' favour. A device sends the rows that it has, one and
2τ, each with that part of ε; only attributes in question are collected; unused places of the τ are known or
have weight 0. LPRR-JOIN's reports are decoded for what they are, with no bias; its estimate as printed is off
by more than all tuples for ranges of several nodes. It drops its leaves, so that parts of the lowest nodes left
are interpolated, and with the leaves the amount: of it there is COUNT only, and SUM and AVG cannot be computed.
For its τ we take those that the paper states, 3 and 2 over the volume. HIO-JOIN-RDC is a reconstruction. SC-JOIN
is for one tuple a device, τ = 1.)";

constexpr absl::string_view kOurs =
    R"(Local joins pick one of τ places and, of views, one; the grid is the rule of TDG (one report, norm-sub). In
way B each uses the largest budget that meets the target by the privacy blanket. `pure_dump` counts all tuples
of a device at once, τ messages on each level of a tree or on a grid, with Poisson noise by the product
accountant: τ messages may lie in one cell, which costs τ² in noise. Central is Laplace noise on all cells, for
neighbours that differ in all of a device's tuples. In way A all have the paper's τ and the central one its best;
in way B each has that of 1, 2, 3, 4, 5, 7 and 10 with which it predicts the least error, but over τ.)";

constexpr absl::string_view kJoinMeasured =
    R"(NMSE is the squared error in terms of all tuples (COUNT) or all amounts (SUM), MRE the error in terms of the
answer. Every cell is the average of %d trials of %d ranges, each around a tuple that is drawn from the data.
What devices pick is drawn device by device, what they report as counts; joins by ids are drawn from the normal
law with their exact mean and with variances from %s of the devices. Over %s cells the simulated NMSE of COUNT is
%.3f to %.3f times the predicted one, local grids and trees apart. All numbers are in
[measurements.csv](%s/measurements.csv), those of caps, which are predicted, in [caps.csv](%s/caps.csv).)";

std::string NumberOrBlank(double number) {
  return std::isfinite(number) ? absl::StrFormat("%.6g", number) : "";
}

std::string PromisesTable() {
  std::vector<std::vector<std::string>> rows;
  for (const JoinEntry& entry : JoinMethods()) {
    if (entry.name == "own" || entry.name == "laplace" || entry.name == "local_tree") continue;
    rows.push_back({std::string(entry.title), std::string(entry.source), "1",
                    entry.is_private ? "1" : "infinite",
                    entry.is_private ? "private" : "**not private**",
                    entry.shuffled == nullptr ? "no" : "yes"});
  }
  return TableOf({"method", "published by", "stated ε", "true ε", "verdict", "with a shuffler"},
                 rows);
}

std::string PrintedTable(absl::Span<const JoinStudy> studies) {
  constexpr double kPrintedTauOf = 3, kPrintedGamma = 0.05;
  std::vector<std::vector<std::string>> rows;
  for (const JoinStudy& study : studies) {
    const PrintedJoin join = {.users = static_cast<double>(study.users), .tau = kPrintedTauOf};
    rows.push_back({study.data.title, Scientific(join.rows()), Scientific(join.row_epsilon()),
                    Scientific(join.joined()), Scientific(join.least_nmse()),
                    Scientific(PrintedTau(join, kPrintedGamma))});
  }
  return TableOf({"data", "rows of a device", "ε of a row", "joined tuples", "NMSE of COUNT, least",
                  "τ of Theorem 11"},
                 rows);
}

std::string JoinDataTable(absl::Span<const JoinStudy> studies) {
  std::vector<std::vector<std::string>> rows;
  for (const JoinStudy& study : studies) {
    const auto cut = [&](int64_t tau) {
      return tau <= study.most ? absl::StrFormat("%.1f %%", 100 * study.tau_bias[tau - 1]) : "0";
    };
    rows.push_back({study.data.title, Grouped(study.users), Grouped(study.tuples),
                    absl::StrFormat("%.1f %%", 100 * study.below_six), cut(1), cut(2), cut(3),
                    cut(4)});
  }
  return TableOf({"data", "devices", "joined tuples", "devices with fewer than 6",
                  "cut off by τ = 1", "τ = 2", "τ = 3", "τ = 4"},
                 rows);
}

std::string PointHeader(const JoinAxis& axis, const JoinPoint& point) {
  return absl::StrFormat("%s = %g", axis.title, point.x);
}

std::string JoinTable(const JoinAxis& axis, const JoinComparison& way, bool with_tau) {
  std::vector<std::string> header = {"method"};
  for (const JoinPoint& point : axis.points) header.push_back(PointHeader(axis, point));
  std::vector<std::vector<std::string>> rows;
  for (const JoinLine& line : way.lines) {
    std::vector<std::string> row = {line.title};
    bool any = false;
    for (const JoinErrors& errors : line.errors) {
      if (std::isnan(errors.count_nmse.value)) {
        row.emplace_back("–");
        continue;
      }
      any = true;
      row.push_back(absl::StrCat(Scientific(errors.count_nmse.value), " / ",
                                 Scientific(errors.sum_nmse.value), " / ",
                                 ShortNumber(errors.average_mre.value)));
      if (with_tau) absl::StrAppend(&row.back(), " / ", errors.tau);
    }
    if (any) rows.push_back(std::move(row));
  }
  return TableOf(header, rows);
}

std::string JoinChart(const JoinAxis& axis, const JoinComparison& way, const std::string& title,
                      const std::string& what, const JoinNumber& number) {
  std::vector<simulation::Series> series;
  for (const JoinLine& line : way.lines) {
    simulation::Series& drawn = series.emplace_back();
    drawn.name = line.title;
    drawn.style = line.style;
    drawn.dashed = line.dashed;
    for (size_t at = 0; at < axis.points.size(); ++at) {
      const double value = number(line.errors[at]);
      if (std::isfinite(value)) drawn.points.push_back({axis.points[at].x, value});
    }
  }
  return simulation::DrawChart({.title = title, .x = axis.name, .y = what}, series);
}

// One of the two ways on one data set.
std::string WayOf(const JoinStudy& study, bool shuffled, Pages& pages) {
  const std::vector<JoinAxis> axes = JoinAxes();
  const std::string letter = shuffled ? "b" : "a";
  std::string out = absl::StrCat(
      "### ", study.data.title, ", ",
      shuffled ? "B: equal (ε, 10⁻⁶), with a shuffler" : "A: equal local ε, no shuffler", "\n\n");
  struct Panel {
    std::string name, what;
    JoinNumber number;
  };
  const Panel panels[] = {{"count", "NMSE of COUNT", CountNmse},
                          {"sum", "NMSE of SUM", SumNmse},
                          {"avg", "MRE of AVG", AverageMre}};
  for (size_t i = 0; i < axes.size(); ++i) {
    const JoinComparison& way = shuffled ? study.shuffled[i] : study.local[i];
    for (const Panel& panel : panels) {
      // SUM and AVG look much alike over the other axes; the tables have them.
      if (i != kEpsilonAxis && panel.name != "count") continue;
      const std::string file =
          absl::StrCat(study.data.key, "-", letter, "-", axes[i].name, "-", panel.name, ".svg");
      const std::string title =
          absl::StrCat(study.data.title, shuffled ? ", shuffled" : ", local", ": ", panel.what);
      pages.files[file] = JoinChart(axes[i], way, title, panel.what, panel.number);
      absl::StrAppend(&out, "![", title, " against ", axes[i].name, "](", kJoinFolder, "/", file,
                      ")\n");
    }
    absl::StrAppend(&out, "\nOver ", axes[i].title, ": NMSE of COUNT / NMSE of SUM / MRE of AVG",
                    shuffled ? " / τ" : "", ":\n\n", JoinTable(axes[i], way, shuffled), "\n");
  }
  return out;
}

std::string JoinCsv(absl::Span<const JoinStudy> studies) {
  std::string out =
      "data,way,axis,x,method,tau,count_nmse,count_nmse_stderr,predicted,sum_nmse,count_mre,"
      "sum_mre,average_mre,messages,local_epsilon\n";
  const std::vector<JoinAxis> axes = JoinAxes();
  for (const JoinStudy& study : studies) {
    for (const bool shuffled : {false, true}) {
      for (size_t i = 0; i < axes.size(); ++i) {
        for (const JoinLine& line : (shuffled ? study.shuffled : study.local)[i].lines) {
          for (size_t at = 0; at < line.errors.size(); ++at) {
            const JoinErrors& errors = line.errors[at];
            if (std::isnan(errors.count_nmse.value)) continue;
            std::vector<std::string> fields = {study.data.key, shuffled ? "shuffled" : "local",
                                               axes[i].name,   NumberOrBlank(axes[i].points[at].x),
                                               line.name,      absl::StrCat(errors.tau)};
            for (const double number :
                 {errors.count_nmse.value, errors.count_nmse.standard_error, errors.predicted,
                  errors.sum_nmse.value, errors.count_mre.value, errors.sum_mre.value,
                  errors.average_mre.value, errors.messages, errors.local_epsilon}) {
              fields.push_back(NumberOrBlank(number));
            }
            absl::StrAppend(&out, absl::StrJoin(fields, ","), "\n");
          }
        }
      }
    }
  }
  return out;
}

// The ratio of the simulated to the predicted NMSE of COUNT, the least and the most.
struct JoinAgreement {
  int64_t cells = 0;
  double low = std::numeric_limits<double>::infinity(), high = 0;
};

JoinAgreement AgreementOf(absl::Span<const JoinStudy> studies) {
  JoinAgreement agreement;
  for (const JoinStudy& study : studies) {
    for (const auto* way : {&study.local, &study.shuffled}) {
      for (const JoinComparison& axis : *way) {
        for (const JoinLine& line : axis.lines) {
          if (line.name == "grid" || line.name == "local_tree") continue;
          for (const JoinErrors& errors : line.errors) {
            if (!std::isfinite(errors.predicted)) continue;
            ++agreement.cells;
            const double ratio = errors.count_nmse.value / errors.predicted;
            agreement.low = std::min(agreement.low, ratio);
            agreement.high = std::max(agreement.high, ratio);
          }
        }
      }
    }
  }
  return agreement;
}

std::string MostMessages(absl::Span<const JoinStudy> studies) {
  std::vector<double> messages;
  for (const JoinStudy& study : studies) {
    for (const JoinComparison& axis : study.shuffled) {
      for (const JoinErrors& errors : axis.Find("own")->errors) messages.push_back(errors.messages);
    }
  }
  return Span(messages);
}

// Of the best of several lines, in terms of `under`.
std::vector<double> BestRatios(absl::Span<const JoinStudy> studies,
                               std::vector<JoinComparison> JoinStudy::*way, size_t axis,
                               absl::Span<const absl::string_view> over, absl::string_view under) {
  std::vector<double> best;
  for (const absl::string_view name : over) {
    const std::vector<double> ratios = JoinRatios(studies, way, axis, name, under, CountNmse);
    if (best.empty()) best = ratios;
    if (ratios.size() != best.size()) continue;
    for (size_t i = 0; i < best.size(); ++i) best[i] = std::min(best[i], ratios[i]);
  }
  return best;
}

std::vector<std::string> JoinFindings(absl::Span<const JoinStudy> studies) {
  const absl::string_view kLocalJoins[] = {"hio", "hio_rdc", "flat_grr", "grid"};
  const auto local = [&](absl::string_view over, absl::string_view under) {
    return Span(JoinRatios(studies, &JoinStudy::local, kRangesAxis, over, under, CountNmse));
  };
  std::vector<std::string> findings = {
      R"(**At the paper's τ = 1 nothing but truncation is seen.** One tuple of a device counts, and what is cut off
(the table of data) is most of the error of everything that is any good: its squared share, times that of the
range.)",
      absl::StrFormat(
          R"(**A join on the device is better than one by ids.** With 1 to 3 ranges HIO-JOIN has %s times the NMSE of
COUNT of HIO with the same budget and τ, because every row's report costs a part of the budget and the noise of the
tables multiplies.)",
          local("hio_join", "hio")),
      absl::StrFormat(
          R"(**LPRR-JOIN is exact where it should not be.** It has %s times HIO-JOIN's NMSE of COUNT over ε, the same at
every ε but for chance, and knows nothing of the amount.)",
          Span(JoinRatios(studies, &JoinStudy::local, kEpsilonAxis, "lprr_t", "hio_join",
                          CountNmse))),
      absl::StrFormat(
          R"(**With a shuffler all tuples can be sent.** At the same (ε, 10⁻⁶) the best of the published local joins,
each at its best τ, has %s times the NMSE of COUNT of `pure_dump` over ε, and %s times with 1 to 3 ranges; it is below 1
where devices are few for so many cells, and one message a device is the way out.)",
          Span(BestRatios(studies, &JoinStudy::shuffled, kEpsilonAxis, kLocalJoins, "own")),
          Span(BestRatios(studies, &JoinStudy::shuffled, kRangesAxis, kLocalJoins, "own"))),
      absl::StrFormat(
          R"(**What it costs.** A device sends %s messages, most for 3 ranges and for few devices; the NMSE of COUNT is %s
times that of central Laplace over ε, and %s times with 1 to 3 ranges, where the grid interpolates and the central
curator counts every combination of places.)",
          MostMessages(studies),
          Span(
              JoinRatios(studies, &JoinStudy::shuffled, kEpsilonAxis, "own", "laplace", CountNmse)),
          Span(
              JoinRatios(studies, &JoinStudy::shuffled, kRangesAxis, "own", "laplace", CountNmse))),
      CapsFinding(studies),
  };
  return findings;
}

std::string ClaimsSection(absl::Span<const JoinStudy> studies) {
  std::vector<std::vector<std::string>> rows;
  for (const JudgedJoin& judged : JudgeJoinClaims(studies)) {
    rows.push_back({judged.claim, judged.verdict, judged.found});
  }
  return TableOf({"claim", "verdict", "ratios"}, rows);
}

}  // namespace

Pages JoinPages(absl::Span<const JoinStudy> studies, const PageFacts& facts) {
  Pages pages;
  const JoinAgreement agreement = AgreementOf(studies);
  pages.files["measurements.csv"] = JoinCsv(studies);
  pages.files["caps.csv"] = CapsCsv(studies);
  std::string& out = pages.markdown;
  out = absl::StrCat(
      "# Results: star joins, the published methods and Tombola's\n\n",
      Wrapped(absl::StrFormat(kJoinIntroduction,
                              facts.with_folder ? " --pages joins --data DIR" : " --pages joins",
                              facts.seed)),
      "\n## What the published methods promise, and what they keep\n\n", Wrapped(kJoinPromises),
      "\n", PromisesTable(), "\n", Wrapped(kAsPrinted), "\n", PrintedTable(studies), "\n",
      Wrapped(kInFavour), "\n", Wrapped(kOurs), "\n## The data\n\n", JoinDataTable(studies), "\n");
  if (!facts.with_folder) {
    absl::StrAppend(&out,
                    Wrapped("Adult is left out: this page was made without a data folder "
                            "(`./dev results --pages joins --data DIR`)."),
                    "\n");
  }
  absl::StrAppend(
      &out,
      Wrapped(absl::StrFormat(kJoinMeasured, facts.trials, kJoinQueries, Grouped(50000),
                              Grouped(agreement.cells), agreement.low, agreement.high, kJoinFolder,
                              kJoinFolder)),
      "\n## Where the paper's claims hold\n\n",
      Wrapped("The claims of its section 4, all of way A, of its four methods HIO-JOIN, "
              "HIO-JOIN-RDC, LPRR-JOIN-T and -E: in how many cells they hold, and the "
              "ratios that are compared: of neighbours along an axis, or of the worse "
              "to the better."),
      "\n", ClaimsSection(studies), "\n### In short\n\n");
  for (const std::string& text : JoinFindings(studies)) {
    out += Wrapped(absl::StrCat("- ", text), "  ");
  }
  out += "\n";
  for (const JoinStudy& study : studies) {
    absl::StrAppend(&out, "## ", study.data.title, "\n\n", Wrapped(study.data.about), "\n",
                    WayOf(study, false, pages), WayOf(study, true, pages), CapsOf(study));
  }
  out.pop_back();  // the last blank line
  return pages;
}

}  // namespace tombola::lab
