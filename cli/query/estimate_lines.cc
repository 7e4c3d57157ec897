#include "cli/query/estimate_lines.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/terminal/text_cells.h"
#include "common/base/decimal.h"

namespace tombola::cli {
namespace {

constexpr size_t kNameCells = 16, kIntervalCells = 26;

std::string WithoutEnd(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return absl::StrCat(line, "\n");
}

}  // namespace

std::string EstimateHeading(double confidence, bool truth) {
  const std::string interval = absl::StrCat(PercentText(confidence, 4), " % interval");
  return WithoutEnd(absl::StrCat(Fit("", kNameCells + 13), "   ", Fit(interval, kIntervalCells),
                                 truth ? "        truth" : ""));
}

std::string EstimateLine(absl::string_view name, const v1::Estimate& estimate,
                         const double* truth) {
  const bool known = estimate.low() == estimate.high();
  const std::string interval =
      known ? "known" : absl::StrFormat("%.5g to %.5g", estimate.low(), estimate.high());
  std::string line = absl::StrFormat("%s %12.6g   %s", Fit(name, kNameCells), estimate.value(),
                                     Fit(interval, kIntervalCells));
  if (truth != nullptr) {
    absl::StrAppendFormat(&line, " %12.6g%s", *truth, Outside(estimate, *truth) ? " !" : "");
  }
  return WithoutEnd(std::move(line));
}

std::string MissingLine(absl::string_view name, absl::string_view why) {
  return absl::StrCat(Fit(name, kNameCells), " ", why, "\n");
}

bool Outside(const v1::Estimate& estimate, double truth) {
  return truth < estimate.low() || truth > estimate.high();
}

}  // namespace tombola::cli
