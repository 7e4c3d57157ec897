#include "common/rpc/grpc_log.h"

#include <cstdio>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/base/worker.h"
#include "common/log/log.h"

namespace tombola::rpc {
namespace {

std::string SourceOf(const gpr_log_func_args& line) {
  const absl::string_view file = line.file;
  return absl::StrCat(file.substr(file.rfind('/') + 1), ":", line.line);
}

struct Counting {
  GrpcLog log;
  Worker worker{"grpc-log", absl::Seconds(1), [this] { log.Step(); }};
};

Counting& TheCounting() {
  static Counting* const counting = new Counting;  // gRPC may log until the very end
  return *counting;
}

}  // namespace

void GrpcLog::Add(const gpr_log_func_args& line) {
  if (absl::StartsWith(line.message, "assertion failed")) {
    log::Error("grpc_failed", {{"source", SourceOf(line)}, {"status", line.message}});
    return;
  }
  const bool handshake = absl::StrContains(line.message, "Handshake failed");
  MutexLock lock(mutex_);
  if (!handshake && others_ == 0) source_ = SourceOf(line);
  ++(handshake ? handshakes_ : others_);
}

void GrpcLog::Step() {
  int64_t handshakes = 0, others = 0;
  std::string source;
  {
    MutexLock lock(mutex_);
    handshakes = std::exchange(handshakes_, 0);
    others = std::exchange(others_, 0);
    source = std::exchange(source_, "");
  }
  if (handshakes > 0) log::Warning("handshakes_failed", {{"count", handshakes}});
  if (others > 0) log::Warning("grpc_complained", {{"count", others}, {"source", source}});
}

void SilenceGrpcLog() {
  gpr_set_log_function([](gpr_log_func_args* line) {
    if (absl::StartsWith(line->message, "assertion failed"))
      std::fprintf(stderr, "%s\n", line->message);
  });
}

void CountGrpcLog() {
  static const bool counted = [] {
    TheCounting();
    gpr_set_log_function([](gpr_log_func_args* line) { TheCounting().log.Add(*line); });
    return true;
  }();
  (void)counted;
}

}  // namespace tombola::rpc
