#include "lab/page/claims.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "lab/page/markdown.h"

namespace tombola::lab {
namespace {

enum class What { kFrequency, kMean, kRelative };

constexpr double kAny = std::numeric_limits<double>::infinity();

// That the error of `over` is `low` to `high` times that of `under`, or if there is none of HISKV.
struct Claim {
  std::string text;
  std::string over;
  std::string under = {};
  What what = What::kFrequency;
  double low = 1, high = kAny;
  std::vector<std::string> data = {};  // none: all
  std::vector<double> epsilons = {};   // none: all
  std::vector<int64_t> tops = {};      // of kTops, for relative errors; none: all
};

bool Wanted(const std::vector<std::string>& data, const std::string& key) {
  return data.empty() || std::find(data.begin(), data.end(), key) != data.end();
}

template <typename T>
bool Wanted(const std::vector<T>& wanted, T value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

std::vector<double> ErrorsOf(const Claim& claim, const Errors& errors) {
  switch (claim.what) {
    case What::kFrequency:
      return {errors.frequency.value};
    case What::kMean:
      return {errors.every_mean.value};
    case What::kRelative:
      break;
  }
  std::vector<double> found;
  for (size_t i = 0; i < kTops.size(); ++i) {
    if (Wanted(claim.tops, kTops[i])) found.push_back(errors.relative[i].value);
  }
  return found;
}

// The other's error in terms of that of `ours`, in all cells that the claim is about.
std::vector<double> RatiosTo(absl::string_view ours, const Claim& claim,
                             absl::Span<const Study> studies) {
  const std::vector<double> epsilons = StudyEpsilons();
  std::vector<double> ratios;
  for (const Study& study : studies) {
    if (!Wanted(claim.data, study.data.key)) continue;
    for (size_t at = 0; at < epsilons.size(); ++at) {
      if (!Wanted(claim.epsilons, epsilons[at])) continue;
      const auto of = [&](absl::string_view name) {
        return ErrorsOf(claim, study.local.errors[study.local.Find(name)][at]);
      };
      const std::vector<double> over = of(claim.over), under = of(ours);
      for (size_t i = 0; i < over.size(); ++i) ratios.push_back(over[i] / under[i]);
    }
  }
  return ratios;
}

Judged Judge(const Claim& claim, absl::Span<const Study> studies) {
  const auto verdict = [&](absl::Span<const double> ratios) {
    const auto good = std::count_if(ratios.begin(), ratios.end(), [&](double ratio) {
      return ratio >= claim.low && ratio <= claim.high;
    });
    return Verdict(good, static_cast<int64_t>(ratios.size()));
  };
  if (!claim.under.empty()) {
    const std::vector<double> ratios = RatiosTo(claim.under, claim, studies);
    return {claim.text, verdict(ratios), Span(ratios), "–", "–"};
  }
  const std::vector<double> hiskv = RatiosTo("hiskv", claim, studies);
  const std::vector<double> told = RatiosTo("lrr_kv", claim, studies);
  return {claim.text, verdict(hiskv), Span(hiskv), verdict(told), Span(told)};
}

struct Rival {
  absl::string_view name;
  absl::string_view title;
};
constexpr Rival kRivals[] = {
    {"priv_kv", "PrivKV"},
    {"ldpkv", "LDPKV and KVUE"},
    {"kvoh", "KVOH"},
    {"rappor_harmony", "RAPPOR and Harmony"},
    {"pckv_grr_pair", "PCKV-GRR with the pair budget"},
    {"pckv_grr", "PCKV-GRR with its own budget"},
};

// "About x times as accurate": within a factor 1.5.
Claim About(double times, absl::string_view text, std::string over, What what, std::string data,
            double epsilon) {
  return {.text = absl::StrCat(text, " (taken as: ", ShortNumber(times / 1.5), " to ",
                               ShortNumber(times * 1.5), ")"),
          .over = std::move(over),
          .what = what,
          .low = times / 1.5,
          .high = times * 1.5,
          .data = {std::move(data)},
          .epsilons = {epsilon}};
}

std::vector<Claim> Claims() {
  std::vector<Claim> claims;
  for (const Rival& rival : kRivals) {
    claims.push_back(
        {.text = absl::StrCat("HISKV's frequencies are better than those of ", rival.title),
         .over = std::string(rival.name)});
  }
  for (const Rival& rival : kRivals) {
    claims.push_back({.text = absl::StrCat("HISKV's means are better than those of ", rival.title),
                      .over = std::string(rival.name),
                      .what = What::kMean});
  }
  for (const Rival& rival : kRivals) {
    claims.push_back({.text = absl::StrCat(
                          "HISKV's relative errors of the top 10 to 50 keys are below those of ",
                          rival.title, ", ε ≤ 0.8"),
                      .over = std::string(rival.name),
                      .what = What::kRelative,
                      .epsilons = {0.1, 0.2, 0.4, 0.8}});
  }
  for (const Rival& rival : kRivals) {
    if (rival.name != "priv_kv" && rival.name != "kvoh" && rival.name != "rappor_harmony") continue;
    claims.push_back({.text = absl::StrCat("LDPKV's frequencies are better than those of ",
                                           rival.title, " on LNR and GAUSS"),
                      .over = std::string(rival.name),
                      .under = "ldpkv",
                      .data = {"gauss", "lnr"}});
  }
  const std::string talking = "talkingdata", jdata = "jdata";
  claims.push_back(About(4, "TalkingData, ε = 1.6: 4 times as accurate as PCKV-GRR, pair budget",
                         "pckv_grr_pair", What::kFrequency, talking, 1.6));
  claims.push_back(About(3, "TalkingData, ε = 1.6: 3 times as PrivKV", "priv_kv", What::kFrequency,
                         talking, 1.6));
  claims.push_back(
      About(3, "TalkingData, ε = 1.6: 3 times as KVOH", "kvoh", What::kFrequency, talking, 1.6));
  claims.push_back(About(2, "TalkingData, ε = 1.6: “nearly once” better than LDPKV", "ldpkv",
                         What::kFrequency, talking, 1.6));
  claims.push_back(About(2, "TalkingData, ε = 1.6: means “nearly once” better than LDPKV's",
                         "ldpkv", What::kMean, talking, 1.6));
  claims.push_back(About(6, "JData, ε = 1.6: 6 times as accurate as PCKV-GRR, pair budget",
                         "pckv_grr_pair", What::kFrequency, jdata, 1.6));
  claims.push_back(
      About(3, "JData, ε = 1.6: 3 times as PrivKV", "priv_kv", What::kFrequency, jdata, 1.6));
  claims.push_back(
      About(3, "JData, ε = 1.6: 3 times as KVOH", "kvoh", What::kFrequency, jdata, 1.6));
  claims.push_back(
      About(2, "JData, ε = 1.6: 2 times as LDPKV", "ldpkv", What::kFrequency, jdata, 1.6));
  claims.push_back(About(4, "JData, ε = 0.8: means 4 times as accurate as PrivKV's", "priv_kv",
                         What::kMean, jdata, 0.8));
  claims.push_back(About(3, "JData, ε = 0.8: means 3 times as PCKV-GRR's, pair budget",
                         "pckv_grr_pair", What::kMean, jdata, 0.8));
  claims.push_back(About(2, "JData, ε = 0.8: means 2 times as Harmony's", "rappor_harmony",
                         What::kMean, jdata, 0.8));
  claims.push_back(
      About(2, "JData, ε = 0.8: means 2 times as KVOH's", "kvoh", What::kMean, jdata, 0.8));
  Claim lnr = About(5, "LNR, ε = 0.2, top 40: relative error a fifth of PCKV-GRR's, pair budget",
                    "pckv_grr_pair", What::kRelative, "lnr", 0.2);
  lnr.tops = {40};
  claims.push_back(std::move(lnr));
  Claim gauss =
      About(6, "GAUSS, ε = 0.2, top 40: relative error a sixth of PCKV-GRR's, pair budget",
            "pckv_grr_pair", What::kRelative, "gauss", 0.2);
  gauss.tops = {40};
  claims.push_back(std::move(gauss));
  return claims;
}

// How many curves of the paper's methods fall with every step of epsilon; a step counts as a fall
// if it is no rise by over 4 standard errors.
Judged Falling(absl::Span<const Study> studies, std::string text, simulation::Mean Errors::*error) {
  int64_t good = 0, all = 0;
  for (const Study& study : studies) {
    for (const absl::string_view name :
         {"priv_kv", "ldpkv", "kvoh", "rappor_harmony", "pckv_grr_pair", "hiskv"}) {
      const std::vector<Errors>& curve = study.local.errors[study.local.Find(name)];
      bool falls = true;
      for (size_t at = 1; at < curve.size(); ++at) {
        const simulation::Mean &before = curve[at - 1].*error, &after = curve[at].*error;
        const double doubt = 4 * (before.standard_error + after.standard_error);
        if (after.value > before.value + doubt) falls = false;
      }
      ++all;
      good += falls ? 1 : 0;
    }
  }
  return {std::move(text), Verdict(good, all), "–", "–", "–"};
}

// That the relative error rises from the top 10 to the top 50 keys, of the paper's methods.
Judged Rising(absl::Span<const Study> studies) {
  int64_t good = 0, all = 0;
  for (const Study& study : studies) {
    for (const absl::string_view name : {"priv_kv", "ldpkv", "kvoh", "pckv_grr_pair", "hiskv"}) {
      for (const Errors& errors : study.local.errors[study.local.Find(name)]) {
        ++all;
        good += errors.relative.back().value > errors.relative.front().value ? 1 : 0;
      }
    }
  }
  return {"Relative errors rise from the top 10 to the top 50 keys", Verdict(good, all), "–", "–",
          "–"};
}

}  // namespace

std::string Verdict(int64_t good, int64_t all) {
  if (all == 0) return "not measured";
  if (good == all) return "holds";
  return good == 0 ? "does not hold" : absl::StrCat("in ", good, " of ", all);
}

std::vector<Judged> JudgeClaims(absl::Span<const Study> studies) {
  std::vector<Judged> judged = {
      Falling(studies, "Every error of a frequency falls as ε grows", &Errors::frequency),
      Falling(studies, "Every error of a mean falls as ε grows", &Errors::every_mean),
      Rising(studies)};
  for (const Claim& claim : Claims()) judged.push_back(Judge(claim, studies));
  return judged;
}

}  // namespace tombola::lab
