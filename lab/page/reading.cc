#include "lab/page/reading.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tombola::lab {
namespace {

struct Best {
  size_t which = 0;  // of the names
  double error = 0;
};

Best BestOf(const Comparison& comparison, Names names, size_t at, const Number& number) {
  const auto error = [&](size_t i) {
    return number(comparison.errors[comparison.Find(names[i])][at]);
  };
  Best best = {0, error(0)};
  for (size_t i = 1; i < names.size(); ++i) {
    if (error(i) < best.error) best = {i, error(i)};
  }
  return best;
}

}  // namespace

std::vector<double> Ratios(absl::Span<const Comparison* const> comparisons, Names over,
                           absl::string_view under, const Number& number) {
  std::vector<double> ratios;
  for (const Comparison* comparison : comparisons) {
    const std::vector<Errors>& below = comparison->errors[comparison->Find(under)];
    for (size_t at = 0; at < below.size(); ++at) {
      ratios.push_back(BestOf(*comparison, over, at, number).error / number(below[at]));
    }
  }
  return ratios;
}

std::string Tally(absl::Span<const Comparison* const> comparisons, Names names,
                  const Number& number) {
  std::vector<std::pair<int, std::string>> wins;
  for (const absl::string_view name : names) {
    const Comparison& first = *comparisons.front();
    wins.emplace_back(0, first.lines[first.Find(name)].title);
  }
  int cells = 0;
  for (const Comparison* comparison : comparisons) {
    for (size_t at = 0; at < comparison->errors.front().size(); ++at) {
      ++wins[BestOf(*comparison, names, at, number).which].first;
      ++cells;
    }
  }
  std::stable_sort(wins.begin(), wins.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> words;
  for (const auto& [count, title] : wins) {
    if (count > 0) words.push_back(absl::StrCat(title, " in ", count));
  }
  return absl::StrCat(absl::StrJoin(words, ", "), " of ", cells);
}

}  // namespace tombola::lab
