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

std::string OneTotal(const v1::StreamTotal& total, const StreamTable& table) {
  const v1::Histogram& shares = total.shares();
  const size_t name = NameCells(shares);
  const std::string percent = absl::StrCat("±", PercentText(table.confidence, 4), "%");
  // A sign of two bytes takes one cell.
  std::string out =
      absl::StrFormat("%s %9s %9s %12s %11s%s\n", Fit("value", name), "share", percent, "count",
                      percent, table.truth.empty() ? "" : "     truth");
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
        truth == nullptr ? "" : absl::StrFormat(" %8.3f%%%s", 100 * *truth, outside ? " !" : ""),
        "\n");
  }
  return out;
}

std::string PeriodsText(const v1::StreamTotal& total) {
  return total.first() == total.last() ? absl::StrCat(total.first())
                                       : absl::StrCat(total.first(), " to ", total.last());
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
  for (const int i : Spread(totals.totals_size(), kMostLines)) {
    const v1::StreamTotal& total = totals.totals(i);
    absl::StrAppend(&out, Fit(PeriodsText(total), 14),
                    absl::StrFormat(" %12d", total.submissions()), "  ",
                    total.missing().empty() ? "-" : RunsText(total.missing()), "\n");
  }
  if (totals.totals_size() > kMostLines) {
    absl::StrAppend(&out, kMostLines, " of ", totals.totals_size(),
                    " totals: --format csv has all of them\n");
  }
  return out;
}

}  // namespace

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

std::string DescribeStream(const v1::StreamTotals& totals) {
  if (totals.totals().empty()) return "";
  const v1::StreamTotal& last = *totals.totals().rbegin();
  std::string out =
      absl::StrCat(last.first() == last.last() ? "period " : "periods ", PeriodsText(last), ": ",
                   last.submissions(), " submissions; nodes: ", totals.counted(), "\n");
  if (!last.missing().empty()) {
    absl::StrAppend(&out, "missing: periods ", RunsText(last.missing()),
                    ": a later node that covers them brings them back\n");
  }
  if (!last.strange().empty()) {
    absl::StrAppend(&out, "not taken off: periods ", RunsText(last.strange()),
                    ", which only one of the two totals has\n");
  }
  if (!totals.void_nodes().empty()) {
    absl::StrAppend(&out, "void nodes, which had too few submissions: ",
                    absl::StrJoin(totals.void_nodes(), ", "), "\n");
  }
  return out;
}

}  // namespace tombola::cli
