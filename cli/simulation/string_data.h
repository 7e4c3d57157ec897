// The strings of simulated devices.
#ifndef TOMBOLA_CLI_SIMULATION_STRING_DATA_H_
#define TOMBOLA_CLI_SIMULATION_STRING_DATA_H_

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/simulation/data.h"
#include "common/strings/alphabet.h"
#include "common/strings/spelling.h"

namespace tombola::simulation {

struct HeldString {
  strings::Symbols symbols;  // as long as strings are
  std::string text;          // that they stand for
  int64_t devices = 0;
};

// Different strings, those of most devices first; of two with as many, the first by its text.
struct StringData {
  std::vector<HeldString> strings;
  int64_t devices = 0;
};

struct StringDataRequest {
  DataRequest data;
  strings::Alphabet alphabet;
  int64_t length = 0;
  strings::Spelling spelling = strings::Spelling::kAsItIs;
  // Of a file: a line is a string, a tab and how many devices hold it.
  bool counted = false;
};

// The devices of file:PATH, or of a law: `domain` strings made up of the alphabet's characters, of
// full length, of which devices hold one each. InvalidArgument names the flag, or the file's line
// and what is wrong with it.
absl::StatusOr<StringData> MakeStringData(const StringDataRequest& request);

// A device a line, `users` of them, all if it is absent. A line is the string, or a JSON text if it
// begins with a quote; where it is spelled, bytes that are no UTF-8 are unknown characters.
absl::StatusOr<StringData> ReadStrings(std::istream& lines, absl::string_view name,
                                       const StringDataRequest& request);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_STRING_DATA_H_
