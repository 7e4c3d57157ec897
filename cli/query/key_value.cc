#include "cli/query/key_value.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/query/items.h"
#include "cli/query/means_panel.h"
#include "cli/terminal/text_cells.h"
#include "common/base/decimal.h"
#include "common/json/key_value.h"
#include "common/kind/key_value.h"

namespace tombola::cli {
namespace {

std::string BesidePairs(const QueryOptions& options, const v1::Answer& answer,
                        const Task& /*task*/) {
  return absl::StrCat(DescribeBand(AsHistogram(answer.key_value()), options.confidence),
                      DescribePlaces(options, answer.key_value().ranking()),
                      DescribeSizes(answer.key_value().sizes()));
}

// A mean on a line from the lowest level to the highest: its interval and itself.
std::string MeanLine(const v1::KeyValues& pairs, int row, const Levels& levels, int cells) {
  const auto cell = [&](double number) {
    const double share = (number - levels.low) / (levels.high - levels.low);
    return std::min(static_cast<int>(std::lround(share * cells)), cells - 1);
  };
  const int low = cell(pairs.mean_low(row));
  const int high = cell(pairs.mean_high(row));
  const int mean = cell(pairs.means(row));
  std::string line;
  for (int i = 0; i < cells; ++i) {
    line += i == mean ? "●" : i >= low && i <= high ? "─" : "·";
  }
  return line;
}

void WritePairs(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                const Truth& truth, std::ostream& out) {
  const v1::KeyValues& pairs = answer.key_value();
  WriteShares(options, AsHistogram(pairs), task, truth, out);
  const Levels& levels = static_cast<const KeyValueKind&>(task.kind().OfOneBatch()).levels();
  size_t longest = 5;
  for (int row = 0; row < pairs.values_size(); ++row) {
    longest = std::max<size_t>(longest, Cells(task.domain().NameOf(pairs.values(row))));
  }
  longest = std::min<size_t>(longest, 24);
  out << absl::StrFormat("\n%s %9s %18s%s   %g to %g\n", Fit("value", longest), "mean",
                         absl::StrCat(PercentText(options.confidence, 4), " % interval"),
                         truth.empty() ? "" : "     truth", levels.low, levels.high);
  for (int row = 0; row < pairs.values_size(); ++row) {
    out << Fit(task.domain().NameOf(pairs.values(row)), longest);
    const bool known = !std::isnan(pairs.means(row));
    out << (known ? absl::StrFormat(" %9.4g %7.4g to %7.4g", pairs.means(row), pairs.mean_low(row),
                                    pairs.mean_high(row))
                  : std::string(" too few holders            "));
    bool outside = false;
    if (!truth.empty()) {
      const double mean = truth.means[static_cast<size_t>(row)];
      out << (std::isnan(mean) ? "         -" : absl::StrFormat(" %9.4g", mean));
      outside = known && (mean < pairs.mean_low(row) || mean > pairs.mean_high(row));
    }
    if (known) out << (outside ? " !" : "  ") << MeanLine(pairs, row, levels, /*cells=*/24);
    out << "\n";
  }
  out << BesidePairs(options, answer, task);
}

}  // namespace

QueryFace KeyValueFace() {
  return {
      .kind = KeyValueKind::kName,
      .usual_postprocess = "clip",
      .ask =
          [](const QueryOptions& options, const Task& task, v1::GetAnswerRequest* request) {
            return AskItems(options, task, request->mutable_key_value());
          },
      .sort = [](BinOrder order, v1::Answer* answer) { Sort(order, *answer->mutable_key_value()); },
      .truth =
          [](const QueryOptions& options, const v1::Answer& answer, const Task& task) {
            return ItemsTruth(answer.key_value().values(), task, options.truth);
          },
      .write_table = &WritePairs,
      .write_chart =
          [](const QueryOptions& options, const v1::Answer& answer, const Task& task,
             const Truth& truth, std::ostream& out) {
            const v1::KeyValues& pairs = answer.key_value();
            WriteSharesChart(
                options, answer, AsHistogram(pairs), task, truth,
                MeansPanel(pairs,
                           static_cast<const KeyValueKind&>(task.kind().OfOneBatch()).levels(),
                           truth.empty() ? std::vector<double>() : truth.means),
                out);
          },
      .beside_rows = &BesidePairs};
}

}  // namespace tombola::cli
