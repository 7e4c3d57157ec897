#include "lab/page/key_value_summary.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lab/key_value/lrr_kv.h"
#include "lab/key_value/registry.h"
#include "lab/page/claims.h"
#include "lab/page/markdown.h"
#include "lab/page/reading.h"

namespace tombola::lab {
namespace {

// What keeps its promise and can be had.
constexpr absl::string_view kPrivate[] = {
    "priv_kv_unbiased", "ldpkv", "kvoh", "rappor_harmony", "pckv_grr", "pckv_ue", "collision"};

std::vector<const Comparison*> Of(absl::Span<const Study> studies, Comparison Study::*way) {
  std::vector<const Comparison*> comparisons;
  for (const Study& study : studies) comparisons.push_back(&(study.*way));
  return comparisons;
}

// How many times the error of answering 0 HISKV's means have.
std::vector<double> HiskvOverZero(absl::Span<const Study> studies) {
  std::vector<double> ratios;
  for (const Study& study : studies) {
    for (const Errors& errors : study.local.errors[study.local.Find("hiskv")]) {
      ratios.push_back(errors.mean.value / study.zero_mean);
    }
  }
  return ratios;
}

}  // namespace

std::string SourcesTable(const Study& study) {
  std::vector<std::vector<std::string>> rows;
  for (const LocalEntry& entry : LocalMethods()) {
    const auto truth = [&](int64_t items) {
      return entry.make({.keys = study.keys, .items = items, .epsilon = 1})->law().epsilon;
    };
    const double one = truth(1), many = truth(study.items);
    std::string verdict = "private";
    if (one > 1 + 1e-9) {
      verdict = "**not private** for l = 1, wasteful else";
    } else if (many < 1 - 1e-9) {
      verdict = "private, wasteful";
    }
    rows.push_back({std::string(entry.title), std::string(entry.source), "1",
                    absl::StrFormat("%.4f", one), absl::StrFormat("%.4f", many), verdict});
  }
  return TableOf({"method", "published by", "stated ε", "true ε, l = 1",
                  absl::StrCat("true ε, l = ", study.items), "verdict"},
                 rows);
}

std::string ClaimsTable(absl::Span<const Study> studies) {
  std::vector<std::vector<std::string>> rows;
  for (const Judged& judged : JudgeClaims(studies)) {
    rows.push_back(
        {judged.claim, judged.hiskv, judged.hiskv_ratio, judged.told, judged.told_ratio});
  }
  return TableOf({"claim", "HISKV", "ratio", "LRR_KV told l", "ratio"}, rows);
}

std::vector<std::string> Findings(absl::Span<const Study> studies) {
  const std::vector<const Comparison*> local = Of(studies, &Study::local),
                                       shuffled = Of(studies, &Study::shuffled);
  const auto frequency = [](absl::Span<const Comparison* const> way, absl::string_view over,
                            absl::string_view under) {
    return Span(Ratios(way, {over}, under, FrequencyError));
  };
  const auto mean = [](absl::Span<const Comparison* const> way, absl::string_view over,
                       absl::string_view under) {
    return Span(Ratios(way, {over}, under, MeanError));
  };
  const std::vector<double> zero = HiskvOverZero(studies);
  const auto above_zero = std::count_if(zero.begin(), zero.end(), [](double r) { return r > 1; });
  return {
      absl::StrFormat(
          R"(**HISKV's gain over PCKV-GRR is the rival's budget.** With the pair budget, as compared,
PCKV-GRR has %s times the squared error of frequencies of LRR_KV with the same l: a factor of 4, which
LRR_KV takes from the means. (Of HISKV, which has to find its l, %s times.) With the budget that its own
sampling leaves, PCKV-GRR has %s times HISKV's error.)",
          frequency(local, "pckv_grr_pair", "lrr_kv"), frequency(local, "pckv_grr_pair", "hiskv"),
          frequency(local, "pckv_grr", "hiskv")),
      absl::StrFormat(
          R"(**HISKV's means are no means.** Their squared error is above that of answering 0 for every
key in %d of %d cells (%s times). LDPKV's is %s times HISKV's.)",
          above_zero, zero.size(), Span(zero), mean(local, "ldpkv", "hiskv")),
      absl::StrFormat(
          R"(**The best published method without a shuffler.** Frequencies: %s cells. Means: %s.)",
          Tally(local, kPrivate, FrequencyError), Tally(local, kPrivate, MeanError)),
      absl::StrFormat(
          R"(**With a shuffler a device can send all its pairs.** At the same (ε, 10⁻⁶) the best of the
published methods, truly accounted for, has %s times the squared error of frequencies of `pure_dump` with
all l cells, and %s times that of means. Who sends one of l pairs pays f(l − 1)/n in variance for it, so
the gain is large where keys are popular, and there is none where all are rare.)",
          Span(Ratios(shuffled, kPrivate, "shared_noise", FrequencyError)),
          Span(Ratios(shuffled, kPrivate, "shared_noise", MeanError))),
      absl::StrFormat(
          R"(**It is nearly central.** `pure_dump` with all l cells has %s times the squared error of
frequencies of the central Gaussian mechanism, which does with two cells a key where `pure_dump` has three
levels, and %s times that of central Laplace. Of means it has %s times the Gaussian's, most where noise is
least and what is left is the rounding to levels.)",
          frequency(shuffled, "shared_noise", "gaussian"),
          frequency(shuffled, "shared_noise", "laplace"),
          mean(shuffled, "shared_noise", "gaussian")),
      R"(**What it leaves.** If shuffler and collector collude, shared noise leaves nothing; padding and
sampling with `grr` leaves the local ε of the tables of costs. `pure_dump` with one of l cells is for
domains so large that noise on every cell would be too many messages.)",
  };
}

std::string LengthTable(absl::Span<const Study> studies, std::vector<LengthRuns> Study::*rule) {
  std::vector<std::string> header = {"data", "true"};
  for (const double epsilon : StudyEpsilons()) header.push_back(absl::StrFormat("ε = %g", epsilon));
  std::vector<std::vector<std::string>> rows;
  for (const Study& study : studies) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {study.data.title, absl::StrCat(study.items)};
    for (const LengthRuns& runs : study.*rule) {
      row.push_back(absl::StrCat(runs.low, " / ", runs.median, " / ", runs.high));
    }
  }
  return TableOf(header, rows);
}

std::string BrokenPromises(absl::Span<const Study> studies) {
  const std::vector<double> epsilons = StudyEpsilons();
  std::vector<std::string> header = {"data"};
  for (const double epsilon : epsilons) header.push_back(absl::StrFormat("ε = %g", epsilon));
  std::vector<std::vector<std::string>> rows;
  for (const Study& study : studies) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(study.data.title);
    for (size_t at = 0; at < epsilons.size(); ++at) {
      const LrrKv one({.keys = study.keys, .items = 1, .epsilon = epsilons[at]});
      row.push_back(absl::StrFormat("%.3g %%: %.4f", 100 * study.oetl[at].ones, one.law().epsilon));
    }
  }
  return TableOf(header, rows);
}

}  // namespace tombola::lab
