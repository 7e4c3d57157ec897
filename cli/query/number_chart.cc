#include "cli/query/number_chart.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/query/answer_text.h"
#include "cli/terminal/svg.h"
#include "cli/terminal/text_cells.h"
#include "common/base/decimal.h"
#include "common/json/number.h"

namespace tombola::cli {
namespace {

constexpr double kPageWidth = 800, kPlotLeft = 84, kPlotRight = 776, kPlotTop = 78,
                 kPlotBottom = 330, kLine = 17;

// From numbers and heights to the page.
struct Frame {
  double low = 0, high = 1;  // numbers
  double bottom = 0, top = 1;

  double X(double number) const {
    const double share = std::clamp((number - low) / (high - low), 0.0, 1.0);
    return kPlotLeft + share * (kPlotRight - kPlotLeft);
  }
  double Y(double height) const {
    const double share = std::clamp((height - bottom) / (top - bottom), 0.0, 1.0);
    return kPlotBottom - share * (kPlotBottom - kPlotTop);
  }
};

// The share of a bin as a height: by width, so that what is drawn is an area, in units of the
// widest bin's.
class Heights {
 public:
  explicit Heights(const v1::Distribution& numbers) : numbers_(numbers) {
    for (int row = 0; row < numbers.low_edges_size(); ++row) {
      widest_ = std::max(widest_, Width(row));
    }
    for (int row = 0; row < numbers.low_edges_size(); ++row) {
      even_ = even_ && Width(row) > widest_ * (1 - 1e-6);
    }
  }

  bool even() const { return even_; }
  double Of(double share, int row) const { return even_ ? share : share * widest_ / Width(row); }

 private:
  double Width(int row) const { return numbers_.high_edges(row) - numbers_.low_edges(row); }

  const v1::Distribution& numbers_;
  double widest_ = 0;
  bool even_ = true;
};

// A step of one, two or five times a power of ten, of about so many in a distance.
double RoundStep(double distance, double steps) {
  const double rough = distance / steps;
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  return decade * (rough <= 2 * decade ? 2 : rough <= 5 * decade ? 5 : 10);
}

Frame FrameOf(const v1::Distribution& numbers, const Heights& heights,
              const std::vector<double>& truth) {
  Frame frame{.low = numbers.low_edges(0),
              .high = numbers.high_edges(numbers.high_edges_size() - 1),
              .top = 1e-12};
  for (int row = 0; row < numbers.low_edges_size(); ++row) {
    for (const double share : {numbers.frequencies(row), numbers.high(row)}) {
      frame.top = std::max(frame.top, heights.Of(share, row));
    }
    frame.bottom = std::min(frame.bottom, heights.Of(std::max(numbers.low(row), -1.0), row));
    frame.bottom = std::min(frame.bottom, heights.Of(numbers.frequencies(row), row));
    if (!truth.empty()) {
      frame.top = std::max(frame.top, heights.Of(truth[static_cast<size_t>(row)], row));
    }
  }
  return frame;
}

void AddAxes(const Frame& frame, const Heights& heights, std::string& svg) {
  const double up = RoundStep(frame.top - frame.bottom, 5);
  for (auto i = static_cast<int64_t>(std::ceil(frame.bottom / up));
       static_cast<double>(i) * up <= frame.top; ++i) {
    const double height = static_cast<double>(i) * up;
    absl::StrAppendFormat(&svg, "<path class=\"%s\" d=\"M%g %.1fH%g\"/>\n",
                          i == 0 ? "frame" : "grid", kPlotLeft, frame.Y(height), kPlotRight);
    absl::StrAppendFormat(&svg, "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%.4g%s</text>\n",
                          kPlotLeft - 8, frame.Y(height) + 4.5, 100 * height,
                          heights.even() ? " %" : "");
  }
  const double across = RoundStep(frame.high - frame.low, 8);
  for (auto i = static_cast<int64_t>(std::ceil(frame.low / across));
       static_cast<double>(i) * across <= frame.high; ++i) {
    const double number = static_cast<double>(i) * across;
    absl::StrAppendFormat(&svg, "<path class=\"frame\" d=\"M%.1f %gv5\"/>\n", frame.X(number),
                          kPlotBottom);
    absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%.6g</text>\n",
                          frame.X(number), kPlotBottom + 20, number);
  }
}

void AddBin(const v1::Distribution& numbers, int row, const double* truth, const Frame& frame,
            const Heights& heights, std::string& svg) {
  const double left = frame.X(numbers.low_edges(row)), right = frame.X(numbers.high_edges(row));
  const double zero = frame.Y(0), end = frame.Y(heights.Of(numbers.frequencies(row), row));
  const double gap = right - left > 4 ? 0.5 : 0;
  absl::StrAppendFormat(
      &svg, "<g><title>%s: %.4g %%, interval %.4g %% to %.4g %%%s</title>\n",
      svg::Escape(BinName(numbers, row)), 100 * numbers.frequencies(row), 100 * numbers.low(row),
      100 * numbers.high(row),
      truth == nullptr ? std::string() : absl::StrFormat(", truth %.4g %%", 100 * *truth));
  absl::StrAppendFormat(&svg,
                        "<rect class=\"bar s0\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                        "height=\"%.1f\"/>\n",
                        left + gap, std::min(zero, end), right - left - 2 * gap,
                        std::abs(zero - end));
  const double middle = (left + right) / 2;
  absl::StrAppendFormat(&svg, "<path class=\"whisker\" d=\"M%.1f %.1fV%.1f\"/>\n", middle,
                        frame.Y(heights.Of(numbers.low(row), row)),
                        frame.Y(heights.Of(numbers.high(row), row)));
  if (truth != nullptr) {
    absl::StrAppendFormat(&svg, "<path class=\"mark s1\" d=\"M%.1f %.1fH%.1f\"/>\n", left + gap,
                          frame.Y(heights.Of(*truth, row)), right - gap);
  }
  svg += "</g>\n";
}

// A line at a number, its interval as a band, and its name above in one of two rows.
void AddLine(const std::string& name, const v1::Estimate& estimate, const Frame& frame,
             absl::string_view colour, double label_y, std::string& svg) {
  absl::StrAppendFormat(&svg, "<g><title>%s: %.6g, interval %.6g to %.6g</title>\n",
                        svg::Escape(name), estimate.value(), estimate.low(), estimate.high());
  absl::StrAppendFormat(&svg,
                        "<rect class=\"bar %s\" style=\"fill-opacity:.18\" x=\"%.1f\" y=\"%g\" "
                        "width=\"%.1f\" height=\"%g\"/>\n",
                        colour, frame.X(estimate.low()), kPlotTop,
                        frame.X(estimate.high()) - frame.X(estimate.low()), kPlotBottom - kPlotTop);
  absl::StrAppendFormat(&svg, "<path class=\"line dashed %s\" d=\"M%.1f %gV%g\"/>\n", colour,
                        frame.X(estimate.value()), label_y + 3, kPlotBottom);
  absl::StrAppendFormat(
      &svg, "<text class=\"note\" x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%s</text></g>\n",
      frame.X(estimate.value()), label_y, svg::Escape(name));
}

void AddPlot(const v1::Distribution& numbers, const std::vector<double>& truth, std::string& svg) {
  const Heights heights(numbers);
  const Frame frame = FrameOf(numbers, heights, truth);
  AddAxes(frame, heights, svg);
  for (int row = 0; row < numbers.low_edges_size(); ++row) {
    AddBin(numbers, row, truth.empty() ? nullptr : &truth[static_cast<size_t>(row)], frame, heights,
           svg);
  }
  for (int i = 0; i < numbers.quantiles_size(); ++i) {
    AddLine(absl::StrFormat("%g", numbers.fractions(i)), numbers.quantiles(i), frame, "s3",
            i % 2 == 0 ? kPlotTop - 4 : kPlotTop - 18, svg);
  }
  if (numbers.has_mean()) AddLine("mean", numbers.mean(), frame, "s2", kPlotTop - 32, svg);
}

std::string ShownAs(const char* name, const v1::Estimate& estimate) {
  return estimate.low() == estimate.high()
             ? absl::StrFormat("%s %.8g", name, estimate.value())
             : absl::StrFormat("%s %.6g (%.6g to %.6g)", name, estimate.value(), estimate.low(),
                               estimate.high());
}

std::vector<std::string> NotesOf(const v1::Answer& answer, const NumberChart& chart,
                                 const Truth& truth) {
  const v1::Distribution& numbers = answer.number();
  std::vector<std::string> notes;
  std::string summary = ShownAs("Devices", numbers.count());
  if (numbers.has_where()) {
    absl::StrAppend(&summary, ", of numbers in ", numbers.where().low(), " to ",
                    numbers.where().high());
  }
  if (numbers.has_mean()) absl::StrAppend(&summary, ". ", ShownAs("Mean", numbers.mean()));
  notes.push_back(absl::StrCat(summary, ". Counted: ", numbers.counted()));
  if (numbers.low_edges_size() > 0) {
    notes.push_back(absl::StrCat(
        "Bars: shares of the devices with a number", Heights(numbers).even() ? "" : ", by width",
        chart.postprocess == "none" ? ", unbiased estimates"
                                    : absl::StrCat(", after ", chart.postprocess),
        truth.frequencies.empty() ? "." : ". Marks: the truth."));
    notes.push_back(absl::StrCat(
        "Lines on bars, and bands: ", PercentText(chart.confidence, 6),
        " % intervals. Dashed: ", numbers.quantiles_size() > 0 ? "mean and quantiles." : "mean."));
  }
  for (std::string& note : EnvelopeNotes(answer)) notes.push_back(std::move(note));
  return notes;
}

}  // namespace

std::string DrawNumberChart(const v1::Answer& answer, const NumberChart& chart,
                            const Truth& truth) {
  const bool plotted = answer.number().low_edges_size() > 0;
  const std::vector<std::string> notes = NotesOf(answer, chart, truth);
  std::string description;
  for (const std::string& note : notes) absl::StrAppend(&description, note, "\n");
  double y = plotted ? kPlotBottom + 48 : 54;
  std::string svg = svg::Begin({.width = kPageWidth,
                                .height = y + kLine * static_cast<double>(notes.size()),
                                .title = chart.title,
                                .description = description});
  absl::StrAppendFormat(&svg, "<text class=\"title\" x=\"16\" y=\"28\">%s</text>\n",
                        svg::Escape(Cut(chart.title, 90)));
  if (plotted) AddPlot(answer.number(), truth.frequencies, svg);
  for (const std::string& note : notes) {
    absl::StrAppendFormat(&svg, "<text class=\"note\" x=\"16\" y=\"%g\">%s</text>\n", y,
                          svg::Escape(Cut(note, 130)));
    y += kLine;
  }
  svg += "</svg>\n";
  return svg;
}

}  // namespace tombola::cli
