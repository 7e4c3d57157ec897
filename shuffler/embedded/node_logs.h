// What was held for a period of a stream, as a log for each of its nodes.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_NODE_LOGS_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_NODE_LOGS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "shuffler/digests/seen_files.h"
#include "shuffler/disk/append_writer.h"
#include "shuffler/embedded/inventory.h"
#include "shuffler/log/frame_reader.h"
#include "shuffler/log/log_format.h"
#include "shuffler/log/log_writer.h"

namespace tombola::shuffler {

// Reads the logs of a period once and takes the groups of their submissions apart, each into the
// log of its node. There a group has neither id nor window, and those of one frame, a megabyte of
// what was read, lie in the order of their bytes, which are ciphertext: of which groups came
// together nothing is left but that. The logs name what they were made from, so that a start can
// tell whether they count (LogHeader::sources).
//
// Memory: some megabytes, or some times the largest frame, 64 KiB for each node, and the digests.
// Not thread-safe.
class NodeLogs {
 public:
  struct Options {
    std::string directory;  // of the task's logs
    uint64_t salt = 0;
    std::function<uint64_t()> next_sequence;
  };
  // `leaving` is what waited for a period.
  NodeLogs(Options options, const Leaving& leaving);
  NodeLogs(const NodeLogs&) = delete;
  NodeLogs& operator=(const NodeLogs&) = delete;

  // Writes drafts, synced. DataLoss: a log is damaged, or holds other than what was accepted.
  absl::Status Write();
  // They get their names. After a failure some of them may have.
  absl::Status Name();
  // Nothing of them is left, durably; whatever was done before.
  absl::Status Remove();

  // What was written, as it will be named.
  std::vector<LogInfo> Infos() const;
  // Of all submissions and all of their reports, in no order.
  DigestsByWindow& digests() { return digests_; }

 private:
  struct Log {
    LogInfo info;
    AppendWriter writer;
  };

  absl::Status AddChunk(const LogHeader& from, const FrameChunk& chunk);
  void Digest(const LogHeader& from, size_t group, const SubmissionView& submission);
  // The node's log, begun if need be.
  absl::StatusOr<Log*> LogOf(const NodeKey& node);
  absl::Status AppendFrame(Log& log, FrameBuilder& frame);

  const Options options_;
  const Leaving& leaving_;
  const int64_t sealed_bytes_;
  std::vector<uint64_t> sources_;
  int64_t duplicates_;  // that the period's own node has yet to get
  std::map<NodeKey, Log> logs_;
  DigestsByWindow digests_;
  Amounts read_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_NODE_LOGS_H_
