#include "cli/task/task_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/base/decimal.h"
#include "common/base/half_width.h"
#include "common/base/time_text.h"
#include "common/json/mechanism.h"
#include "common/json/totals.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/set.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"
#include "common/task/remarks.h"
#include "common/task/whole_life.h"

namespace tombola::cli {
namespace {

constexpr int kDigits = 4;

// How its intervals become batches; empty where it has none.
std::string IntervalsText(const Task& task, bool closed, absl::Time now) {
  const std::string interval = absl::FormatDuration(task.batch_policy().interval);
  if (task.batch_policy().interval == absl::ZeroDuration()) return "";
  if (!task.periods().has_value()) {
    return absl::StrCat(
        "intervals of ", interval,
        ", which merge: what is held at the end of one leaves if the target holds,\n"
        "          and waits for the next if not; there are no periods to ask for\n");
  }
  const Periods& periods = *task.periods();
  std::string text = absl::StrFormat("periods   %d of %s each", periods.count(), interval);
  const absl::Duration last = periods.Ends(periods.count()) - periods.Begins(periods.count());
  if (last < task.batch_policy().interval) {
    absl::StrAppend(&text, ", the last cut to ", absl::FormatDuration(last), " by the task's end");
  }
  if (absl::string_view(StateOf(task, closed, now)) == "open") {
    absl::StrAppend(&text, ", now in number ", periods.At(now));
  }
  absl::StrAppend(&text, "; a batch leaves ", absl::FormatDuration(periods.grace()),
                  " after the end of its period\n");
  return text;
}

// "(number), from 0 to 100, counted in bins".
std::string NumberText(const NumberCells& cells) {
  std::string text = absl::StrCat(
      "(number), from ", cells.bins.low(), " to ", cells.bins.high(),
      cells.levels.has_value()   ? ", dithered for means alone"
      : cells.tree.levels() == 1 ? ", counted in bins"
                                 : absl::StrCat(", counted in a tree of ", cells.tree.levels(),
                                                " levels with branching ", cells.tree.branching()));
  if (cells.missing()) absl::StrAppend(&text, "; a device may have none");
  return text;
}

// What a device holds at once, where that is no value or row.
std::string ItemsText(const Task& task) {
  const Kind& kind = task.kind().OfOneBatch();
  if (kind.name() == NumberKind::kName) {
    return absl::StrCat(" ", NumberText(static_cast<const NumberKind&>(kind).cells()));
  }
  const int64_t most = kind.tables()[0]->filling().held;
  if (kind.name() != Set::kName && kind.name() != KeyValueKind::kName) return "";
  std::string text = absl::StrCat(" (", kind.name(), "), of which a device holds up to ", most);
  if (kind.name() != KeyValueKind::kName) return text;
  const Levels& levels = static_cast<const KeyValueKind&>(kind).levels();
  absl::StrAppend(&text, ", with numbers from ", levels.low, " to ", levels.high, " at ",
                  levels.count, " levels");
  return text;
}

// Which of its periods are counted together.
std::string StreamText(const Task& task) {
  const mechanism::Nodes& nodes = *task.nodes();
  std::string text = absl::StrCat(ItemsText(task), " (stream), counted over time by the structure ",
                                  static_cast<const StreamKind&>(task.kind()).StructureName());
  if (nodes.Depth() == 1) return absl::StrCat(text, ": each period by itself");
  uint64_t longest = 1;
  for (uint64_t node = 1; node <= static_cast<uint64_t>(nodes.count()); ++node) {
    longest = std::max(longest, node - nodes.FirstPeriod(node) + 1);
  }
  return absl::StrCat(text, ":\n          a batch that ends with each period, over up to ", longest,
                      " periods; a submission is in up to ", nodes.Depth(), " of them");
}

// How long they are, how they are cut, and which are shown.
std::string StringsText(const StringsKind& kind) {
  const strings::Shape& shape = kind.shape();
  return absl::StrCat(
      " (strings) of up to ", shape.length(), ", ",
      shape.whole() ? "of which those of a list can be looked up"
                    : absl::StrCat("in ", shape.levels(), " levels of ", shape.step()),
      kind.spelling() == strings::Spelling::kFolded ? ", cases folded" : "",
      ";\n          those that at least ", kind.least_holders(), " devices hold are shown");
}

// What a device holds, where that is more than one value.
std::string KindText(const Task& task) {
  if (task.kind().name() == RecordsKind::kName) {
    const RecordCells& cells = static_cast<const RecordsKind&>(task.kind()).cells();
    std::string text =
        absl::StrCat(" (records), of which a device has up to ", cells.schema.max_records);
    for (const RecordsView& view : cells.views) {
      absl::StrAppend(&text, "\n          ", view.Describe(cells.schema));
    }
    return text;
  }
  if (task.kind().name() == StringsKind::kName) {
    return StringsText(static_cast<const StringsKind&>(task.kind()));
  }
  return task.nodes() != nullptr ? StreamText(task) : ItemsText(task);
}

// Where noise is spread over devices: what may be anything without harm to the others.
std::string SpareText(const Task& task, const v1::TaskInfo& info) {
  const mechanism::Scheme& scheme = *task.scheme();
  if (!scheme.parameters().honest.has_value() || scheme.max_reports_per_submission() == 1)
    return "";
  const int64_t planned = task.batch_policy().planned_submissions;
  return absl::StrFormat(
      "spare     %d submissions of a planned %s may be full of garbage, and the rest counts; of a "
      "smaller one fewer, of the smallest none beside the dishonest share\n",
      planned - static_cast<int64_t>(info.needed()), task.nodes() == nullptr ? "batch" : "period");
}

// Of each quantity that is published with noise.
std::string TotalsText(const v1::TaskInfo& info) {
  std::string text;
  for (const v1::TotalsInfo& of : info.totals()) {
    if (!of.trouble().empty()) {
      absl::StrAppend(&text, "! totals of ", tombola::NameOf(of.of()), ": ", of.trouble(), "\n");
      continue;
    }
    absl::StrAppendFormat(
        &text,
        "totals    %s, structure %s: epsilon %s, delta %s for a device%s; standard error %.4g\n",
        tombola::NameOf(of.of()), of.structure(), RoundedUp(of.epsilon(), kDigits),
        RoundedUp(of.delta(), kDigits),
        of.submissions_per_device() == 1
            ? std::string()
            : absl::StrCat(" with all of its submissions, epsilon ",
                           RoundedUp(of.submission_epsilon(), kDigits), " for one of them"),
        std::sqrt(of.mean_variance()));
  }
  return text;
}

const char* CellWord(const Task& task) {
  const Kind& kind = task.kind().OfOneBatch();
  if (kind.name() == StringsKind::kName) return "symbols";
  if (kind.name() != NumberKind::kName) return "values";
  return static_cast<const NumberKind&>(kind).cells().levels.has_value() ? "levels" : "bins";
}

// The first of its values' names.
std::string LabelsText(const Domain& domain) {
  constexpr size_t kShown = 12;
  const std::vector<std::string>& labels = domain.labels();
  if (labels.empty()) return "";
  const size_t shown = std::min(kShown, labels.size());
  return absl::StrCat("labels    ", absl::StrJoin(labels.begin(), labels.begin() + shown, ", "),
                      shown == labels.size()
                          ? ""
                          : absl::StrCat(", and ", labels.size() - shown, " more (--json has all)"),
                      "\n");
}

// The tasks before and after it.
std::string LineageText(const Task& task, const v1::TaskInfo& info) {
  std::string text;
  if (task.supersedes().has_value()) {
    absl::StrAppend(&text, "lineage   supersedes ", ToHex(*task.supersedes()), "\n");
  }
  if (!info.superseded_by().empty()) {
    absl::StrAppend(&text, "lineage   superseded by ", absl::BytesToHexString(info.superseded_by()),
                    "\n");
  }
  return text;
}

std::string RemarksText(const v1::TaskInfo& info) {
  std::string text;
  for (const std::string& remark : info.remarks()) absl::StrAppend(&text, "! ", remark, "\n");
  return text;
}

}  // namespace

std::string TaskText(const Task& task, const v1::TaskInfo& info, absl::Time now) {
  // They may take a while to compute, and the collector has said them.
  const accounting::EpsilonDelta total{info.total_epsilon(), info.total_delta()};
  const bool nodes = task.nodes() != nullptr;
  return absl::StrCat(
      absl::StrFormat(
          "task      %s\nname      %s (%s%s)\ndomain    %d %s%s\n"
          "mechanism %s, %s\n"
          "target    epsilon %s, delta %s for %s of at least %d%s\n"
          "total     %s%s\n"
          "error     of %s, 95 %% half-width: %.3g %% in a batch of the planned %d, %.3g %% in the "
          "smallest of %d\n"
          "batches   planned %d submissions%s; %d counted, %d %s, %d messages, %d rejected\n"
          "windows   retries are recognised for %s; devices seal by key lists of up to %s\n",
          ToHex(task.id()), task.name(), StateOf(task, info.closed(), now),
          info.archived() ? ", archived" : "", task.domain().size(), CellWord(task), KindText(task),
          task.scheme()->name(), DescribeParameters(*task.scheme()),
          RoundedUp(task.target().epsilon, kDigits), RoundedUp(task.target().delta, kDigits),
          nodes ? "one submission, in all batches that it is in," : "every batch", info.needed(),
          nodes ? " for each period" : "", WholeLifeText(total, MostSubmissions(task)),
          info.total_reason().empty() ? "" : absl::StrCat(":\n          ", info.total_reason()),
          ErrorIsOf(task), 100 * HalfWidth95(info.predicted_mse()),
          task.batch_policy().planned_submissions, 100 * HalfWidth95(info.smallest_batch_mse()),
          info.needed(), task.batch_policy().planned_submissions, nodes ? " a period" : "",
          info.counted_batches(), info.reports(),
          nodes ? "reports (a submission in each of its nodes)" : "reports", info.messages(),
          info.rejected(), absl::FormatDuration(task.batch_policy().retry_window),
          absl::FormatDuration(task.key_list_age())),
      absl::StrFormat("device    %s, from %s to %s\n",
                      task.submissions_per_device() == 1
                          ? "one submission"
                          : absl::StrCat("up to ", task.submissions_per_device(), " submissions"),
                      TimeText(task.not_before()), TimeText(task.not_after())),
      SpareText(task, info), IntervalsText(task, info.closed(), now), LabelsText(task.domain()),
      TotalsText(info), LineageText(task, info),
      info.warning().empty() ? "" : absl::StrCat("! ", info.warning(), "\n"), RemarksText(info));
}

}  // namespace tombola::cli
