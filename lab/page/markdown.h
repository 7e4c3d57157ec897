// Pieces of Markdown.
#ifndef TOMBOLA_LAB_PAGE_MARKDOWN_H_
#define TOMBOLA_LAB_PAGE_MARKDOWN_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tombola::lab {

// A paragraph in lines of at most 100 characters, however it was broken before, the later ones
// indented; ends with a line end. Words are never broken.
std::string Wrapped(absl::string_view text, absl::string_view indent = "");

// A table, its header first; ends with a line end. Every row has as many cells as the header.
std::string TableOf(const std::vector<std::string>& header,
                    const std::vector<std::vector<std::string>>& rows);

// Two or three digits: 0.0213, 5.61, 13600, with an exponent where a person reads it easier:
// 4.2e-05. NaN is a dash.
std::string ShortNumber(double number);
// Three digits with an exponent: 4.21e-05. NaN is a dash.
std::string Scientific(double number);
// 105,180; at least 0.
std::string Grouped(int64_t number);
// "5.6" if all are the same, else "1.2 to 13600"; a dash for none.
std::string Span(absl::Span<const double> numbers);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_MARKDOWN_H_
