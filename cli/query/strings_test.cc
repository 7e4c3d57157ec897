#include "cli/query/strings.h"

#include <gtest/gtest.h>

namespace tombola::cli {
namespace {

// Devices choose what stands there: nothing of it may reach a terminal as more than text.
TEST(PrintableTest, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("caf\xc3\xa9 au lait"), "caf\xc3\xa9 au lait");
  EXPECT_EQ(Printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(Printable("a\xc2\x9b"
                      "b"),
            "a\\xc2\\x9b"
            "b");
  EXPECT_EQ(Printable("\xff"
                      "a\\b"),
            "\\xff"
            "a\\x5cb");
  EXPECT_EQ(Printable(""), "\"\"");
  EXPECT_EQ(Printable(" a"), "\" a\"");
}

}  // namespace
}  // namespace tombola::cli
