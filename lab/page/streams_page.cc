#include "lab/page/streams_page.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "cli/simulation/chart.h"
#include "common/stream/structure.h"
#include "lab/page/markdown.h"

namespace tombola::lab {
namespace {

constexpr absl::string_view kStreamFolder = "results-streams";

constexpr absl::string_view kStreamIntroduction =
    R"(A number grows over N periods, and after each its total up to then is published. This page puts the published
ways to do that beside Tombola's, by the variance of the totals: its mean and its maximum over all of them, for N from %s
to %s. It repeats the figures of the paper on the Fast Diagonal Matrix Optimisation Algorithm, FDA
([errata.md](errata.md), sections 21 to 23), in two worlds. With **somebody trusted** the numbers are known exactly and
ε = %g, or (ε, δ) = (%g, 10⁻⁶), is for neighbours that differ in one record of one period. **Shuffled**, totals are of a
histogram's cell, %s devices in each period all honest, the collector sees batches, and (%g, 10⁻⁶) is for neighbours that differ
in what one device says in one period. A device in several periods needs more of either: plain counts then lose less than
trees do. The page is made by `./dev results --pages streams` and not edited by hand; every number comes of
`tombola-lab streams`, from exact laws, so that nothing on it is by chance. The published methods are in `lab/` for this page
alone.)";

constexpr absl::string_view kStreamMethods =
    R"(*Every total anew*: each of N totals has 1/N of the budget. *Plain counts*: each period has noise of its own, a
total adds them up. The *binary tree* (Chan et al. 2011; Dwork et al. 2010) has noise on blocks of 2^k periods, the same part
of the budget on every level; a total adds at most one block of a level, which is what a *Fenwick tree* does too, so they are
one line. *FDA* is the Fenwick tree with the best parts of the budget. *Honaker* (2015) uses all blocks of the binary tree that
have ended, weighted from below. The *k-ary tree with subtraction* (Andersson et al. 2024) adds and subtracts blocks, some of which
end later than the total. The *square root* of the matrix of sums (Henzinger et al. 2023) and *BLT* (Dvijotham et al. 2024) correlate Gaussian
noise over time; parameters of BLT are a local optimum for the maximum. The *best structure* is Tombola's: of all ways to give each
period's end one block that ends there, that with the least mean, by a programme over blocks; up to N = %s. ‡ needs
exact numbers, and cannot be had of shuffled batches; the k-ary tree moreover needs numbers that do not depend on what was published.
For exact numbers Tombola has all of these but Honaker's and every total anew. Noise for ε is discrete Laplace, for (ε, δ) Gaussian.)";

constexpr absl::string_view kUnboundedMethods =
    R"(The *hybrid* (Chan et al. 2011) has one half of the budget for the totals at powers of two and the other for a binary tree
over each block between two of them; here a tree has one level less than was published, as many as its block needs. Tombola's
`--unbounded` has no totals of their own at the ends of blocks: an increment lies in one of the *blocks* of 1, 2, 4, … periods,
each with all of the budget, and what a block ends with is where the next one begins. So its last total counts as often as the next
block has periods, both in the choice of its structure and in the parts of the budget: otherwise the last node of a full Fenwick
tree would be as above. The mean of the hybrid is %s times as large with ε, and %s times with (ε, δ). Numbers may depend on what was
published, but for k-ary trees ‡.)";

constexpr absl::string_view kShuffledNoise =
    R"(A node of `correlated` with a share λ of ε has discrete Laplace noise of 0.45 ελ. One of `pure_dump` or `aue` with
a share w has the variance A₀/w + b₀, where A₀ is that of the central Gaussian mechanism and A₀ + b₀ the least of one batch. That is a
rule and no guarantee: so of every structure up to %d periods are composed, node by node, by the product accountant, and
all noise is raised until each meets δ: by a factor of %s for `pure_dump`, of %s for `aue`, whose noise is binomial. The
largest δ then is %s of the target. In brackets: messages of a device in a period, for a histogram of %d cells.)";

std::string Spread(const TotalSpread& spread) {
  if (std::isnan(spread.mean)) return "–";
  return absl::StrCat(ShortNumber(spread.mean), " / ", ShortNumber(spread.max));
}

std::string WorldTable(absl::Span<const int64_t> all, const StreamWorld& world) {
  std::vector<std::string> header = {"method"};
  for (const int64_t periods : all) header.push_back(absl::StrCat("N = ", Grouped(periods)));
  std::vector<std::vector<std::string>> rows;
  for (const StreamLine& line : world.lines) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(line.title);
    for (size_t at = 0; at < line.spreads.size(); ++at) {
      row.push_back(Spread(line.spreads[at]));
      if (!line.messages.empty() && std::isfinite(line.messages[at])) {
        absl::StrAppend(&row.back(), " (", ShortNumber(line.messages[at]), ")");
      }
    }
  }
  return TableOf(header, rows);
}

std::string WorldChart(const StreamStudy& study, const StreamWorld& world) {
  std::vector<simulation::Series> series;
  for (const StreamLine& line : world.lines) {
    simulation::Series& drawn = series.emplace_back();
    drawn.name = line.title;
    drawn.style = line.style;
    drawn.dashed = line.dashed;
    for (size_t at = 0; at < line.spreads.size(); ++at) {
      drawn.points.push_back({static_cast<double>(study.periods[at]), line.spreads[at].mean});
    }
  }
  return simulation::DrawChart(
      {.title = world.title, .x = "periods", .y = "mean variance of the totals", .log_x = true},
      series);
}

// Where both can be had: of one number of two lines.
using Part = double TotalSpread::*;
std::string RatioOf(const StreamLine& over, const StreamLine& under, Part part) {
  std::vector<double> ratios;
  for (size_t at = 0; at < over.spreads.size(); ++at) {
    const double ratio = over.spreads[at].*part / under.spreads[at].*part;
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  return Span(ratios);
}

// The numbers of periods of which something holds.
template <typename Holds>
std::string ListOf(const StreamStudy& study, const Holds& holds) {
  std::string text;
  for (size_t at = 0; at < study.periods.size(); ++at) {
    if (!holds(at)) continue;
    absl::StrAppend(&text, text.empty() ? "N = " : ", ", Grouped(study.periods[at]));
  }
  return text.empty() ? "no N" : text;
}

// Where a line has the least of a part in its world.
std::string WhereLeast(const StreamStudy& study, const StreamWorld& world, absl::string_view name,
                       Part part) {
  return ListOf(study, [&](size_t at) {
    const double own = world.Find(name).spreads[at].*part;
    return std::isfinite(own) &&
           std::all_of(world.lines.begin(), world.lines.end(),
                       [&](const StreamLine& line) { return !(line.spreads[at].*part < own); });
  });
}

// The last maximum in terms of the one before.
std::string LastJump(const StreamLine& line) {
  const size_t last = line.spreads.size() - 1;
  return ShortNumber(line.spreads[last].max / line.spreads[last - 1].max);
}

std::string RaisesOf(const StreamWorld& world) {
  std::vector<double> raises;
  for (const StreamLine& line : world.lines) {
    for (const double raise : line.raises) {
      if (std::isfinite(raise)) raises.push_back(raise);
    }
  }
  return Span(raises);
}

double WorstOf(absl::Span<const StreamWorld* const> worlds) {
  double worst = 0;
  for (const StreamWorld* world : worlds) {
    for (const StreamLine& line : world->lines) {
      for (const double found : line.worst)
        worst = std::isfinite(found) ? std::max(worst, found) : worst;
    }
  }
  return worst;
}

std::vector<std::string> StreamFindings(const StreamStudy& study) {
  const StreamWorld& pure = study.Find("pure");
  const StreamWorld& gaussian = study.Find("gaussian");
  const StreamWorld& correlated = study.Find("correlated");
  const StreamWorld& dump = study.Find("pure_dump");
  const Part mean = &TotalSpread::mean, most = &TotalSpread::max, share = &TotalSpread::share;
  return {
      absl::StrFormat(
          R"(**FDA is right for what it is given.** Its parts of the budget are the best for a Fenwick tree: on three
periods a convex solver finds %.6f where the recursion has %.6f, and tests compare them for more. It has %s of the
tree's mean with ε, %s with (ε, δ).)",
          study.example.solved, study.example.fda,
          RatioOf(pure.Find("fda"), pure.Find("fenwick"), mean),
          RatioOf(gaussian.Find("fda"), gaussian.Find("fenwick"), mean)),
      absl::StrFormat(
          R"(**The Fenwick tree is not the best structure.** With ε FDA's mean is %s times that of the best one, with (ε, δ)
%s times. Plain counts are better than FDA up to N = %d with ε and %d with (ε, δ), and are themselves the best structure up to N
= %d and %d.)",
          RatioOf(pure.Find("fda"), pure.Find("best"), mean),
          RatioOf(gaussian.Find("fda"), gaussian.Find("best"), mean), study.laplace.fda - 1,
          study.gaussian.fda - 1, study.laplace.best - 1, study.gaussian.best - 1),
      absl::StrFormat(
          R"(**It looks at the mean alone.** With (ε, δ) FDA's maximum is %s times that
of the best structure, which is chosen by the mean too, as far as that is searched. But the last node of %s periods, one more than a full tree, serves one
total and gets next to nothing: the maximum is %s times that of %s periods with ε, %s times with (ε, δ).)",
          RatioOf(gaussian.Find("fda"), gaussian.Find("best"), most), Grouped(study.periods.back()),
          LastJump(pure.Find("fda")), Grouped(*(study.periods.end() - 2)),
          LastJump(gaussian.Find("fda"))),
      absl::StrFormat(
          R"(**With exact numbers there is better than either.** The k-ary tree has the least mean with ε at %s, plain counts or the
best structure otherwise; the square root has %s of the best structure's mean with (ε, δ), BLT %s of the square root's maximum.)",
          WhereLeast(study, pure, "k_ary", mean),
          RatioOf(gaussian.Find("square_root"), gaussian.Find("best"), mean),
          RatioOf(gaussian.Find("blt"), gaussian.Find("square_root"), most)),
      absl::StrFormat(
          R"(**Shuffled, the best structure has the least mean.** FDA's is %s times as large with `correlated` and %s times with
`pure_dump`. `correlated` on its best structure has %s of the mean of `pure_dump` on its own, and less of it at %s.)",
          RatioOf(correlated.Find("fda"), correlated.Find("best"), mean),
          RatioOf(dump.Find("fda"), dump.Find("best"), mean),
          RatioOf(correlated.Find("best"), dump.Find("best"), mean),
          ListOf(study,
                 [&](size_t at) {
                   return correlated.Find("best").spreads[at].mean <
                          dump.Find("best").spreads[at].mean;
                 })),
      absl::StrFormat(
          R"(**For shares no tree is needed.** The variance of a share, a total over as many devices, averaged over the totals,
is on the best structure %s times that of plain counts with `correlated`, and %s times with `pure_dump`.)",
          RatioOf(correlated.Find("best"), correlated.Find("plain"), share),
          RatioOf(dump.Find("best"), dump.Find("plain"), share)),
  };
}

std::string ExampleSection(const StreamExample& example) {
  return absl::StrCat(
      "## The paper's example\n\n",
      Wrapped("Three periods at ε = 1 with Laplace noise: the sum of the variances of the three "
              "totals. The paper "
              "goes from the first row to the second; its (5.9) is such a sum, though it is called "
              "a mean."),
      "\n",
      TableOf({"", "sum of variances"},
              {{"Fenwick tree, half of the budget to each node", ShortNumber(example.fenwick)},
               {"the third node doubled", ShortNumber(example.doubled)},
               {"FDA", absl::StrFormat("%.4f", example.fda)},
               {"plain counts, the best structure", ShortNumber(example.best)}}),
      "\n");
}

std::string WorldSection(const StreamStudy& study, absl::string_view key, Pages& pages) {
  const StreamWorld& world = study.Find(key);
  const std::string file = absl::StrCat(world.key, ".svg");
  pages.files[file] = WorldChart(study, world);
  return absl::StrCat("![", world.title, ": mean variance of the totals against periods](",
                      kStreamFolder, "/", file, ")\n\n", WorldTable(study.periods, world), "\n");
}

// Nobody knows N.
std::string UnboundedSection(const StreamStudy& study) {
  std::string out = "## Somebody trusted, and nobody knows N\n\n";
  const StreamWorld& pure = study.unbounded.worlds[0];
  const StreamWorld& gaussian = study.unbounded.worlds[1];
  out += Wrapped(absl::StrFormat(
      kUnboundedMethods, RatioOf(pure.Find("hybrid"), pure.Find("doubling"), &TotalSpread::mean),
      RatioOf(gaussian.Find("hybrid"), gaussian.Find("doubling"), &TotalSpread::mean)));
  for (const StreamWorld& world : study.unbounded.worlds) {
    absl::StrAppend(&out, "\nMean / maximum with ", world.title, ":\n\n",
                    WorldTable(study.unbounded.periods, world));
  }
  out += "\n";
  return out;
}

void AppendCsv(absl::Span<const int64_t> periods, const StreamWorld& world, std::string& out) {
  const auto number = [](double value) {
    return std::isfinite(value) ? absl::StrFormat("%.8g", value) : "";
  };
  for (const StreamLine& line : world.lines) {
    for (size_t at = 0; at < line.spreads.size(); ++at) {
      if (std::isnan(line.spreads[at].mean)) continue;
      absl::StrAppend(&out, world.key, ",", line.name, ",", periods[at]);
      for (const double value :
           {line.spreads[at].mean, line.spreads[at].max, line.spreads[at].share}) {
        absl::StrAppend(&out, ",", number(value));
      }
      const bool stated = !line.messages.empty();
      absl::StrAppend(&out, ",", stated ? number(line.messages[at]) : "", ",",
                      stated ? number(line.raises[at]) : "", "\n");
    }
  }
}

std::string StreamCsv(const StreamStudy& study) {
  std::string out = "world,method,periods,mean,max,share,messages,raise\n";
  for (const StreamWorld& world : study.worlds) AppendCsv(study.periods, world, out);
  for (const StreamWorld& world : study.unbounded.worlds) {
    AppendCsv(study.unbounded.periods, world, out);
  }
  return out;
}

}  // namespace

Pages StreamPages(const StreamStudy& study) {
  Pages pages;
  pages.files["variances.csv"] = StreamCsv(study);
  const StreamTarget& target = study.target;
  const StreamWorld* const dummies[] = {&study.Find("pure_dump"), &study.Find("aue")};
  std::string& out = pages.markdown;
  out = absl::StrCat(
      "# Results: streams, the published methods and Tombola's\n\n",
      Wrapped(absl::StrFormat(kStreamIntroduction, Grouped(study.periods.front()),
                              Grouped(study.periods.back()), target.epsilon, target.epsilon,
                              Grouped(target.devices), target.epsilon)),
      "\n", Wrapped(absl::StrFormat(kStreamMethods, Grouped(stream::kMostSearchedPeriods))),
      "\n## In short\n\n");
  for (const std::string& finding : StreamFindings(study)) {
    out += Wrapped(absl::StrCat("- ", finding), "  ");
  }
  absl::StrAppend(
      &out, "\n", ExampleSection(study.example), "## Somebody trusted\n\n",
      Wrapped(
          absl::StrFormat("Mean / maximum of the totals' variances at ε = %g:", target.epsilon)),
      "\n", WorldSection(study, "pure", pages),
      Wrapped(absl::StrFormat("The same at (%g, 10⁻⁶):", target.epsilon)), "\n",
      WorldSection(study, "gaussian", pages), UnboundedSection(study), "## Shuffled\n\n",
      Wrapped(absl::StrFormat(kShuffledNoise, kComposedPeriods, RaisesOf(*dummies[0]),
                              RaisesOf(*dummies[1]), ShortNumber(WorstOf(dummies)), target.cells)),
      "\n");
  for (const absl::string_view key : {"correlated", "pure_dump", "aue"}) {
    absl::StrAppend(&out, "`", key, "`, mean / maximum:\n\n", WorldSection(study, key, pages));
  }
  absl::StrAppend(&out, Wrapped(absl::StrCat("All numbers are in [variances.csv](", kStreamFolder,
                                             "/variances.csv).")));
  return pages;
}

}  // namespace tombola::lab
