#include "lab/page/key_value_page.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lab/page/key_value_summary.h"
#include "lab/page/markdown.h"
#include "lab/page/section.h"

namespace tombola::lab {
namespace {

constexpr absl::string_view kFolder = "results-key-value";

constexpr absl::string_view kTitle =
    "# Results: key-value pairs, the published methods and Tombola's\n\n";

constexpr absl::string_view kIntroduction =
    R"(A device holds some pairs of a key and a value in [−1, 1]. Wanted are, for each key, the share of
devices that hold it and the mean of its values. This page repeats the figures of the HISKV paper
([errata.md](errata.md), sections 7 to 13) with its rivals, in two ways: **A**, without a shuffler, every
method with the same local ε, as the paper does; **B**, with one, every method with the same (ε, δ) of what
the collector sees. It is made by `./dev results%s` and not edited by hand; every number is measured by
`tombola-lab key-value` with seed %d. The published methods are in `lab/` for this page alone: no package
ships them.)";

constexpr absl::string_view kPromises =
    R"(The least ε that a report truly has, for any two records, where the paper states 1, with %s keys; l is
the number of pairs to which a device is padded or cut. Tests enumerate it for small settings. PrivKV's
published mean is too near to 0 (`lab/key_value/priv_kv.h`); beside it stands the mended one. KVOH is a
reconstruction. HISKV is LRR_KV with an l that a tenth of the devices, the pilot, finds by OETL.)";

constexpr absl::string_view kMeasured =
    R"(Every cell is the average of %d trials on the same devices. What devices pick is drawn device by device,
what they report is drawn as counts. Over %s cells with a closed form the simulated squared error of
frequencies is %.3f to %.3f times the predicted one; the largest standard error of a cell is %.1f %% of its
value. Means are of the %d most held keys, clipped to [−1, 1]; relative errors are |f − f̂|/f, averaged over
the most held keys. All numbers are in [measurements.csv](%s/measurements.csv).)";

constexpr absl::string_view kItems =
    R"(Without a shuffler l is what 90 % of devices do not exceed, as the paper's rule has it; everybody but
HISKV is told it. With one, every method has the l, of those that 50, 90, 99, 99.9 and 100 % of devices do
not exceed, with which it predicts the least error of frequencies, and every published method the largest
budget with which it truly meets (ε, 10⁻⁶): by the privacy blanket where its reports have one, else by what
holds for every randomiser (clones). `pure_dump` with all l cells puts values into three levels.)";

constexpr absl::string_view kClaims =
    R"(The claims of its section 4, all of way A, over all data sets and ε unless they name one: in how many
cells they hold, and how many times HISKV's error the other's is. HISKV has to find its l, which goes wrong
(see below); beside it stands LRR_KV that is told the right one. Means are here those of all keys that anybody
holds, as in the paper. PCKV-GRR is judged twice: with the budget that the paper gives it, and with its own.
TalkingData and JData are stand-ins.)";

constexpr absl::string_view kLengths =
    R"(The 5, 50 and 95 %% quantiles of the l that is found, over %d pilots of a tenth of the devices, beside the
true one. OETL:)";

constexpr absl::string_view kBroken =
    R"(Where OETL finds 1, LRR_KV exceeds its budget, by less the more keys there are: in how many of the runs,
and what ε then truly is.)";

constexpr absl::string_view kCosts =
    R"(Root mean squared errors of frequencies at ε = %g, δ = 10⁻⁶, and the part of them that is the bias of
what is cut off. Shared noise grows as √l only, so that l can be large; who sends one of l pairs pays for l
with every popular key.)";

std::string Summary(absl::Span<const Study> studies) {
  std::string out = absl::StrCat("## Where the paper's claims hold\n\n", Wrapped(kClaims), "\n",
                                 ClaimsTable(studies), "\n### In short\n\n");
  for (const std::string& text : Findings(studies)) {
    out += Wrapped(absl::StrCat("- ", text), "  ");
  }
  absl::StrAppend(
      &out, "\n## How many pairs: OETL and threshold responses\n\n",
      Wrapped(absl::StrFormat(kLengths, kLengthRuns)), "\n", LengthTable(studies, &Study::oetl),
      "\nThreshold responses:\n\n", LengthTable(studies, &Study::threshold), "\n", Wrapped(kBroken),
      "\n", BrokenPromises(studies), "\n## How many pairs: what they cost with a shuffler\n\n",
      Wrapped(absl::StrFormat(kCosts, kItemsEpsilon)), "\n", ItemsTable(studies), "\n");
  return out;
}

}  // namespace

Pages KeyValuePages(absl::Span<const Study> studies, const PageFacts& facts) {
  Pages pages;
  const Agreement agreement = AddMeasurements(studies, pages);
  std::string& out = pages.markdown;
  out = absl::StrCat(
      kTitle,
      Wrapped(absl::StrFormat(kIntroduction, facts.with_folder ? " --data DIR" : "", facts.seed)),
      "\n## What the published methods promise, and what they keep\n\n",
      Wrapped(absl::StrFormat(kPromises, Grouped(studies.front().keys))), "\n",
      SourcesTable(studies.front()), "\n## The data\n\n", DataTable(studies, /*means=*/true), "\n");
  if (!facts.with_folder) {
    absl::StrAppend(&out,
                    Wrapped(R"(The clothing data are left out: this page was made without a data
folder (`./dev results --data DIR`).)"),
                    "\n");
  }
  absl::StrAppend(
      &out,
      Wrapped(absl::StrFormat(kMeasured, facts.trials, Grouped(agreement.cells), agreement.low,
                              agreement.high, 100 * agreement.spread, kTopMeans, kFolder)),
      "\n", Wrapped(kItems), "\n", Summary(studies));
  const std::vector<Shown> shown = {
      {"frequency", "Mean squared error of frequencies", FrequencyError},
      {"mean", "Mean squared error of the means of the 50 most held keys", MeanError}};
  for (const Study& study : studies) out += SectionOf(study, shown, kFolder, pages);
  out.pop_back();  // the last blank line
  return pages;
}

}  // namespace tombola::lab
