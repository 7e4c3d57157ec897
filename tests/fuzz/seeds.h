// The first inputs of fuzz targets.
#ifndef TOMBOLA_TESTS_FUZZ_SEEDS_H_
#define TOMBOLA_TESTS_FUZZ_SEEDS_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/ids.h"

namespace tombola::fuzz {

// By "<target>/<name>".
using Seeds = std::map<std::string, std::string>;

inline std::string Byte(int value) { return std::string(1, static_cast<char>(value)); }
// As input.h reads it.
inline std::string Length(size_t size) {
  return absl::StrCat(Byte(static_cast<int>(size & 0xFF)), Byte(static_cast<int>(size >> 8)));
}

// The task whose reports those stores hold.
TaskId StoreTask();
// Of store_log and store_files: what a shuffler's store leaves on disk.
void AddStores(Seeds& seeds);

}  // namespace tombola::fuzz

#endif  // TOMBOLA_TESTS_FUZZ_SEEDS_H_
