#include "shuffler/disk/test_crash_disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace tombola::shuffler {
namespace {

namespace fs = std::filesystem;

// A file for as long as it lives: inode numbers alone are used again.
using FileId = std::tuple<uint64_t, int64_t, uint32_t>;

struct Node {
  FileId id;
  bool directory = false;
};

struct State {
  std::recursive_mutex mutex;
  std::string root;
  std::function<void()> before_sync;
  bool fail_syncs = false;
  std::map<FileId, std::string> synced_bytes;
  std::map<FileId, std::map<std::string, Node>> synced_names;
};

State& TheState() {
  static State state;
  return state;
}

Node NodeAt(int directory, const char* path, int flags) {
  struct statx facts;
  TOMBOLA_CHECK(::statx(directory, path, flags, STATX_TYPE | STATX_INO | STATX_BTIME, &facts) == 0);
  return {{facts.stx_ino, facts.stx_btime.tv_sec, facts.stx_btime.tv_nsec},
          S_ISDIR(facts.stx_mode)};
}

std::string BytesAt(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  bytes.resize(bytes.find_last_not_of('\0') + 1);
  return bytes;
}

std::map<std::string, Node> NamesAt(const fs::path& path) {
  std::map<std::string, Node> names;
  for (const auto& entry : fs::directory_iterator(path)) {
    names[entry.path().filename().string()] = NodeAt(AT_FDCWD, entry.path().c_str(), 0);
  }
  return names;
}

int TakeNote(int descriptor) {
  State& state = TheState();
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  if (state.root.empty()) return 0;
  if (state.before_sync) state.before_sync();
  if (state.fail_syncs) {
    errno = EIO;
    return -1;
  }
  const fs::path path = fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor));
  const Node node = NodeAt(descriptor, "", AT_EMPTY_PATH);
  if (node.directory) {
    state.synced_names[node.id] = NamesAt(path);
  } else {
    state.synced_bytes[node.id] = BytesAt(path);
  }
  return 0;
}

void Add(const State& state, Crash crash, const fs::path& path, const Node& node,
         const std::string& name, DiskImage& image) {
  if (!node.directory) {
    const auto synced = state.synced_bytes.find(node.id);
    if (crash == Crash::kProcess) {
      image[name] = BytesAt(path);
    } else {
      image[name] = synced == state.synced_bytes.end() ? "" : synced->second;
    }
    return;
  }
  image[name + "/"] = "";
  std::map<std::string, Node> names;
  if (crash == Crash::kPower) {
    const auto synced = state.synced_names.find(node.id);
    if (synced != state.synced_names.end()) names = synced->second;
  } else {
    names = NamesAt(path);
  }
  for (const auto& [child, child_node] : names) {
    Add(state, crash, path / child, child_node, absl::StrCat(name, "/", child), image);
  }
}

}  // namespace

CrashDisk::CrashDisk(std::string root, std::function<void()> before_sync) {
  State& state = TheState();
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  TOMBOLA_CHECK(state.root.empty());
  state.root = std::move(root);
  state.before_sync = std::move(before_sync);
}

CrashDisk::~CrashDisk() {
  State& state = TheState();
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  state.root.clear();
  state.before_sync = nullptr;
  state.fail_syncs = false;
  state.synced_bytes.clear();
  state.synced_names.clear();
}

void CrashDisk::FailSyncs(bool fail) {
  State& state = TheState();
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  state.fail_syncs = fail;
}

DiskImage CrashDisk::Image(Crash crash) const {
  State& state = TheState();
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  DiskImage image;
  if (!fs::exists(state.root)) return image;
  Add(state, crash, state.root, NodeAt(AT_FDCWD, state.root.c_str(), 0), "", image);
  return image;
}

void CrashDisk::Restore(const DiskImage& image, const std::string& directory) {
  fs::create_directories(directory);
  for (const auto& [name, bytes] : image) {
    if (name.ends_with('/')) {
      fs::create_directories(directory + name);
    } else {
      std::ofstream(directory + name, std::ios::binary) << bytes;
    }
  }
}

}  // namespace tombola::shuffler

extern "C" int fsync(int descriptor) { return tombola::shuffler::TakeNote(descriptor); }
extern "C" int fdatasync(int descriptor) { return tombola::shuffler::TakeNote(descriptor); }
