// Public files of strings that people hold, and how well a method finds them.
#ifndef TOMBOLA_LAB_STRINGS_HELD_H_
#define TOMBOLA_LAB_STRINGS_HELD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/simulation/generator.h"

namespace tombola::lab {

struct HeldString {
  std::string text;
  int64_t devices = 0;
};

// Different strings, those of most devices first.
struct StringPopulation {
  std::vector<HeldString> strings;
  int64_t devices = 0;
};

// The files of a data folder.
inline constexpr absl::string_view kAol = "aol_query_6bytes_sorted.txt.gz";
inline constexpr absl::string_view kWords = "en_50k_opensubtitles2018.txt";

// A string, `separator` and a whole number of at least 1 a line. InvalidArgument names the line.
absl::StatusOr<StringPopulation> ParseHeld(absl::string_view text, char separator,
                                           absl::string_view name);
// The first six bytes of queries and how many devices hold them; NotFound if it is not there.
absl::StatusOr<StringPopulation> ReadAol(const std::string& folder);
// Words and how often they were said; likewise.
absl::StatusOr<StringPopulation> ReadWords(const std::string& folder);

// What strings become, such as cut and with foreign characters replaced; those that become alike
// are one.
StringPopulation Mapped(const StringPopulation& population,
                        const std::function<std::string(const std::string&)>& as);
// So many devices, each with a string in proportion to the population's.
StringPopulation Sampled(const StringPopulation& population, int64_t devices,
                         simulation::Generator& random);

// The tops at which methods are compared.
inline constexpr std::array<int64_t, 4> kStringTops = {32, 100, 300, 1000};

// What a method says: those of most devices first.
struct FoundText {
  std::string text;
  double devices = 0;
};

struct StringScore {
  // Of the first k found against the first k held: the harmonic mean of precision and recall.
  std::array<double, kStringTops.size()> f1{};
  // The median of the relative errors of those of the first k held that were found; NaN for none.
  std::array<double, kStringTops.size()> error{};
  int64_t found = 0;
  int64_t held_by_nobody = 0;  // of those found
};
StringScore ScoreOf(const StringPopulation& truth, const std::vector<FoundText>& found);

// The mean over runs; of errors over those runs that have one.
struct MeanScore {
  std::array<double, kStringTops.size()> f1{};
  std::array<double, kStringTops.size()> error{};
  double found = 0;
  double held_by_nobody = 0;
};
MeanScore MeanOf(const std::vector<StringScore>& scores);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STRINGS_HELD_H_
