// What a program knows of its commands and flags, as a page for man.
#ifndef TOMBOLA_COMMON_CONFIG_MAN_PAGE_H_
#define TOMBOLA_COMMON_CONFIG_MAN_PAGE_H_

#include <string>

namespace CLI {
class App;
}

namespace tombola::config {

// Section 8 for a daemon, which has no commands, else 1. In roff, with the same texts as --help and
// nothing else; the same for the same program, whenever it is made.
std::string ManPage(const CLI::App& app);

}  // namespace tombola::config

#endif  // TOMBOLA_COMMON_CONFIG_MAN_PAGE_H_
