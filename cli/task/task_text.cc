#include "cli/task/task_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/base/decimal.h"
#include "common/base/half_width.h"
#include "common/base/time_text.h"
#include "common/json/mechanism.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/stream.h"
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

// Which of its periods are counted together.
std::string StreamText(const Task& task) {
  const mechanism::Nodes& nodes = *task.nodes();
  std::string text = absl::StrCat(" (stream), counted over time by the structure ",
                                  static_cast<const StreamKind&>(task.kind()).StructureName());
  if (nodes.Depth() == 1) return absl::StrCat(text, ": each period by itself");
  uint64_t longest = 1;
  for (uint64_t node = 1; node <= static_cast<uint64_t>(nodes.count()); ++node) {
    longest = std::max(longest, node - nodes.FirstPeriod(node) + 1);
  }
  return absl::StrCat(text, ":\n          a batch that ends with each period, over up to ", longest,
                      " periods; a submission is in up to ", nodes.Depth(), " of them");
}

// What a device holds, where that is more than one value.
std::string KindText(const Task& task) {
  if (task.kind().name() == NumberKind::kName) {
    return absl::StrCat(" ", NumberText(static_cast<const NumberKind&>(task.kind()).cells()));
  }
  if (task.kind().name() == RecordsKind::kName) {
    const RecordCells& cells = static_cast<const RecordsKind&>(task.kind()).cells();
    std::string text =
        absl::StrCat(" (records), of which a device has up to ", cells.schema.max_records);
    for (const RecordsView& view : cells.views) {
      absl::StrAppend(&text, "\n          ", view.Describe(cells.schema));
    }
    return text;
  }
  if (task.nodes() != nullptr) return StreamText(task);
  const auto most = task.scheme()->parameters().max_items;
  if (!most.has_value()) return "";
  std::string text =
      absl::StrCat(" (", task.kind().name(), "), of which a device holds up to ", *most);
  if (task.kind().name() != KeyValueKind::kName) return text;
  const Levels& levels = static_cast<const KeyValueKind&>(task.kind()).levels();
  absl::StrAppend(&text, ", with numbers from ", levels.low, " to ", levels.high, " at ",
                  levels.count, " levels");
  return text;
}

const char* CellWord(const Task& task) {
  if (task.kind().name() != NumberKind::kName) return "values";
  return static_cast<const NumberKind&>(task.kind()).cells().levels.has_value() ? "levels" : "bins";
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
  return absl::StrCat(
      absl::StrFormat(
          "task      %s\nname      %s (%s%s)\ndomain    %d %s%s\n"
          "mechanism %s, %s\n"
          "target    epsilon %s, delta %s for %s of at least %d%s\n"
          "total     %s%s\n"
          "error     of %s, 95 %% half-width: %.3g %% in a batch of the planned %d, %.3g %% in the "
          "smallest of %d\n"
          "batches   planned %d submissions; %d counted, %d reports, %d messages, %d rejected\n"
          "windows   retries are recognised for %s; devices seal by key lists of up to %s\n",
          ToHex(task.id()), task.name(), StateOf(task, info.closed(), now),
          info.archived() ? ", archived" : "", task.domain().size(), CellWord(task), KindText(task),
          task.scheme()->name(), DescribeParameters(*task.scheme()),
          RoundedUp(task.target().epsilon, kDigits), RoundedUp(task.target().delta, kDigits),
          task.nodes() == nullptr ? "every batch" : "one submission, in all batches that it is in,",
          info.needed(), task.nodes() == nullptr ? "" : " for each period",
          WholeLifeText(total, MostSubmissions(task)),
          info.total_reason().empty() ? "" : absl::StrCat(":\n          ", info.total_reason()),
          ErrorIsOf(task), 100 * HalfWidth95(info.predicted_mse()),
          task.batch_policy().planned_submissions, 100 * HalfWidth95(info.smallest_batch_mse()),
          info.needed(), task.batch_policy().planned_submissions, info.counted_batches(),
          info.reports(), info.messages(), info.rejected(),
          absl::FormatDuration(task.batch_policy().retry_window),
          absl::FormatDuration(task.key_list_age())),
      absl::StrFormat("device    %s, from %s to %s\n",
                      task.submissions_per_device() == 1
                          ? "one submission"
                          : absl::StrCat("up to ", task.submissions_per_device(), " submissions"),
                      TimeText(task.not_before()), TimeText(task.not_after())),
      IntervalsText(task, info.closed(), now), LabelsText(task.domain()), LineageText(task, info),
      info.warning().empty() ? "" : absl::StrCat("! ", info.warning(), "\n"), RemarksText(info));
}

}  // namespace tombola::cli
