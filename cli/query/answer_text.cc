#include "cli/query/answer_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "common/base/time_text.h"
#include "common/json/answer.h"
#include "common/task/whole_life.h"

namespace tombola::cli {
namespace {

constexpr int kRunsShown = 8;

// "period 3, from 2026-... to 2026-...", with those that are missing.
std::string DescribePeriods(const v1::Periods& periods) {
  std::string out = periods.first() == periods.last()
                        ? absl::StrCat("period ", periods.first())
                        : absl::StrCat("periods ", periods.first(), " to ", periods.last());
  absl::StrAppend(&out, ", from ", TimeText(absl::FromUnixSeconds(periods.begins())), " to ",
                  TimeText(absl::FromUnixSeconds(periods.ends())));
  if (periods.missing() == 0) return out;
  absl::StrAppend(&out, ": ", periods.counted(), " counted, ", periods.missing(), " missing (");
  const int shown = std::min(kRunsShown, periods.missing_runs_size());
  for (int i = 0; i < shown; ++i) {
    const v1::PeriodRun& run = periods.missing_runs(i);
    absl::StrAppend(&out, i == 0 ? "" : ", ", run.first());
    if (run.last() != run.first()) absl::StrAppend(&out, " to ", run.last());
  }
  return absl::StrCat(out, shown < periods.missing_runs_size() ? ", ..." : "", ")");
}

// What the guarantee is for.
std::string Covered(const v1::Answer& answer) {
  const absl::string_view when = !answer.has_periods() ? ""
                                 : answer.periods().first() == answer.periods().last()
                                     ? " in this period"
                                     : " in these periods";
  return absl::StrCat(OverSubmissions(answer.guarantee().submissions_per_device()), when);
}

// Why nothing is left where so many reports are the observer's own, if it is so.
std::string WhyNothing(const v1::Guarantee& g) {
  const bool nothing = std::isinf(g.epsilon_foreign_10()) || std::isinf(g.epsilon_foreign_50());
  if (!nothing || g.accounted_users() == 0) return "";
  return "    (nothing: the noise is what honest devices add up to, and no guarantee is stated for "
         "so "
         "many fewer of them\n    than it is sized for; a larger --dishonest sizes it for fewer)\n";
}

// What is left if the shuffler colludes: it knows of submissions that no counted batch has, too.
std::string LeftIfColluding(const v1::Answer& answer) {
  const v1::Guarantee& g = answer.guarantee();
  if (!g.has_local_epsilon()) return "nothing is guaranteed";
  return absl::StrCat(
      PairText({g.local_epsilon(), 0}),
      answer.has_periods() ? ", over all that a device may have made in that time" : "");
}

// What a device's whole life in the task may cost it, whatever this answer is about.
std::string TotalText(const v1::Guarantee& g) {
  return WholeLifeText({g.total_epsilon(), g.total_delta()}, g.total_submissions());
}

}  // namespace

std::string DescribeGuarantee(const v1::Answer& answer) {
  const v1::Guarantee& g = answer.guarantee();
  std::string out =
      absl::StrFormat("%d reports in %d batch%s, %d rejected\n", answer.reports(), g.batches(),
                      g.batches() == 1 ? "" : "es", Total(answer.rejected()));
  if (answer.has_periods()) absl::StrAppend(&out, "  ", DescribePeriods(answer.periods()), "\n");
  if (answer.messages() != answer.reports()) {
    absl::StrAppendFormat(
        &out, "  in %d messages%s\n", answer.messages(),
        answer.fakes() == 0 ? std::string()
                            : absl::StrFormat(", of which the shuffler added %d", answer.fakes()));
  }
  const auto pair = [](double epsilon, double delta) { return PairText({epsilon, delta}); };
  absl::StrAppendFormat(
      &out,
      "guarantee: %s (accountant: %s, %d users in the smallest batch)\n  %s, as all below%s\n",
      pair(g.epsilon(), g.delta()), g.method(), g.users(), Covered(answer),
      g.submissions_per_device() == 1
          ? std::string()
          : absl::StrCat("; one alone: ", pair(g.batch_epsilon(), g.batch_delta())));
  if (!g.reason().empty()) absl::StrAppend(&out, "  ", g.reason(), "\n");
  if (g.accounted_users() > 0) {
    absl::StrAppendFormat(&out, "  with the noise that %d honest devices add up to\n",
                          g.accounted_users());
  }
  if (g.dishonest_share() > 0) {
    absl::StrAppendFormat(&out, "  with %.4g %% of the reports already taken for the observer's\n",
                          100 * g.dishonest_share());
  }
  absl::StrAppendFormat(&out,
                        "  if 10 %% of the reports are the observer's own: %s; if 50 %%: %s\n",
                        pair(g.epsilon_foreign_10(), g.delta_foreign_10()),
                        pair(g.epsilon_foreign_50(), g.delta_foreign_50()));
  absl::StrAppend(&out, WhyNothing(g));
  absl::StrAppend(&out, "  if the shuffler colludes: ", LeftIfColluding(answer), "\n");
  absl::StrAppend(&out, "total: ", TotalText(g), "\n");
  if (!g.warning().empty()) absl::StrAppend(&out, "! ", g.warning(), "\n");
  return out;
}

std::string DescribeLineage(const v1::Answer& answer) {
  const v1::Caption& caption = answer.caption();
  std::string out;
  if (!caption.supersedes().empty()) {
    absl::StrAppend(&out, "lineage: supersedes task ", absl::BytesToHexString(caption.supersedes()),
                    "\n");
  }
  if (!caption.superseded_by().empty()) {
    absl::StrAppend(&out, "lineage: superseded by task ",
                    absl::BytesToHexString(caption.superseded_by()), "\n");
  }
  return out;
}

std::string DescribeQuality(const v1::Answer& answer) {
  const v1::Quality& q = answer.quality();
  const v1::Rejected& rejected = answer.rejected();
  std::string out = absl::StrFormat(
      "quality: rejected %d unopened, %d malformed, %d out of range; %d duplicates\n",
      rejected.unopened(), rejected.malformed(), rejected.out_of_range(), q.duplicates());
  absl::StrAppendFormat(&out,
                        "  one dishonest report moves a bin by %.3g %% at most, before "
                        "post-processing\n",
                        100 * q.shift_per_dishonest());
  if (q.dishonest() > 0) {
    absl::StrAppendFormat(&out, "  the %d that the task allows for: by %.3g %%\n", q.dishonest(),
                          100 * q.shift_at_dishonest_share());
  }
  for (const v1::QualityWarning& warning : q.warnings()) {
    absl::StrAppend(&out, "  WARNING (", warning.kind(), "): ", warning.text(), "\n");
  }
  return out;
}

std::vector<std::string> EnvelopeNotes(const v1::Answer& answer) {
  std::vector<std::string> notes;
  if (answer.caption().as_of() != 0) {
    notes.push_back(absl::StrCat("Task ", absl::BytesToHexString(answer.task_id()), ", as of ",
                                 AsOfText(answer.caption())));
  }
  if (answer.has_periods()) {
    std::string periods = DescribePeriods(answer.periods());
    periods.front() = absl::ascii_toupper(static_cast<unsigned char>(periods.front()));
    notes.push_back(std::move(periods));
  }
  const v1::Guarantee& g = answer.guarantee();
  notes.push_back(absl::StrFormat("Guarantee %s: %s (%s; %d users in the smallest batch)",
                                  Covered(answer), PairText({g.epsilon(), g.delta()}), g.method(),
                                  g.users()));
  notes.push_back(absl::StrCat("If the shuffler colludes: ", LeftIfColluding(answer)));
  notes.push_back(absl::StrCat("Total: ", TotalText(g)));
  if (!g.warning().empty()) notes.push_back(absl::StrCat("Warning: ", g.warning()));
  for (const v1::QualityWarning& warning : answer.quality().warnings()) {
    notes.push_back(absl::StrCat("Warning (", warning.kind(), "): ", warning.text()));
  }
  return notes;
}

}  // namespace tombola::cli
