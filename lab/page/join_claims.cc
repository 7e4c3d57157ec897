#include "lab/page/join_claims.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "lab/page/claims.h"
#include "lab/page/markdown.h"

namespace tombola::lab {
namespace {

constexpr absl::string_view kPublished[] = {"hio_join", "hio_join_rdc", "lprr_t", "lprr_e"};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Two measured numbers that should be the same are, within this factor.
constexpr double kSame = 1.02;

// From each point of an axis to the next: the ratio of a number of the paper's four methods.
std::vector<double> Steps(absl::Span<const JoinStudy> studies, size_t axis,
                          const JoinNumber& number) {
  std::vector<double> steps;
  for (const JoinStudy& study : studies) {
    for (const absl::string_view name : kPublished) {
      const JoinLine* const line = study.local[axis].Find(name);
      if (line == nullptr) continue;
      for (size_t at = 1; at < line->errors.size(); ++at) {
        const double step = number(line->errors[at]) / number(line->errors[at - 1]);
        if (std::isfinite(step)) steps.push_back(step);
      }
    }
  }
  return steps;
}

JudgedJoin JudgeRatios(std::string claim, const std::vector<double>& ratios, double low,
                       double high) {
  const auto good = std::count_if(ratios.begin(), ratios.end(),
                                  [&](double ratio) { return ratio >= low && ratio <= high; });
  return {std::move(claim), Verdict(good, static_cast<int64_t>(ratios.size())), Span(ratios)};
}

// At which point of the tau axis each of the four has the least of a number, as a tau.
std::vector<double> BestTaus(absl::Span<const JoinStudy> studies, const JoinNumber& number) {
  std::vector<double> best;
  for (const JoinStudy& study : studies) {
    for (const absl::string_view name : kPublished) {
      const JoinLine* const line = study.local[kTauAxis].Find(name);
      if (line == nullptr || std::isnan(number(line->errors.front()))) continue;
      const auto least =
          std::min_element(line->errors.begin(), line->errors.end(),
                           [&](const auto& a, const auto& b) { return number(a) < number(b); });
      best.push_back(static_cast<double>(least - line->errors.begin() + 1));
    }
  }
  return best;
}

// Of `over` on one data set in terms of `under` on another, over epsilon.
std::vector<double> BetweenData(absl::Span<const JoinStudy> studies, absl::string_view over,
                                absl::string_view under) {
  const JoinStudy *first = nullptr, *second = nullptr;
  for (const JoinStudy& study : studies) {
    if (study.data.key == over) first = &study;
    if (study.data.key == under) second = &study;
  }
  std::vector<double> ratios;
  if (first == nullptr || second == nullptr) return ratios;
  for (const absl::string_view name : kPublished) {
    const JoinLine* const a = first->local[kEpsilonAxis].Find(name);
    const JoinLine* const b = second->local[kEpsilonAxis].Find(name);
    if (a == nullptr || b == nullptr) continue;
    for (size_t at = 0; at < a->errors.size(); ++at) {
      ratios.push_back(CountNmse(a->errors[at]) / CountNmse(b->errors[at]));
    }
  }
  return ratios;
}

std::vector<double> OnlyAt(absl::Span<const JoinStudy> studies, absl::string_view data, size_t at,
                           absl::string_view over, absl::string_view under,
                           const JoinNumber& number) {
  for (const JoinStudy& study : studies) {
    if (study.data.key != data) continue;
    const JoinLine* const a = study.local[kEpsilonAxis].Find(over);
    const JoinLine* const b = study.local[kEpsilonAxis].Find(under);
    if (a == nullptr || b == nullptr) continue;
    return {number(a->errors[at]) / number(b->errors[at])};
  }
  return {};
}

double CountMre(const JoinErrors& errors) { return errors.count_mre.value; }

}  // namespace

std::vector<double> JoinRatios(absl::Span<const JoinStudy> studies,
                               std::vector<JoinComparison> JoinStudy::*way, size_t axis,
                               absl::string_view over, absl::string_view under,
                               const JoinNumber& number) {
  std::vector<double> ratios;
  for (const JoinStudy& study : studies) {
    const JoinLine* const a = (study.*way)[axis].Find(over);
    const JoinLine* const b = (study.*way)[axis].Find(under);
    if (a == nullptr || b == nullptr) continue;
    for (size_t at = 0; at < a->errors.size(); ++at) {
      const double ratio = number(a->errors[at]) / number(b->errors[at]);
      if (std::isfinite(ratio)) ratios.push_back(ratio);
    }
  }
  return ratios;
}

std::vector<JudgedJoin> JudgeJoinClaims(absl::Span<const JoinStudy> studies) {
  const auto local = [&](size_t axis, absl::string_view over, absl::string_view under,
                         const JoinNumber& number = CountNmse) {
    return JoinRatios(studies, &JoinStudy::local, axis, over, under, number);
  };
  std::vector<JudgedJoin> judged;
  const auto add = [&](std::string claim, const std::vector<double>& ratios, double low,
                       double high = kInfinity) {
    judged.push_back(JudgeRatios(std::move(claim), ratios, low, high));
  };
  add("COUNT: every method's NMSE falls as ε grows", Steps(studies, kEpsilonAxis, CountNmse), 0, 1);
  add("SUM: every method's NMSE falls as ε grows", Steps(studies, kEpsilonAxis, SumNmse), 0, 1);
  add("AVG: every method's MRE falls as ε grows", Steps(studies, kEpsilonAxis, AverageMre), 0, 1);
  struct Pair {
    absl::string_view over, under, text;
  };
  for (const Pair& pair : {Pair{"hio_join", "lprr_t", "LPRR-JOIN-T is better than HIO-JOIN"},
                           {"hio_join_rdc", "lprr_t", "LPRR-JOIN-T is better than HIO-JOIN-RDC"},
                           {"hio_join", "lprr_e", "LPRR-JOIN-E is better than HIO-JOIN"},
                           {"hio_join_rdc", "lprr_e", "LPRR-JOIN-E is better than HIO-JOIN-RDC"},
                           {"lprr_e", "lprr_t", "LPRR-JOIN-T is better than LPRR-JOIN-E"}}) {
    std::vector<double> ratios;
    for (const size_t axis : {kEpsilonAxis, kVolumeAxis, kRangesAxis, kTauAxis}) {
      const std::vector<double> of_axis = local(axis, pair.over, pair.under);
      ratios.insert(ratios.end(), of_axis.begin(), of_axis.end());
    }
    add(absl::StrCat("COUNT: ", pair.text), ratios, 1);
  }
  const auto about = [&](double times, std::string claim, const std::vector<double>& ratios) {
    add(absl::StrCat(claim, " (taken as: ", ShortNumber(times / 1.5), " to ",
                     ShortNumber(times * 1.5), ")"),
        ratios, times / 1.5, times * 1.5);
  };
  about(10, "SYN-2, ε = 1: COUNT's NMSE of HIO-JOIN is 10 times LPRR-JOIN-T's",
        OnlyAt(studies, "syn-2", 0, "hio_join", "lprr_t", CountNmse));
  about(5, "SYN-2, ε = 1: 5 times LPRR-JOIN-E's",
        OnlyAt(studies, "syn-2", 0, "hio_join", "lprr_e", CountNmse));
  about(12, "SYN-2, ε = 1: COUNT's MRE of HIO-JOIN is 12 times LPRR-JOIN-T's",
        OnlyAt(studies, "syn-2", 0, "hio_join", "lprr_t", CountMre));
  about(8, "SYN-2, ε = 1: 8 times LPRR-JOIN-E's",
        OnlyAt(studies, "syn-2", 0, "hio_join", "lprr_e", CountMre));
  add("HIO-JOIN-RDC is better than HIO-JOIN, over the volume",
      local(kVolumeAxis, "hio_join", "hio_join_rdc"), 1);
  add("COUNT: NMSE rises with the volume", Steps(studies, kVolumeAxis, CountNmse), 1);
  add("SUM: NMSE rises with the volume", Steps(studies, kVolumeAxis, SumNmse), 1);
  add("AVG: MRE falls with the volume", Steps(studies, kVolumeAxis, AverageMre), 0, 1);
  add("COUNT: NMSE rises with the number of ranges", Steps(studies, kRangesAxis, CountNmse), 1);
  add("SUM: NMSE rises with the number of ranges", Steps(studies, kRangesAxis, SumNmse), 1);
  add("AVG: MRE rises with the number of ranges", Steps(studies, kRangesAxis, AverageMre), 1);
  add("COUNT: SYN-1 is worse than SYN-2, over ε", BetweenData(studies, "syn-1", "syn-2"), 1);
  add(absl::StrCat("COUNT: SYN-2 and IPUMS-P are alike, over ε (taken as: within a factor 1.5)"),
      BetweenData(studies, "syn-2", "ipums"), 1 / 1.5, 1.5);
  add("COUNT: Adult is worse than SYN-1, over ε", BetweenData(studies, "adult", "syn-1"), 1);
  const auto best_tau = [&](std::string claim, const JoinNumber& number, double tau) {
    JudgedJoin row = JudgeRatios(std::move(claim), BestTaus(studies, number), tau, tau);
    row.found = absl::StrCat("best τ: ", row.found);
    judged.push_back(std::move(row));
  };
  best_tau("COUNT: of τ = 1 to 4 the best is 3", CountNmse, 3);
  best_tau("SUM: of τ = 1 to 4 the best is 3", SumNmse, 3);
  best_tau("AVG: of τ = 1 to 4 the best is 1", AverageMre, 1);
  judged.push_back({"SUM and AVG of LPRR-JOIN: as COUNT, in every panel", "cannot be computed",
                    "no report says anything of the measure"});
  // Not one of the figures', but the reason that is given for them.
  std::vector<double> same;
  for (const JoinStudy& study : studies) {
    const JoinLine* const line = study.local[kEpsilonAxis].Find("lprr_t");
    if (line == nullptr) continue;
    same.push_back(line->errors.front().predicted / line->errors.back().predicted);
  }
  add("LPRR-JOIN's error comes of ε (its expected NMSE at ε = 1 in terms of that at ε = 5)", same,
      kSame);
  return judged;
}

}  // namespace tombola::lab
