#include "lab/page/section.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lab/page/markdown.h"

namespace tombola::lab {
namespace {

// The table of relative errors is for this epsilon: 0.8, the largest of the paper's.
constexpr size_t kShownEpsilon = 3;

// One of the two ways on one data set.
struct Way {
  const Comparison& comparison;
  absl::string_view letter;
  absl::string_view words;
  absl::string_view chart;
};

std::string WayText(const DataSet& data, const Way& way, absl::Span<const Shown> shown,
                    absl::string_view folder, Pages& pages) {
  const std::vector<double> epsilons = StudyEpsilons();
  std::string out = absl::StrCat("### ", data.title, ", ", way.words, "\n\n");
  for (const Shown& what : shown) {
    const std::string file = absl::StrCat(data.key, "-", way.letter, "-", what.name, ".svg");
    const std::string title = absl::StrCat(data.title, ", ", way.chart, ": ", what.name);
    pages.files[file] = ChartOf(way.comparison, epsilons, title, "mean squared error", what.number);
    absl::StrAppend(&out, "![", title, ", mean squared error against epsilon](", folder, "/", file,
                    ")\n\n", what.words, ":\n\n", ErrorTable(way.comparison, epsilons, what.number),
                    "\n");
  }
  absl::StrAppend(&out,
                  absl::StrFormat("Relative error of the most held frequencies, ε = %g:\n\n",
                                  epsilons[kShownEpsilon]),
                  RelativeTable(way.comparison, kShownEpsilon), "\n");
  return out;
}

}  // namespace

std::string SectionOf(const Study& study, absl::Span<const Shown> shown, absl::string_view folder,
                      Pages& pages) {
  return absl::StrCat(
      "## ", study.data.title, "\n\n", Wrapped(study.data.about), "\n",
      WayText(study.data, {study.local, "a", "A: equal local ε, no shuffler", "local"}, shown,
              folder, pages),
      WayText(study.data,
              {study.shuffled, "b", "B: equal (ε, 10⁻⁶), with a shuffler", "shuffled, delta 1e-6"},
              shown, folder, pages),
      "Messages of a device / local ε that is left if the shuffler colludes / l:\n\n",
      CostTable(study.shuffled, StudyEpsilons()), "\n");
}

std::string DataTable(absl::Span<const Study> studies, bool means) {
  std::vector<std::string> header = {"data",
                                     "devices",
                                     means ? "keys" : "items",
                                     means ? "pairs a device" : "items a device",
                                     "l of 90 %",
                                     "l of 99.9 %",
                                     "answering 0: frequency"};
  if (means) header.emplace_back("answering 0: mean");
  std::vector<std::vector<std::string>> rows;
  for (const Study& study : studies) {
    const double length = static_cast<double>(study.pairs) / static_cast<double>(study.users);
    rows.push_back({study.data.title, Grouped(study.users), Grouped(study.keys),
                    absl::StrFormat("%.2f", length), absl::StrCat(study.items),
                    absl::StrCat(study.all_items), Scientific(study.zero_frequency)});
    if (means) rows.back().push_back(Scientific(study.zero_mean));
  }
  return TableOf(header, rows);
}

std::string ItemsTable(absl::Span<const Study> studies) {
  std::vector<std::vector<std::string>> rows;
  for (const Study& study : studies) {
    for (const ItemsRow& row : study.by_items) {
      rows.push_back({study.data.title, row.rule, absl::StrCat(row.items), ShortNumber(row.bias),
                      ShortNumber(std::sqrt(row.shared.value)),
                      ShortNumber(std::sqrt(row.sampled.value))});
    }
  }
  return TableOf({"data", "devices not cut", "l", "bias", "pure_dump, all l", "PS + grr"}, rows);
}

Agreement AddMeasurements(absl::Span<const Study> studies, Pages& pages) {
  Agreement agreement;
  std::string& csv = pages.files["measurements.csv"];
  csv = CsvHeading();
  for (const Study& study : studies) {
    AddAgreement(study.local, agreement);
    AddAgreement(study.shuffled, agreement);
    absl::StrAppend(&csv, CsvRows(study.data.key, "local", study.local, StudyEpsilons()),
                    CsvRows(study.data.key, "shuffled", study.shuffled, StudyEpsilons()));
  }
  return agreement;
}

}  // namespace tombola::lab
