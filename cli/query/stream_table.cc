#include "cli/query/stream_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/terminal/text_cells.h"
#include "common/base/decimal.h"
#include "common/json/histogram.h"

namespace tombola::cli {
namespace {

constexpr size_t kMostValueCells = 24;
constexpr int kMostLines = 24;
constexpr int kLeastSpark = 8;
constexpr size_t kMostStrange = 8;

size_t NameCells(const v1::Histogram& shares) {
  size_t longest = 5;
  for (int row = 0; row < shares.values_size(); ++row) {
    longest = std::max(longest, Cells(NameOf(shares, row)));
  }
  return std::min(longest, kMostValueCells);
}

double Half(double low, double high) { return (high - low) / 2; }

// So many of all totals, evenly, the last among them.
std::vector<int> Spread(int totals, int shown) {
  std::vector<int> rows;
  const int count = std::min(totals, shown);
  for (int i = 1; i <= count; ++i) {
    rows.push_back(static_cast<int>(int64_t{totals} * i / count) - 1);
  }
  return rows;
}

// The share of one row in each of these totals; a gap where there is none.
std::string Spark(const v1::StreamTotals& totals, int row, const std::vector<int>& shown) {
  static constexpr std::array<absl::string_view, 8> kHeights = {"▁", "▂", "▃", "▄",
                                                                "▅", "▆", "▇", "█"};
  double most = 1e-12;
  for (const int i : shown) {
    const v1::StreamTotal& total = totals.totals(i);
    if (total.has_shares()) most = std::max(most, total.shares().frequencies(row));
  }
  std::string line;
  for (const int i : shown) {
    const v1::StreamTotal& total = totals.totals(i);
    if (!total.has_shares()) {
      line += ' ';
      continue;
    }
    const double height = std::clamp(total.shares().frequencies(row) / most, 0.0, 1.0);
    absl::StrAppend(&line, kHeights[static_cast<size_t>(std::lround(height * 7))]);
  }
  return line;
}

// Nothing of a key that too few devices hold.
std::string MeanText(const v1::StreamTotal& total, int row) {
  if (std::isnan(total.means(row))) return absl::StrFormat(" %12s %11s", "-", "-");
  return absl::StrFormat(" %12.5g %10.3g", total.means(row),
                         Half(total.mean_low(row), total.mean_high(row)));
}

std::string OneTotal(const v1::StreamTotal& total, const StreamTable& table) {
  const v1::Histogram& shares = total.shares();
  const size_t name = NameCells(shares);
  const std::string percent = absl::StrCat("±", PercentText(table.confidence, 4), "%");
  // A sign of two bytes takes one cell.
  const bool means = !total.means().empty();
  std::string out =
      absl::StrFormat("%s %9s %9s %12s %11s%s%s\n", Fit("value", name), "share", percent, "count",
                      percent, means ? absl::StrFormat(" %12s %11s", "mean", percent) : "",
                      table.truth.empty() ? "" : "     truth");
  for (int row = 0; row < shares.values_size(); ++row) {
    const double* const truth =
        table.truth.empty() ? nullptr : &table.truth[static_cast<size_t>(row)];
    const bool outside =
        truth != nullptr && (*truth < shares.low(row) || *truth > shares.high(row));
    absl::StrAppend(
        &out, Fit(NameOf(shares, row), name),
        absl::StrFormat(" %8.3f%% %8.3f %12.1f %10.1f", 100 * shares.frequencies(row),
                        100 * Half(shares.low(row), shares.high(row)), total.counts(row),
                        Half(total.count_low(row), total.count_high(row))),
        means ? MeanText(total, row) : "",
        truth == nullptr ? "" : absl::StrFormat(" %8.3f%%%s", 100 * *truth, outside ? " !" : ""),
        "\n");
  }
  return out;
}

std::string SeriesTable(const v1::StreamTotals& totals, const StreamTable& table) {
  const v1::StreamTotal& last = *totals.totals().rbegin();
  const v1::Histogram& shares = last.shares();
  const size_t name = NameCells(shares);
  const int left = table.columns - static_cast<int>(name) - 47;
  const std::vector<int> sparks = Spread(totals.totals_size(), std::max(left, kLeastSpark));
  const std::string percent = absl::StrCat("±", PercentText(table.confidence, 4), "%");
  std::string out = absl::StrFormat("%s %9s %9s %12s %11s  share over time\n", Fit("value", name),
                                    "share", percent, "count", percent);
  for (int row = 0; row < shares.values_size(); ++row) {
    absl::StrAppend(&out, Fit(NameOf(shares, row), name),
                    absl::StrFormat(" %8.3f%% %8.3f %12.1f %10.1f  ", 100 * shares.frequencies(row),
                                    100 * Half(shares.low(row), shares.high(row)), last.counts(row),
                                    Half(last.count_low(row), last.count_high(row))),
                    Spark(totals, row, sparks), "\n");
  }
  absl::StrAppend(&out, "\n", Fit("periods", 14), absl::StrFormat(" %12s", "submissions"),
                  "  missing\n");
  bool marked = false;
  for (const int i : ShownTotals(totals)) {
    const v1::StreamTotal& total = totals.totals(i);
    const bool strange = !total.strange().empty();
    marked = marked || strange;
    absl::StrAppend(&out, Fit(PeriodsText(total), 14),
                    absl::StrFormat(" %12d%s ", total.submissions(), strange ? "*" : " "),
                    total.missing().empty() ? "-" : RunsText(total.missing()), "\n");
  }
  absl::StrAppend(&out, ShownText(totals, marked));
  return out;
}

using Runs = google::protobuf::RepeatedPtrField<v1::PeriodRun>;

bool IsOne(const Runs& runs) { return runs.size() == 1 && runs[0].first() == runs[0].last(); }

std::string NamedRuns(const Runs& runs) {
  return absl::StrCat(IsOne(runs) ? "period " : "periods ", RunsText(runs));
}

absl::string_view Them(const Runs& runs) { return IsOne(runs) ? "it" : "them"; }

// At t: periods after this and up to t are covered by a node after t that is not void as far as is
// known.
std::vector<int64_t> Reach(const v1::StreamTotals& totals, const stream::Structure& structure) {
  const int64_t periods = structure.periods();
  std::vector<bool> is_void(static_cast<size_t>(periods) + 1);
  for (const uint64_t node : totals.void_nodes()) {
    if (node < is_void.size()) is_void[node] = true;
  }
  std::vector<int64_t> reach(is_void.size(), periods);
  for (int64_t node = periods; node >= 1; --node) {
    const auto at = static_cast<size_t>(node);
    reach[at - 1] = is_void[at] ? reach[at] : std::min(reach[at], structure.start(node));
  }
  return reach;
}

void Add(uint64_t period, Runs& runs) {
  if (runs.empty() || runs.rbegin()->last() + 1 != period) runs.Add()->set_first(period);
  runs.rbegin()->set_last(period);
}

// The missing periods of a total: those that are lost, and those that come back.
void Divide(const v1::StreamTotal& total, const std::vector<int64_t>& reach, Runs& lost,
            Runs& back) {
  const size_t last = std::min<size_t>(total.last(), reach.size() - 1);
  for (const v1::PeriodRun& run : total.missing()) {
    for (uint64_t period = run.first(); period <= std::min<uint64_t>(run.last(), last); ++period) {
      Add(period, static_cast<int64_t>(period) > reach[last] ? back : lost);
    }
  }
}

std::string NotTakenOff(const v1::StreamTotal& total) {
  if (total.strange().empty()) return "";
  return absl::StrCat("not taken off: ", NamedRuns(total.strange()),
                      ", which only one of the two totals has\n");
}

std::string NotTakenOffOfEach(const v1::StreamTotals& totals) {
  std::vector<std::string> each;
  int more = 0;
  for (const v1::StreamTotal& total : totals.totals()) {
    if (total.strange().empty()) continue;
    if (each.size() == kMostStrange) {
      ++more;
    } else {
      each.push_back(absl::StrCat(RunsText(total.strange()), " in period ", PeriodsText(total)));
    }
  }
  if (each.empty()) return "";
  return absl::StrCat("not taken off: ", absl::StrJoin(each, "; "),
                      more == 0 ? "" : absl::StrCat("; and in ", more, " more"), "\n");
}

}  // namespace

std::string PeriodsText(const v1::StreamTotal& total) {
  return total.first() == total.last() ? absl::StrCat(total.first())
                                       : absl::StrCat(total.first(), " to ", total.last());
}

std::vector<int> ShownTotals(const v1::StreamTotals& totals) {
  return Spread(totals.totals_size(), kMostLines);
}

std::string ShownText(const v1::StreamTotals& totals, bool marked) {
  std::string out;
  if (marked) out += "* has strange periods in it, earlier ones that could not be taken off\n";
  if (totals.totals_size() > kMostLines) {
    absl::StrAppend(&out, kMostLines, " of ", totals.totals_size(),
                    " totals: --format csv has all of them\n");
  }
  return out;
}

std::string RunsText(const google::protobuf::RepeatedPtrField<v1::PeriodRun>& runs) {
  return absl::StrJoin(runs, ", ", [](std::string* out, const v1::PeriodRun& run) {
    absl::StrAppend(out, run.first());
    if (run.last() > run.first()) absl::StrAppend(out, " to ", run.last());
  });
}

std::string DrawStream(const v1::StreamTotals& totals, const StreamTable& table) {
  if (totals.totals().empty()) return "";
  if (totals.totals_size() == 1) return OneTotal(totals.totals(0), table);
  return SeriesTable(totals, table);
}

std::string DescribeStream(const v1::StreamTotals& totals, const stream::Structure& structure) {
  if (totals.totals().empty()) return "";
  const v1::StreamTotal& last = *totals.totals().rbegin();
  std::string out =
      absl::StrCat(last.first() == last.last() ? "period " : "periods ", PeriodsText(last), ": ",
                   last.submissions(), " submissions; nodes: ", totals.counted(), "\n");
  const bool single = totals.totals(0).first() != last.first();
  const std::vector<int64_t> reach = Reach(totals, structure);
  Runs lost, back;
  for (int i = single ? 0 : totals.totals_size() - 1; i < totals.totals_size(); ++i) {
    Divide(totals.totals(i), reach, lost, back);
  }
  if (!lost.empty()) {
    absl::StrAppend(&out, "lost: ", NamedRuns(lost), ": no later node covers ", Them(lost), "\n");
  }
  if (!back.empty()) {
    absl::StrAppend(&out, "missing: ", NamedRuns(back), ": a later node that covers ", Them(back),
                    " brings ", Them(back), " back unless it is void\n");
  }
  absl::StrAppend(&out, single ? NotTakenOffOfEach(totals) : NotTakenOff(last));
  if (!totals.void_nodes().empty()) {
    absl::StrAppend(&out, "void nodes, which had too few submissions: ",
                    absl::StrJoin(totals.void_nodes(), ", "), "\n");
  }
  return out;
}

}  // namespace tombola::cli
