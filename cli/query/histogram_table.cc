#include "cli/query/histogram_table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/terminal/text_cells.h"
#include "common/base/decimal.h"
#include "common/json/histogram.h"

namespace tombola::cli {
namespace {

// Of names and bars, in cells. A terminal too narrow for both has shorter names, then shorter bars,
// then none.
constexpr int kMaxName = 24, kLeastName = 8, kUsualBar = 20, kLeastBar = 8;
constexpr int kLegendCells = 51;

// Where a frequency falls on a bar of so many cells.
int CellOf(double frequency, double scale, int cells) {
  // Cut before rounding: an interval far below zero is no number of cells that an int holds.
  const double share = std::clamp(frequency / scale, 0.0, 1.0);
  return std::min(static_cast<int>(std::lround(share * cells)), cells - 1);
}

std::string Bar(double frequency, double low, double high, const double* truth, double scale,
                int cells, bool colour) {
  const int end = CellOf(frequency, scale, cells);
  const int from = CellOf(low, scale, cells), to = CellOf(high, scale, cells);
  const int mark = truth == nullptr ? -1 : CellOf(*truth, scale, cells);
  std::string bar;
  for (int i = 0; i < cells; ++i) {
    if (i == mark) {
      bar += colour ? "\x1b[33m◆\x1b[0m" : "◆";
    } else if (from < to && i >= from && i <= to) {
      bar += i == from ? "├" : i == to ? "┤" : "─";
    } else if (i < end) {
      bar += colour ? "\x1b[36m█\x1b[0m" : "█";
    } else {
      bar += ' ';
    }
  }
  return bar;
}

struct Layout {
  size_t name = 0;
  int bar = 0;
};

// How so many columns are shared by the names, of which the longest is that long, and the bars.
Layout LayOut(int columns, int longest) {
  int name = std::min(longest, kMaxName);
  if (columns - name < kUsualBar) name = std::min(name, std::max(columns - kUsualBar, kLeastName));
  if (columns - name < kLeastBar) {
    return {.name = static_cast<size_t>(std::clamp(columns, 1, std::min(longest, kMaxName)))};
  }
  return {.name = static_cast<size_t>(name), .bar = columns - name};
}

// "3", or "3-7 *+": which places a row may have, with the marks of what is sure.
std::string PlacesOf(const v1::Ranking& ranking, int row) {
  const uint64_t best = ranking.best(row), worst = ranking.worst(row);
  return absl::StrCat(best, best == worst ? "" : absl::StrCat("-", worst), " ",
                      worst <= ranking.top() ? "*" : " ", ranking.low(row) > 0 ? "+" : " ");
}

// As wide as the widest of them, under a heading, with a space before; nothing where they are not
// shown.
class PlaceColumn {
 public:
  PlaceColumn(const v1::Histogram& histogram, const DrawOptions& options) {
    if (!options.places) return;
    places_ = {"place   "};
    for (int row = 0; row < histogram.values_size(); ++row) {
      places_.push_back(PlacesOf(histogram.ranking(), row));
    }
    for (const std::string& place : places_) cells_ = std::max(cells_, place.size());
  }

  int cells() const { return places_.empty() ? 0 : static_cast<int>(cells_) + 1; }
  std::string Heading() const { return Of(-1); }
  std::string Of(int row) const {
    if (places_.empty()) return "";
    const std::string& place = places_[static_cast<size_t>(row + 1)];
    return std::string(cells_ + 1 - place.size(), ' ') + place;
  }

 private:
  std::vector<std::string> places_;  // the heading, and of each row
  size_t cells_ = 0;
};

}  // namespace

std::string DrawHistogram(const v1::Histogram& histogram, const DrawOptions& options) {
  const int rows = histogram.values_size();
  const bool has_truth = !options.truth.empty();
  int longest = 5;
  double scale = 1e-12;
  for (int row = 0; row < rows; ++row) {
    longest = std::max(longest, static_cast<int>(Cells(NameOf(histogram, row))));
    scale = std::max({scale, histogram.frequencies(row), histogram.high(row)});
    if (has_truth) scale = std::max(scale, options.truth[static_cast<size_t>(row)]);
  }
  const PlaceColumn places(histogram, options);
  const Layout layout =
      LayOut(options.columns - (has_truth ? 30 : 20) - 1 - places.cells(), longest);
  std::string out = absl::StrFormat("%s %9s %8s%s%s\n", Fit("value", layout.name), "share",
                                    absl::StrCat("±", PercentText(options.confidence, 4), "%"),
                                    has_truth ? "     truth" : "", places.Heading());
  for (int row = 0; row < rows; ++row) {
    const double half = (histogram.high(row) - histogram.low(row)) / 2;
    const double* truth = has_truth ? &options.truth[static_cast<size_t>(row)] : nullptr;
    const bool outside =
        truth != nullptr && (*truth < histogram.low(row) || *truth > histogram.high(row));
    absl::StrAppend(&out, Fit(NameOf(histogram, row), layout.name),
                    absl::StrFormat(" %8.3f%% %7.3f", 100 * histogram.frequencies(row), 100 * half),
                    truth == nullptr ? "" : absl::StrFormat(" %8.3f%%", 100 * *truth),
                    places.Of(row), " ", outside ? "!" : " ",
                    Bar(histogram.frequencies(row), histogram.low(row), histogram.high(row), truth,
                        scale, layout.bar, options.colour),
                    "\n");
  }
  if (has_truth) {
    const absl::string_view gap = options.columns > kLegendCells ? "  " : "\n";
    if (layout.bar > 0) absl::StrAppend(&out, "├─┤ interval", gap, "◆ truth", gap);
    absl::StrAppend(&out, "! truth outside its interval\n");
  }
  if (options.places) {
    const absl::string_view gap = options.columns > kLegendCells ? "  " : "\n";
    absl::StrAppend(&out, "* surely among the ", histogram.ranking().top(), " largest", gap,
                    "+ surely above 0\n");
  }
  return out;
}

std::string DescribeBand(const v1::Histogram& histogram, double confidence) {
  return absl::StrFormat(
      "all bins at once: with %s %% confidence no unbiased estimate is off by more than %s %%\n",
      PercentText(confidence, 6), RoundedUp(100 * histogram.max_error(), 4));
}

int TerminalColumns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace tombola::cli
