// Runs a target on every file of the directories that are named: the regression test where there is
// no libFuzzer. The first must have files, the others may be missing. A finding aborts, after the
// name of the file that it was found in.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/input.h"

namespace {

std::vector<std::filesystem::path> FilesIn(const char* directory) {
  std::vector<std::filesystem::path> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(directory, missing)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void Run(const std::filesystem::path& file) {
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);
  std::ifstream in(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  size_t runs = 0;
  for (int i = 1; i < argc; ++i) {
    const auto files = FilesIn(argv[i]);
    if (i == 1 && files.empty()) {
      std::fprintf(stderr, "%s has no files\n", argv[i]);
      return 1;
    }
    for (const auto& file : files) Run(file);
    runs += files.size();
  }
  std::printf("%zu files\n", runs);
  return argc > 1 ? 0 : 2;
}
