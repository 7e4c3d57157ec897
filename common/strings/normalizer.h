// One spelling for strings that read the same, and the same one on every device.
//
// Two devices that spell a string differently hold two strings: both are found less often, and
// nobody notices. So a task says how strings are spelled, and that leaves nothing to the version of
// a device's library: characters that Unicode 15.0 has not assigned become U+FFFD before anything
// else, and of all others later versions say the same (common/text/repertoire.h).
#ifndef TOMBOLA_COMMON_STRINGS_NORMALIZER_H_
#define TOMBOLA_COMMON_STRINGS_NORMALIZER_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/text/normal_form.h"

namespace tombola::strings {

// Of a longer text only so many characters are looked at: as no task's strings are that long, more
// are combining marks without end.
inline constexpr size_t kMostNormalizedCharacters = 4096;

// Unicode's normalization form C, of the folded text where cases are folded (in full: "Straße" and
// "STRASSE" become one). Immutable, a value.
class Normalizer {
 public:
  // By the task's version of Unicode. InvalidArgument naming strings.normalization.unicode_version
  // unless it is kRepertoire; FailedPrecondition if libutf8proc is of an older one.
  static absl::StatusOr<Normalizer> Create(absl::string_view unicode_version, bool fold_case);

  // That of the text's first kMostNormalizedCharacters characters. Doing it again changes nothing,
  // but for texts that are that long. Takes time linear in the text's bytes and some milliseconds
  // at most for marks that are out of their order. InvalidArgument if the text is not UTF-8.
  absl::StatusOr<std::string> Normalize(absl::string_view text) const;

  // InvalidArgument naming the first character of an alphabet that Normalize never gives, such as
  // an upper-case letter where cases are folded: no device could hold it.
  absl::Status CheckAlphabet(absl::string_view characters) const;

 private:
  explicit Normalizer(Case letters) : letters_(letters) {}

  Case letters_;
};

}  // namespace tombola::strings

#endif  // TOMBOLA_COMMON_STRINGS_NORMALIZER_H_
