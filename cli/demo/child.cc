#include "cli/demo/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/disk/whole_file.h"

namespace tombola::cli {
namespace {

std::string Beside(const std::string& program) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / program).string();
}

std::string LastLine(const std::string& path) {
  const auto text = ReadSmallFile(path);
  if (!text.ok()) return "";
  const std::vector<std::string> lines = absl::StrSplit(*text, '\n', absl::SkipEmpty());
  return lines.empty() ? "" : lines.back();
}

// Only what is safe between fork and exec.
[[noreturn]] void Become(const std::string& path, char* const* argv, int log, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  dup2(log, STDERR_FILENO);
  dup2(log, STDOUT_FILENO);
  execv(path.c_str(), argv);
  _exit(127);
}

std::string ReadToEnd(int fd) {
  std::string text;
  char buffer[512];
  ssize_t got;
  while ((got = read(fd, buffer, sizeof(buffer))) > 0 || (got < 0 && errno == EINTR)) {
    if (got > 0) text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

}  // namespace

absl::StatusOr<Child> Child::Start(const std::string& program, std::vector<std::string> arguments,
                                   const std::string& log_file) {
  const std::string path = Beside(program);
  if (access(path.c_str(), X_OK) != 0) {
    return absl::NotFoundError(absl::StrCat("cannot run ", path));
  }
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  fcntl(ready[1], F_SETFD, 0);  // the child keeps this end
  // What a log says of batches and their times is its owner's business, also in a file that was
  // there before.
  const int log = open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0 || fchmod(log, 0600) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", log_file));
  }
  arguments.insert(arguments.begin(), path);
  arguments.push_back("--ready-fd");
  arguments.push_back(absl::StrCat(ready[1]));
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) Become(path, argv.data(), log, parent);
  close(log);
  close(ready[1]);
  if (pid < 0) {
    close(ready[0]);
    return absl::ErrnoToStatus(errno, "fork");
  }
  Child child(pid);
  // Closed by the child when it is ready, or by its end.
  const std::string line = ReadToEnd(ready[0]);
  close(ready[0]);
  const auto said = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!said.is_object()) {
    return absl::UnavailableError(
        absl::StrCat(program, " did not start: ", LastLine(log_file), " (", log_file, ")"));
  }
  for (const auto& [name, port] : said.items()) {
    if (port.is_number_integer()) child.ports_[name] = port.get<int>();
  }
  return child;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), ports_(std::move(other.ports_)) {}

int Child::Port(absl::string_view name) const {
  const auto port = ports_.find(name);
  return port == ports_.end() ? 0 : port->second;
}

Child::~Child() { (void)Stop(); }

absl::Status Child::Stop() {
  if (pid_ < 0) return absl::OkStatus();
  kill(pid_, SIGTERM);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  return absl::InternalError("a daemon did not end cleanly: see its log");
}

}  // namespace tombola::cli
