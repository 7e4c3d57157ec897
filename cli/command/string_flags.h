// Which strings the flags of a command are about.
#ifndef TOMBOLA_CLI_COMMAND_STRING_FLAGS_H_
#define TOMBOLA_CLI_COMMAND_STRING_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/plan/strings.h"
#include "common/strings/alphabet.h"

namespace tombola::cli {

// What stands for an alphabet of bytes.
inline constexpr char kBytesAlphabet[] = "bytes";

struct StringFlags {
  std::optional<int64_t> length;  // of a string at most, in symbols
  std::string alphabet;           // characters, or kBytesAlphabet
  std::optional<int64_t> step;
  bool dictionary_only = false;
  std::optional<double> dictionary_size;

  bool any() const {
    return length.has_value() || !alphabet.empty() || step.has_value() || dictionary_only ||
           dictionary_size.has_value();
  }
};

// InvalidArgument names --alphabet and what is wrong with it.
absl::StatusOr<strings::Alphabet> ReadAlphabet(const StringFlags& flags);

// What to plan for an alphabet of so many symbols. InvalidArgument names the flag.
absl::StatusOr<mechanism::StringPlanRequest> ReadStringRequest(const StringFlags& flags,
                                                               int64_t symbols,
                                                               const mechanism::PlanRequest& plan);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_COMMAND_STRING_FLAGS_H_
