#include "lab/strings/held.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/simulation/distributions.h"
#include "common/base/status_macros.h"

namespace tombola::lab {
namespace {

StringPopulation Ordered(const std::map<std::string, int64_t>& counts) {
  StringPopulation population;
  for (const auto& [text, devices] : counts) {
    if (devices == 0) continue;
    population.strings.push_back({text, devices});
    population.devices += devices;
  }
  std::stable_sort(population.strings.begin(), population.strings.end(),
                   [](const HeldString& a, const HeldString& b) { return a.devices > b.devices; });
  return population;
}

// As it is, if it is not compressed.
absl::StatusOr<std::string> Unzipped(const std::string& folder, absl::string_view name) {
  const std::string path = absl::StrCat(folder, "/", name);
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return absl::NotFoundError(absl::StrCat(path, " is not there"));
  std::string text;
  std::vector<char> part(size_t{1} << 16);
  int got = 0;
  while ((got = gzread(file, part.data(), static_cast<unsigned>(part.size()))) > 0) {
    text.append(part.data(), static_cast<size_t>(got));
  }
  const bool whole = gzclose(file) == Z_OK && got == 0;
  if (!whole) return absl::InvalidArgumentError(absl::StrCat(path, " is damaged"));
  return text;
}

absl::StatusOr<StringPopulation> ReadHeld(const std::string& folder, absl::string_view name,
                                          char separator) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text, Unzipped(folder, name));
  return ParseHeld(text, separator, name);
}

std::map<std::string, int64_t> CountsOf(const StringPopulation& population) {
  std::map<std::string, int64_t> counts;
  for (const HeldString& held : population.strings) counts[held.text] = held.devices;
  return counts;
}

double MedianOf(std::vector<double> numbers) {
  if (numbers.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

}  // namespace

absl::StatusOr<StringPopulation> ParseHeld(absl::string_view text, char separator,
                                           absl::string_view name) {
  std::map<std::string, int64_t> counts;
  int64_t line_number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    ++line_number;
    const size_t at = line.rfind(separator);
    int64_t devices = 0;
    if (at == absl::string_view::npos || !absl::SimpleAtoi(line.substr(at + 1), &devices) ||
        devices < 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          name, ", line ", line_number, ": is not a string and a number of at least 1"));
    }
    counts[std::string(line.substr(0, at))] += devices;
  }
  return Ordered(counts);
}

absl::StatusOr<StringPopulation> ReadAol(const std::string& folder) {
  return ReadHeld(folder, kAol, '\t');
}

absl::StatusOr<StringPopulation> ReadWords(const std::string& folder) {
  return ReadHeld(folder, kWords, ' ');
}

StringPopulation Mapped(const StringPopulation& population,
                        const std::function<std::string(const std::string&)>& as) {
  std::map<std::string, int64_t> counts;
  for (const HeldString& held : population.strings) counts[as(held.text)] += held.devices;
  return Ordered(counts);
}

StringPopulation Sampled(const StringPopulation& population, int64_t devices,
                         simulation::Generator& random) {
  std::vector<double> weights;
  for (const HeldString& held : population.strings) {
    weights.push_back(static_cast<double>(held.devices));
  }
  const std::vector<int64_t> drawn = simulation::Multinomial(devices, weights, random);
  std::map<std::string, int64_t> counts;
  for (size_t i = 0; i < drawn.size(); ++i) counts[population.strings[i].text] = drawn[i];
  return Ordered(counts);
}

StringScore ScoreOf(const StringPopulation& truth, const std::vector<FoundText>& found) {
  const std::map<std::string, int64_t> counts = CountsOf(truth);
  StringScore score{.found = static_cast<int64_t>(found.size())};
  std::map<std::string, double> said;
  for (const FoundText& text : found) {
    score.held_by_nobody += !counts.contains(text.text);
    said[text.text] = text.devices;
  }
  for (size_t i = 0; i < kStringTops.size(); ++i) {
    const auto top = static_cast<size_t>(kStringTops[i]);
    const size_t shown = std::min(top, found.size());
    std::map<std::string, bool> first;
    for (size_t at = 0; at < shown; ++at) first[found[at].text] = true;
    std::vector<double> errors;
    double hits = 0;
    for (size_t at = 0; at < std::min(top, truth.strings.size()); ++at) {
      const HeldString& held = truth.strings[at];
      hits += first.contains(held.text);
      const auto of = said.find(held.text);
      const auto devices = static_cast<double>(held.devices);
      if (of != said.end()) errors.push_back(std::abs(of->second / devices - 1));
    }
    // 2 precision recall / (precision + recall) of hits among those shown and among the top.
    score.f1[i] = 2 * hits / static_cast<double>(shown + top);
    score.error[i] = MedianOf(std::move(errors));
  }
  return score;
}

MeanScore MeanOf(const std::vector<StringScore>& scores) {
  MeanScore mean;
  const double runs = static_cast<double>(scores.size());
  std::array<double, kStringTops.size()> with_error{};
  for (const StringScore& score : scores) {
    mean.found += static_cast<double>(score.found) / runs;
    mean.held_by_nobody += static_cast<double>(score.held_by_nobody) / runs;
    for (size_t i = 0; i < kStringTops.size(); ++i) {
      mean.f1[i] += score.f1[i] / runs;
      if (std::isnan(score.error[i])) continue;
      mean.error[i] += score.error[i];
      ++with_error[i];
    }
  }
  for (size_t i = 0; i < kStringTops.size(); ++i) mean.error[i] /= with_error[i];  // NaN for none
  return mean;
}

}  // namespace tombola::lab
