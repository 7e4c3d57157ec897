#include "lab/page/set_page.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lab/page/markdown.h"
#include "lab/page/reading.h"
#include "lab/page/section.h"
#include "lab/sets/registry.h"

namespace tombola::lab {
namespace {

constexpr absl::string_view kSetFolder = "results-sets";

constexpr absl::string_view kSetIntroduction =
    R"(A device holds a set of items; wanted is, for each item, the share of devices that hold it. This page
compares the published methods with Tombola's, in two ways: **A**, without a shuffler, every method with the
same local ε; **B**, with one, every method with the same (ε, δ) of what the collector sees. It is made by
`./dev results%s` and not edited by hand; every number is measured by `tombola-lab sets` with seed %d. The
published methods are in `lab/` for this page alone: no package ships them.)";

constexpr absl::string_view kMethods =
    R"(All are as private as they state. PS is padding and sampling: a device takes one of l places, of which
its items fill the first, and reports that item, or a dummy, by a frequency oracle. Only randomised response
(GRR) gains by the sampling: its budget for the item may be ln(1 + l(e^ε − 1)) where the set is to have ε.)";

constexpr absl::string_view kSetMeasured =
    R"(Every cell is the average of %d trials on the same devices. What devices pick is drawn device by device,
what they report is drawn as counts. Over %s cells the simulated squared error is %.3f to %.3f times the
predicted one; the largest standard error of a cell is %.1f %% of its value. All numbers are in
[measurements.csv](%s/measurements.csv).)";

constexpr absl::string_view kSetItems =
    R"(Without a shuffler l is what 90 % of devices do not exceed. With one, every method has the l, of those
that 50, 90, 99, 99.9 and 100 % of devices do not exceed, with which it predicts the least error, and every
published method the largest budget with which it truly meets (ε, 10⁻⁶): by the privacy blanket where its
reports have one, else by what holds for every randomiser (clones). A sampled item that is hashed (PS-OLH)
has no blanket: the bound that divides the range by l is unsound for it (`lab/shuffled/hashed_sets_test.cc`).)";

constexpr absl::string_view kSetCosts =
    R"(Root mean squared errors at ε = %g, δ = 10⁻⁶, and the part of them that is the bias of what is cut off.)";

constexpr absl::string_view kHistograms =
    R"(A set of one item is a value of a histogram. %s devices over %s values by Zipf(1.1), as in
[results.md](results.md): the published oracles GRR, OUE and OLH with ε as their local budget and no
shuffler, and Tombola's mechanisms with (ε, 10⁻⁶) behind one. Mean squared error of frequencies:)";

constexpr absl::string_view kPublishedSets[] = {"asked_bit", "padded_oue", "padded_olh",
                                                "padded_set_grr", "collision"};

std::string MethodsTable() {
  std::vector<std::vector<std::string>> rows;
  for (const SetEntry& entry : SetMethods()) {
    const SetMethod made = entry.make({.keys = 1000, .items = 6, .epsilon = 1, .levels = 1});
    rows.push_back({std::string(entry.title), std::string(entry.source), "1",
                    absl::StrFormat("%.4f", made.law.epsilon)});
  }
  return TableOf({"method", "published by", "stated ε", "true ε"}, rows);
}

std::vector<std::string> SetFindings(absl::Span<const Study> studies,
                                     const HistogramStudy& histograms) {
  std::vector<const Comparison*> local, shuffled;
  for (const Study& study : studies) {
    local.push_back(&study.local);
    shuffled.push_back(&study.shuffled);
  }
  const std::vector<const Comparison*> one = {&histograms.comparison};
  return {
      absl::StrFormat(
          R"(**The best published method without a shuffler.** Over all items: %s cells. Over the 50 most
held: %s.)",
          Tally(local, kPublishedSets, FrequencyError), Tally(local, kPublishedSets, TopError)),
      absl::StrFormat(
          R"(**With a shuffler a device can send its whole set.** At the same (ε, 10⁻⁶) the best published
method has %s times the squared error of `pure_dump` with all l cells over the 50 most held items, and %s
times over all: rare items gain little, because for those the noise of both is the same.)",
          Span(Ratios(shuffled, kPublishedSets, "shared_noise", TopError)),
          Span(Ratios(shuffled, kPublishedSets, "shared_noise", FrequencyError))),
      absl::StrFormat(
          R"(**It is central accuracy.** `pure_dump` with all l cells has %s times the squared error of the
central Gaussian mechanism over all items.)",
          Span(Ratios(shuffled, {"shared_noise"}, "gaussian", FrequencyError))),
      R"(**Large domains cost messages.** Noise is on every cell; where devices are few for so many items,
the table of costs says how many messages a device sends, and `pure_dump` with one of l cells, or padding and
sampling with `grr`, is the way out.)",
      absl::StrFormat(
          R"(**For histograms a shuffler divides the squared error of the best oracle** by %s with `grr`, one
message a device, and by %s with `pure_dump`.)",
          Span(Ratios(one, {"grr", "oue", "olh"}, "shuffled_grr", FrequencyError)),
          Span(Ratios(one, {"grr", "oue", "olh"}, "shuffled_pure_dump", FrequencyError))),
  };
}

std::string HistogramSection(const HistogramStudy& study, Pages& pages) {
  const std::string title = "One value a device, Zipf(1.1)";
  pages.files["histogram.svg"] =
      ChartOf(study.comparison, StudyEpsilons(), title, "mean squared error", FrequencyError);
  return absl::StrCat(
      "## One item each: histograms\n\n",
      Wrapped(absl::StrFormat(kHistograms, Grouped(study.users), Grouped(study.domain))), "\n![",
      title, ", mean squared error against epsilon](", kSetFolder, "/histogram.svg)\n\n",
      ErrorTable(study.comparison, StudyEpsilons(), FrequencyError));
}

}  // namespace

Pages SetPages(absl::Span<const Study> studies, const HistogramStudy& histograms,
               const PageFacts& facts) {
  Pages pages;
  const Agreement agreement = AddMeasurements(studies, pages);
  std::string& out = pages.markdown;
  out = absl::StrCat("# Results: sets, the published methods and Tombola's\n\n",
                     Wrapped(absl::StrFormat(kSetIntroduction,
                                             facts.with_folder ? " --data DIR" : "", facts.seed)),
                     "\n", Wrapped(kMethods), "\n", MethodsTable(), "\n## The data\n\n",
                     DataTable(studies, /*means=*/false), "\n");
  if (!facts.with_folder) {
    absl::StrAppend(
        &out, Wrapped(R"(BMS WebView and Kosarak are left out: this page was made without a data
folder (`./dev results --data DIR`).)"),
        "\n");
  }
  absl::StrAppend(
      &out,
      Wrapped(absl::StrFormat(kSetMeasured, facts.trials, Grouped(agreement.cells), agreement.low,
                              agreement.high, 100 * agreement.spread, kSetFolder)),
      "\n", Wrapped(kSetItems), "\n## In short\n\n");
  for (const std::string& text : SetFindings(studies, histograms)) {
    out += Wrapped(absl::StrCat("- ", text), "  ");
  }
  absl::StrAppend(&out, "\n## How many items: what they cost with a shuffler\n\n",
                  Wrapped(absl::StrFormat(kSetCosts, kItemsEpsilon)), "\n", ItemsTable(studies),
                  "\n");
  const std::vector<Shown> shown = {
      {"all", "Mean squared error of frequencies, over all items", FrequencyError},
      {"top", "Mean squared error of frequencies, over the 50 most held items", TopError}};
  for (const Study& study : studies) out += SectionOf(study, shown, kSetFolder, pages);
  out += HistogramSection(histograms, pages);
  return pages;
}

}  // namespace tombola::lab
