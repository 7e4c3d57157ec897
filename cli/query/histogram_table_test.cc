#include "cli/query/histogram_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/terminal/text_cells.h"

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

void AddBin(v1::Histogram* histogram, const std::string& label, double frequency, double half) {
  histogram->add_values(static_cast<uint64_t>(histogram->values_size()));
  if (!label.empty()) *histogram->add_labels() = label;
  histogram->add_frequencies(frequency);
  histogram->add_raw(frequency);
  histogram->add_standard_errors(half / 2);
  histogram->add_low(frequency - half);
  histogram->add_high(frequency + half);
}

v1::Histogram ColourBins() {
  v1::Histogram histogram;
  AddBin(&histogram, "red", 0.5, 0.05);
  AddBin(&histogram, "green", 0.25, 0.04);
  AddBin(&histogram, "blue", 0.25, 0.01);
  return histogram;
}

std::vector<std::string> Lines(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

int CountOf(const std::string& text, const std::string& what) {
  int count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++count;
  return count;
}

TEST(DrawHistogramTest, HasALineForEachBinUnderAHeading) {
  const auto lines = Lines(DrawHistogram(ColourBins(), {}));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[0], StartsWith("value"));
  EXPECT_THAT(lines[0], HasSubstr("±95%"));
  EXPECT_THAT(lines[1], StartsWith("red"));
  EXPECT_THAT(lines[1], HasSubstr("50.000%"));
  EXPECT_THAT(lines[1], HasSubstr("5.000"));
  EXPECT_THAT(lines[2], StartsWith("green"));
  EXPECT_THAT(lines[2], HasSubstr("25.000%"));
  EXPECT_THAT(lines[3], StartsWith("blue"));
}

TEST(DrawHistogramTest, NamesTheConfidence) {
  EXPECT_THAT(DrawHistogram(ColourBins(), {.confidence = 0.999}), HasSubstr("±99.9%"));
  EXPECT_THAT(DrawHistogram(ColourBins(), {.confidence = 0.9999999}), HasSubstr("±99.99999%"));
  EXPECT_THAT(DescribeBand(ColourBins(), 0.9999999), HasSubstr("with 99.99999 % confidence"));
}

TEST(DrawHistogramTest, NumbersTheBinsOfADomainWithoutLabels) {
  v1::Histogram histogram;
  AddBin(&histogram, "", 0.5, 0.1);
  AddBin(&histogram, "", 0.5, 0.1);
  histogram.set_values(1, 4711);
  const auto lines = Lines(DrawHistogram(histogram, {}));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[1], StartsWith("0 "));
  EXPECT_THAT(lines[2], StartsWith("4711 "));
}

TEST(DrawHistogramTest, ALongerBarIsALargerFrequency) {
  const auto lines = Lines(DrawHistogram(ColourBins(), {}));
  EXPECT_GT(CountOf(lines[1], "█"), CountOf(lines[2], "█"));
  EXPECT_GT(CountOf(lines[2], "█"), 0);
  // The interval is drawn over the bar's end: one of each, the wider one longer.
  for (size_t row = 1; row <= 3; ++row) {
    EXPECT_EQ(CountOf(lines[row], "├"), 1) << row;
    EXPECT_EQ(CountOf(lines[row], "┤"), 1) << row;
  }
  EXPECT_GT(CountOf(lines[2], "─"), CountOf(lines[3], "─"));
}

TEST(DrawHistogramTest, FitsTheTerminal) {
  v1::Histogram long_names = ColourBins();
  long_names.set_labels(0, "a name that is longer than its column");
  for (const v1::Histogram& histogram : {ColourBins(), long_names}) {
    for (const size_t columns : {40, 46, 50, 56, 57, 60, 80, 200}) {
      for (const bool with_truth : {false, true}) {
        DrawOptions options{.columns = static_cast<int>(columns)};
        if (with_truth) options.truth = {0.5, 0.25, 0.25};
        for (const std::string& line : Lines(DrawHistogram(histogram, options))) {
          EXPECT_LT(Cells(line), columns) << line;
        }
      }
    }
  }
}

TEST(DrawHistogramTest, ANarrowTerminalHasShorterBarsAndThenNone) {
  const auto bar = [](int columns) {
    return CountOf(Lines(DrawHistogram(ColourBins(), {.columns = columns}))[1], "█");
  };
  EXPECT_GT(bar(60), bar(40));
  EXPECT_GT(bar(40), 0);
  EXPECT_EQ(bar(28), 0);
  const auto lines = Lines(DrawHistogram(ColourBins(), {.columns = 28}));
  EXPECT_THAT(lines[1], StartsWith("red"));
  EXPECT_THAT(lines[1], HasSubstr("50.000%   5.000"));
  EXPECT_LT(Cells(lines[1]), 28u);
}

TEST(DrawHistogramTest, WideCharactersKeepTheirColumns) {
  v1::Histogram histogram;
  AddBin(&histogram, "東京", 0.5, 0.1);
  AddBin(&histogram, "Oslo", 0.3, 0.1);
  AddBin(&histogram, "e\u0301te\u0301", 0.2, 0.1);
  const auto lines = Lines(DrawHistogram(histogram, {}));
  EXPECT_THAT(lines[1], StartsWith("東京    50.000%"));
  EXPECT_THAT(lines[2], StartsWith("Oslo    30.000%"));
  EXPECT_THAT(lines[3], StartsWith("e\u0301te\u0301     20.000%"));
}

TEST(DrawHistogramTest, CutsLongNamesAndCountsCharactersNotBytes) {
  v1::Histogram histogram;
  AddBin(&histogram, std::string(60, 'x'), 0.5, 0.1);
  AddBin(&histogram, "grün", 0.3, 0.1);
  AddBin(&histogram, "ääääääääääääääääääääääääääää", 0.2, 0.1);
  const auto lines = Lines(DrawHistogram(histogram, {}));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[1], StartsWith(absl::StrCat(std::string(23, 'x'), "… ")));
  EXPECT_THAT(lines[2], StartsWith("grün" + std::string(21, ' ')));
  EXPECT_EQ(CountOf(lines[3], "ä"), 23);
  EXPECT_EQ(Cells(lines[1]), Cells(lines[2]));
  EXPECT_EQ(Cells(lines[1]), Cells(lines[3]));
}

TEST(DrawHistogramTest, MarksTheTruthAndFlagsItOutsideItsInterval) {
  const auto lines = Lines(DrawHistogram(ColourBins(), {.truth = {0.5, 0.2, 0.255}}));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(lines[0], HasSubstr("truth"));
  for (size_t row = 1; row <= 3; ++row) EXPECT_EQ(CountOf(lines[row], "◆"), 1) << lines[row];
  EXPECT_THAT(lines[1], Not(HasSubstr("!")));
  EXPECT_THAT(lines[2], HasSubstr("!"));  // 0.2 is below 0.25 - 0.04
  EXPECT_THAT(lines[2], HasSubstr("20.000%"));
  EXPECT_THAT(lines[3], Not(HasSubstr("!")));
  EXPECT_THAT(lines[4], HasSubstr("truth outside its interval"));
}

TEST(DrawHistogramTest, EscapesOnlyWhereColourIsWanted) {
  EXPECT_THAT(DrawHistogram(ColourBins(), {}), Not(HasSubstr("\x1b")));
  const std::string coloured = DrawHistogram(ColourBins(), {.colour = true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[36m"));
  // Each escape is taken back.
  EXPECT_EQ(CountOf(coloured, "\x1b[36m"), CountOf(coloured, "\x1b[0m"));
}

TEST(DrawHistogramTest, BinsFarBelowZeroHaveNoBar) {
  v1::Histogram histogram;
  AddBin(&histogram, "rare", 0, 0);
  histogram.set_low(0, -0.5);
  histogram.set_high(0, -0.1);
  const auto lines = Lines(DrawHistogram(histogram, {}));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(CountOf(lines[1], "█") + CountOf(lines[1], "─") + CountOf(lines[1], "├"), 0)
      << lines[1];
}

TEST(DrawHistogramTest, ShowsPlacesAndWhatIsSureOfThem) {
  v1::Histogram histogram = ColourBins();
  v1::Ranking* const ranking = histogram.mutable_ranking();
  ranking->set_top(3);
  for (const double low : {0.4, 0.2, 0.0}) ranking->add_low(low);
  for (const uint64_t best : {1u, 2u, 2u}) ranking->add_best(best);
  for (const uint64_t worst : {1u, 3u, 1000u}) ranking->add_worst(worst);
  EXPECT_THAT(DrawHistogram(histogram, {}), Not(HasSubstr("place")));
  const std::string text = DrawHistogram(histogram, {.places = true});
  const auto lines = Lines(text);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(lines[0], HasSubstr("place"));
  EXPECT_THAT(lines[1], HasSubstr("5.000      1 *+ "));
  EXPECT_THAT(lines[2], HasSubstr("4.000    2-3 *+ "));
  EXPECT_THAT(lines[3], HasSubstr("1.000 2-1000    "));
  EXPECT_EQ(lines[4], "* surely among the 3 largest  + surely above 0");
  for (const int columns : {40, 60, 80}) {
    for (const std::string& line :
         Lines(DrawHistogram(histogram, {.columns = columns, .places = true}))) {
      EXPECT_LE(Cells(line), static_cast<size_t>(columns)) << line;
    }
  }
}

TEST(DescribeBandTest, IsNeverNarrowerThanTheNumber) {
  v1::Histogram histogram = ColourBins();
  histogram.set_max_error(0.0123401);
  EXPECT_EQ(DescribeBand(histogram, 0.95),
            "all bins at once: with 95 % confidence no unbiased estimate is off by more than "
            "1.235 %\n");
}

TEST(DrawHistogramTest, AnEmptyAnswerIsAHeading) {
  EXPECT_EQ(Lines(DrawHistogram(v1::Histogram(), {})).size(), 1u);
}

}  // namespace
}  // namespace tombola::cli
