// A document that the lab makes.
#ifndef TOMBOLA_LAB_PAGE_PAGES_H_
#define TOMBOLA_LAB_PAGE_PAGES_H_

#include <cstdint>
#include <map>
#include <string>

namespace tombola::lab {

struct PageFacts {
  uint64_t seed = 0;
  int64_t trials = 0;
  bool with_folder = false;  // the public data files were there
};

// The document, and the files of the folder beside it by their names.
struct Pages {
  std::string markdown;
  std::map<std::string, std::string> files;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_PAGE_PAGES_H_
