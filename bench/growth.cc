// Runs one stage at one size and prints one line of JSON: stage, n, seconds and the most memory
// that was ever resident. Under `valgrind --tool=callgrind --instr-atstart=no` only what is
// measured is counted. bench/growth runs it for all stages and sizes.
//
// usage: growth STAGE N
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "bench/growth_stage.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

namespace tombola::bench {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<GrowthStage> (*make)();
};

constexpr Entry kStages[] = {
    {"permute", GrowPermute},
    {"store", GrowStore},
    {"store_full", GrowFullStore},
    {"recover", GrowRecover},
    {"release", GrowRelease},
    {"aggregate", GrowAggregate},
    {"decode_plane", GrowDecodePlane},
    {"decode_affine", GrowDecodeAffine},
    {"pop", GrowPop},
    {"least_squares", GrowLeastSquares},
};

// On the disk of TMPDIR.
class Directory {
 public:
  Directory() {
    path_ = (std::filesystem::temp_directory_path() / "tombola-growth-XXXXXX").string();
    Require(::mkdtemp(path_.data()) != nullptr, "making a directory");
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void PrepareApart(GrowthStage& stage, int64_t n, const std::string& directory) {
  const pid_t child = ::fork();
  Require(child >= 0, "forking");
  if (child == 0) {
    stage.Prepare(n, directory);
    ::_exit(0);
  }
  int status = 0;
  Require(::waitpid(child, &status, 0) == child && status == 0, "preparing");
}

// VmHWM of /proc/self/status, in bytes.
int64_t PeakResidentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::atoll(line.c_str() + 6) * 1024;
  }
  return 0;
}

int Main(const char* name, int64_t n) {
  for (const Entry& entry : kStages) {
    if (std::strcmp(entry.name, name) != 0) continue;
    const Directory directory;
    const std::unique_ptr<GrowthStage> stage = entry.make();
    PrepareApart(*stage, n, directory.path());
    stage->SetUp(n, directory.path());
    const auto begin = std::chrono::steady_clock::now();
    CALLGRIND_START_INSTRUMENTATION;
    stage->Run();
    CALLGRIND_STOP_INSTRUMENTATION;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("{\"stage\": \"%s\", \"n\": %lld, \"seconds\": %.6f, \"rss_bytes\": %lld}\n", name,
                static_cast<long long>(n), seconds.count(),
                static_cast<long long>(PeakResidentBytes()));
    return 0;
  }
  std::fprintf(stderr, "%s is no stage\n", name);
  return 2;
}

}  // namespace
}  // namespace tombola::bench

int main(int argc, char** argv) {
  if (argc != 3 || std::atoll(argv[2]) < 1) {
    std::fprintf(stderr, "usage: growth STAGE N\n");
    return 2;
  }
  return tombola::bench::Main(argv[1], std::atoll(argv[2]));
}
