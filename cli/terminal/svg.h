// What every chart has in common: how the document begins, its colours, and text in it.
#ifndef TOMBOLA_CLI_TERMINAL_SVG_H_
#define TOMBOLA_CLI_TERMINAL_SVG_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tombola::svg {

// The classes s0 to s8 of the style sheet colour what has them.
inline constexpr int kColours = 9;

struct Page {
  double width = 0;
  double height = 0;
  std::string title;        // read out by screen readers
  std::string description;  // after the title; empty: none
};

// A document up to its background: no scripts, no references, colours for light and for dark
// surroundings by the viewer's preference. The style sheet's classes: title, note; grid, frame,
// line, dashed, mark; bar, whisker. "</svg>" ends the document.
std::string Begin(const Page& page);

// Text as character data or in an attribute. What XML does not allow becomes U+FFFD.
std::string Escape(absl::string_view text);

}  // namespace tombola::svg

#endif  // TOMBOLA_CLI_TERMINAL_SVG_H_
