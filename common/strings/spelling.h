// One spelling for strings that read the same, and the same one on every device.
//
// Two devices that spell a string differently hold two strings: both are found less often, and
// nobody notices. So a task says how strings are spelled, and that leaves nothing to the version of
// a device's library: characters that Unicode 15.0 has not assigned become U+FFFD before anything
// else, and of all others later versions say the same (common/text/repertoire.h).
#ifndef TOMBOLA_COMMON_STRINGS_SPELLING_H_
#define TOMBOLA_COMMON_STRINGS_SPELLING_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tombola::strings {

enum class Spelling {
  kAsItIs,    // any bytes, unchanged
  kComposed,  // Unicode's normalization form C
  kFolded,    // that of the folded text: cases are folded in full, so that "Straße" and "STRASSE"
              // become one
};

// Of a longer text only so many characters are spelled: as no task's strings are that long, more
// are combining marks without end.
inline constexpr size_t kMostSpelledCharacters = 4096;

// FailedPrecondition unless a task that names this version of Unicode can be spelled here: it must
// be kRepertoire, and libutf8proc of no older one.
absl::Status CheckUnicode(absl::string_view version);

// The spelling of the text's first kMostSpelledCharacters characters; of all its bytes as it is.
// Doing it again changes nothing, but for texts that are that long. Takes time linear in the text's
// bytes, and some milliseconds at most for marks that are out of their order. InvalidArgument if
// the text is not UTF-8, unless it stays as it is. Thread-safe.
absl::StatusOr<std::string> Spell(absl::string_view text, Spelling spelling);

// InvalidArgument naming the first character of an alphabet that Spell never gives, such as an
// upper-case letter where cases are folded: no device could hold it.
absl::Status CheckSpelled(absl::string_view alphabet, Spelling spelling);

}  // namespace tombola::strings

#endif  // TOMBOLA_COMMON_STRINGS_SPELLING_H_
