// How wide text is in a terminal: in cells, not in bytes, whatever the locale.
#ifndef TOMBOLA_CLI_TERMINAL_TEXT_CELLS_H_
#define TOMBOLA_CLI_TERMINAL_TEXT_CELLS_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace tombola::cli {

// Of UTF-8. Two for the wide characters of East Asia and emoji, none for combining marks. A byte
// that is no UTF-8 and a control character take one, because Fit shows them as one.
size_t Cells(absl::string_view text);

// Exactly so many cells: filled up with spaces, or cut with "…" as its last cell. What a terminal
// would obey instead of showing (control characters) becomes U+FFFD.
std::string Fit(absl::string_view text, size_t cells);

// At most so many cells, cut in the same way.
std::string Cut(absl::string_view text, size_t cells);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TERMINAL_TEXT_CELLS_H_
