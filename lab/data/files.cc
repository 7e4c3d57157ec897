#include "lab/data/files.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"

namespace tombola::lab {
namespace {

constexpr size_t kMostKeys = size_t{1} << 20;

struct FileLine {
  int64_t user = 0;
  int64_t key = 0;
  float value = 0;
};

absl::Status Wrong(absl::string_view name, int64_t line, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(name, ", line ", line, ": ", what));
}

// Keys by their order, from 0.
absl::StatusOr<std::map<int64_t, int32_t>> NumberKeys(const std::vector<FileLine>& lines,
                                                      absl::string_view name) {
  std::map<int64_t, int32_t> numbers;
  for (const FileLine& line : lines) numbers.emplace(line.key, 0);
  if (numbers.empty()) return absl::InvalidArgumentError(absl::StrCat(name, " holds no pair"));
  if (numbers.size() > kMostKeys) {
    return absl::InvalidArgumentError(absl::StrCat(name, " has more than 2^20 keys"));
  }
  int32_t next = 0;
  for (auto& [key, number] : numbers) number = next++;
  return numbers;
}

// Lines of one user stand together.
absl::StatusOr<Population> Gather(const std::vector<FileLine>& lines, absl::string_view name) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto numbers, NumberKeys(lines, name));
  Population population(static_cast<int64_t>(numbers.size()));
  std::vector<Pair> record;
  for (size_t begin = 0, end = 0; begin < lines.size(); begin = end) {
    record.clear();
    for (; end < lines.size() && lines[end].user == lines[begin].user; ++end) {
      record.push_back({numbers.at(lines[end].key), lines[end].value});
    }
    // Stable, so that of equal keys the first is kept.
    std::stable_sort(record.begin(), record.end(),
                     [](const Pair& a, const Pair& b) { return a.key < b.key; });
    record.erase(std::unique(record.begin(), record.end(),
                             [](const Pair& a, const Pair& b) { return a.key == b.key; }),
                 record.end());
    population.Add(record);
  }
  return population;
}

absl::StatusOr<std::string> ReadFile(const std::string& folder, absl::string_view name) {
  absl::StatusOr<std::string> text = ReadSmallFile(absl::StrCat(folder, "/", name));
  if (text.ok()) return text;
  return absl::Status(text.status().code(),
                      absl::StrCat("the data folder's ", name, ": ", text.status().message()));
}

}  // namespace

absl::StatusOr<Population> ParseKeyValues(absl::string_view text, absl::string_view name) {
  std::vector<FileLine> lines;
  int64_t number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (++number == 1) {
      if (line != "user,key,value") return Wrong(name, 1, "must be user,key,value");
      continue;
    }
    if (line.empty()) continue;
    const std::vector<absl::string_view> fields = absl::StrSplit(line, ',');
    FileLine read;
    if (fields.size() != 3) return Wrong(name, number, "must have three fields");
    if (!absl::SimpleAtoi(fields[0], &read.user)) {
      return Wrong(name, number, "user must be a whole number");
    }
    if (!absl::SimpleAtoi(fields[1], &read.key)) {
      return Wrong(name, number, "key must be a whole number");
    }
    if (!absl::SimpleAtof(fields[2], &read.value) || !(read.value >= -1 && read.value <= 1)) {
      return Wrong(name, number, "value must be in [-1, 1]");
    }
    lines.push_back(read);
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const FileLine& a, const FileLine& b) { return a.user < b.user; });
  return Gather(lines, name);
}

absl::StatusOr<Population> ParseSets(absl::string_view text, char separator,
                                     absl::string_view name) {
  std::vector<FileLine> lines;
  int64_t number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    for (const absl::string_view item : absl::StrSplit(line, separator, absl::SkipWhitespace())) {
      FileLine read = {.user = number};
      if (!absl::SimpleAtoi(item, &read.key)) {
        return Wrong(name, number, "items must be whole numbers");
      }
      lines.push_back(read);
    }
  }
  return Gather(lines, name);
}

absl::StatusOr<Population> ReadClothing(const std::string& folder) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text, ReadFile(folder, kClothing));
  return ParseKeyValues(text, kClothing);
}

absl::StatusOr<Population> ReadBmsWebView(const std::string& folder) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text, ReadFile(folder, kBmsWebView));
  return ParseSets(text, ' ', kBmsWebView);
}

absl::StatusOr<Population> ReadKosarak(const std::string& folder) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text, ReadFile(folder, kKosarak));
  return ParseSets(text, ',', kKosarak);
}

}  // namespace tombola::lab
