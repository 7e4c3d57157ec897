#include "lab/page/numbers_page.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/simulation/chart.h"
#include "lab/experiment/study.h"
#include "lab/page/markdown.h"

namespace tombola::lab {
namespace {

constexpr absl::string_view kNumberFolder = "results-numbers";

constexpr absl::string_view kNumberIntroduction =
    R"(A device holds one number. Wanted are how many devices are in a range of bins, and the mean. This page puts
the published methods beside Tombola's, for %s devices and %s bins: local ones with ε for a device's report,
shuffled ones with (ε, 10⁻⁶) for what the collector sees, central ones with ε for neighbours that differ in one
device's number. It is made by `./dev results --pages numbers` and not edited by hand; every number comes of
`tombola-lab numbers` with seed %d. The published methods are in `lab/` for this page alone: no package ships
them.)";

constexpr absl::string_view kNumberMethods =
    R"(Boost (Hay et al. 2010): noise on a binary tree, least squares. Privelet (Xiao et al. 2011): noise on
wavelet coefficients by their weights. NoiseFirst (Xu et al. 2013): noise on bins, then runs take their mean
where that seems better; it depends on the data, and %d runs are averaged on a bell and on eight steps. Duchi
et al. 2013, which for one number is Harmony (Nguyen et al. 2016): one of two reports. The piecewise and the
hybrid mechanism: Wang et al. 2019. DDPS (Cheu, Smith, Ullman, Zeber, Zhilyaev 2019) rounds the number to a bit,
or to one of several levels that bits say in unary, and replaces each bit by a coin now and then; all bits are
shuffled together. The real sum (Balle et al. 2019) rounds the number to one of several levels and says it by
randomised response, by the exact privacy blanket, so with less noise than the paper has. CESS (Balle et al. 2020)
adds shares of discrete Laplace noise and splits the sum of both into messages that add up to it. `pure_dump` on a tree has every device's
node of every level, of four children a node, with the same noise on all of them, where a task divides it for some
percent less; on dithered levels the level that the number is rounded to. Variances are exact, but for those of NoiseFirst and of the local tree, whose nodes are taken for rare.)";

simulation::Series SeriesOf(const NumberLine& line) {
  simulation::Series series;
  series.name = line.title;
  series.style = line.style;
  series.dashed = line.dashed;
  const std::vector<double> epsilons = StudyEpsilons();
  for (size_t at = 0; at < epsilons.size(); ++at) {
    series.points.push_back({epsilons[at], line.deviations[at]});
  }
  return series;
}

std::string NumberChart(const std::vector<NumberLine>& lines, const std::string& title,
                        const std::string& what) {
  std::vector<simulation::Series> series;
  for (const NumberLine& line : lines) series.push_back(SeriesOf(line));
  return simulation::DrawChart({.title = title, .x = "epsilon", .y = what, .log_x = true}, series);
}

std::string NumberTable(const std::vector<NumberLine>& lines) {
  std::vector<std::string> header = {"method", "where"};
  for (const double epsilon : StudyEpsilons()) header.push_back(absl::StrFormat("ε = %g", epsilon));
  std::vector<std::vector<std::string>> rows;
  for (const NumberLine& line : lines) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {line.title, line.where};
    for (size_t at = 0; at < line.deviations.size(); ++at) {
      row.push_back(ShortNumber(line.deviations[at]));
      if (line.messages[at] > 1) {
        absl::StrAppend(&row.back(), " (", ShortNumber(line.messages[at]), ")");
      }
    }
  }
  return TableOf(header, rows);
}

constexpr absl::string_view kSumAccounting =
    R"(DDPS and CESS are in the lab only. *Published*: 64 ln(4/δ)/ε² expected coins for a bit, or n − ε n^{3/2}/√(432
ln(4/δ)) where ε is small; of r bits each has ε/√(8r ln(2/δ)) and δ/2r; ε is at most 1 there, and up to 64 bits are
tried. *Tight*: the law of how many of all bits are ones, with ε√n bits, where the bits of all others are alike, and
a fifth more in δ: in every small case that tests enumerate other bits hide a device less by no more than that, but it
is not proven for many devices. The noise of CESS is
that of its sum, so published and tight accounting are the same; its δ is (1 + e^ε) 2^{−σ} for shares of σ bits of
statistical security, 2 + (2σ + log₂ q)/(log₂ n − log₂ e) of them with q = 2n√n. We have not seen the text of
either paper: these formulas are given as they are quoted, and checked as far as tests can. Those of DDPS are never
below the tight law and their two branches meet; that of CESS gives the 12 messages for 32 bits, n = 10⁴ and σ = 40
that its authors' abstract states. There is no accountant here for what shares truly hide.)";

// Of the better of two, in terms of `under`.
std::string RatioOf(const NumberLine& a, const NumberLine& b, const NumberLine& under) {
  std::vector<double> ratios;
  for (size_t at = 0; at < under.deviations.size(); ++at) {
    ratios.push_back(std::min(a.deviations[at], b.deviations[at]) / under.deviations[at]);
  }
  return Span(ratios);
}

}  // namespace

Pages NumberPages(const NumberStudy& study, const PageFacts& facts) {
  Pages pages;
  pages.files["ranges.svg"] =
      NumberChart(study.ranges, "Ranges over bins", "standard deviation, devices");
  pages.files["means.svg"] = NumberChart(study.means, "The mean", "standard deviation");
  const NumberLine& tree = study.Range("tree");
  const NumberLine& levels = study.Mean("levels");
  const std::string text[] = {
      absl::StrFormat(
          R"(**Ranges.** Without a shuffler the tree has %s times the standard deviation of `pure_dump` on one. In terms
of that the better of Boost and Privelet, with somebody trusted and δ = 0, has %s times, and Tombola's `grr`, one message a
device, %s times.)",
          RatioOf(study.Range("local_tree"), study.Range("local_tree"), tree),
          RatioOf(study.Range("boost"), study.Range("privelet"), tree),
          RatioOf(study.Range("grr"), study.Range("grr"), tree)),
      absl::StrFormat(
          R"(**The mean.** The better of the piecewise and the hybrid mechanism has %s times the standard deviation of
dithered levels behind a shuffler, one shuffled message %s times.)",
          RatioOf(study.Mean("piecewise"), study.Mean("hybrid"), levels),
          RatioOf(study.Mean("real_sum"), study.Mean("binary_sum"), levels)),
      absl::StrFormat(
          R"(**Sums of several messages.** A sum and nothing else can be had for less: DDPS with ε√n bits and tight
accounting has %s times the standard deviation of dithered levels with %s messages of a device, CESS %s times with
%s, where the noise is that of somebody trusted. By its published theorems DDPS has %s times. Tombola has neither,
because dithered levels also say how numbers are spread and what one device can do is bounded there: a share of CESS that is
lost or made up changes the sum to anything.)",
          RatioOf(study.Mean("bit_sum"), study.Mean("bit_sum"), levels),
          Span(study.Mean("bit_sum").messages),
          RatioOf(study.Mean("share_sum"), study.Mean("share_sum"), levels),
          Span(study.Mean("share_sum").messages),
          RatioOf(study.Mean("bits_published"), study.Mean("bits_published"), levels)),
  };
  std::string& out = pages.markdown;
  out = absl::StrCat("# Results: numbers, the published methods and Tombola's\n\n",
                     Wrapped(absl::StrFormat(kNumberIntroduction, Grouped(study.users),
                                             Grouped(study.bins), facts.seed)),
                     "\n", Wrapped(absl::StrFormat(kNumberMethods, facts.trials)),
                     "\n## In short\n\n");
  for (const std::string& finding : text) out += Wrapped(absl::StrCat("- ", finding), "  ");
  absl::StrAppend(&out, "\n## Ranges\n\n![Ranges over bins, standard deviation against epsilon](",
                  kNumberFolder, "/ranges.svg)\n\n",
                  Wrapped("The root of the mean squared error over all ranges, in devices (and the "
                          "messages of a device, where there is more than one):"),
                  "\n", NumberTable(study.ranges),
                  "\n## The mean\n\n![The mean, standard deviation against epsilon](",
                  kNumberFolder, "/means.svg)\n\n",
                  Wrapped("The standard deviation of the mean of numbers in [−1, 1], normal around "
                          "0.2 with standard deviation 0.3 (and the messages of a device):"),
                  "\n", NumberTable(study.means), "\n", Wrapped(kSumAccounting));
  return pages;
}

}  // namespace tombola::lab
