#include "shuffler/embedded/node_logs.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/crypto/report_digest.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"
#include "shuffler/log/log_reader.h"

namespace tombola::shuffler {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 16;

}  // namespace

NodeLogs::NodeLogs(Options options, const Leaving& leaving)
    : options_(std::move(options)),
      leaving_(leaving),
      sealed_bytes_(leaving.logs.front().header.sealed_bytes),
      duplicates_(leaving.amounts.duplicates) {
  for (const LogInfo& log : leaving.logs) sources_.push_back(log.header.sequence);
}

absl::Status NodeLogs::Write() {
  for (const LogInfo& log : leaving_.logs) {
    TOMBOLA_RETURN_IF_ERROR(
        ReadLogChunks(log, [&](FrameChunk& chunk) { return AddChunk(log.header, chunk); }));
  }
  const Amounts& accepted = leaving_.amounts;
  if (read_.submissions != accepted.submissions || read_.reports != accepted.reports) {
    return absl::DataLossError(absl::StrCat("the logs of period ", leaving_.of.part, " hold ",
                                            read_.submissions, " submissions with ", read_.reports,
                                            " reports where ", accepted.submissions, " with ",
                                            accepted.reports, " were accepted"));
  }
  for (auto& [node, log] : logs_) {
    // Nothing is ever appended: damage to any frame before this one is reported.
    FrameBuilder end;
    TOMBOLA_RETURN_IF_ERROR(AppendFrame(log, end));
    log.info.ended = true;
    TOMBOLA_RETURN_IF_ERROR(log.writer.Flush());
    TOMBOLA_RETURN_IF_ERROR(log.writer.file().SyncData());
  }
  return absl::OkStatus();
}

absl::Status NodeLogs::AddChunk(const LogHeader& from, const FrameChunk& chunk) {
  const FrameLayout layout = LayoutOf(from);
  std::vector<std::vector<absl::Span<const uint8_t>>> groups(layout.groups);
  for (const FrameChunk::Frame& frame : chunk.frames) {
    read_.submissions += frame.submissions;
    ForEachGroup(chunk.Payload(frame), frame.submissions, layout,
                 [&](size_t group, const SubmissionView& submission) {
                   Digest(from, group, submission);
                   groups[group].push_back(submission.reports);
                 });
  }
  read_.reports += chunk.reports;
  for (size_t group = 0; group < groups.size(); ++group) {
    std::sort(groups[group].begin(), groups[group].end(),
              [](absl::Span<const uint8_t> a, absl::Span<const uint8_t> b) {
                return AsView(a) < AsView(b);
              });
    TOMBOLA_ASSIGN_OR_RETURN(Log* const log, LogOf(from.nodes[group]));
    FrameBuilder frame;
    for (const absl::Span<const uint8_t> reports : groups[group]) {
      frame.AddAlone(static_cast<uint16_t>(reports.size() / layout.sealed_bytes), reports);
    }
    TOMBOLA_RETURN_IF_ERROR(AppendFrame(*log, frame));
  }
  return absl::OkStatus();
}

void NodeLogs::Digest(const LogHeader& from, size_t group, const SubmissionView& submission) {
  std::vector<shuffler::Digest>& digests = digests_[submission.window];
  // Room for all that can come: what is never written takes no memory, but growing would.
  if (digests.empty()) {
    digests.reserve(static_cast<size_t>(leaving_.amounts.submissions + leaving_.amounts.reports));
  }
  if (group == 0) digests.push_back(submission.id);
  const auto record_bytes = static_cast<size_t>(sealed_bytes_);
  for (auto rest = submission.reports; !rest.empty(); rest.remove_prefix(record_bytes)) {
    digests.push_back(
        Cut(crypto::ReportDigest(from.of.task, from.nodes[group].key, rest.first(record_bytes))));
  }
}

absl::StatusOr<NodeLogs::Log*> NodeLogs::LogOf(const NodeKey& node) {
  if (const auto found = logs_.find(node); found != logs_.end()) return &found->second;
  LogInfo info;
  info.header = {.of = {.task = leaving_.of.task, .key = node.key, .part = node.node},
                 .sealed_bytes = sealed_bytes_,
                 .sequence = options_.next_sequence(),
                 .salt = options_.salt,
                 .sources = sources_};
  info.path = absl::StrCat(options_.directory, "/", LogName(info.header.of, info.header.sequence));
  TOMBOLA_RETURN_IF_ERROR(RemoveFile(DraftOf(info.path)));
  TOMBOLA_ASSIGN_OR_RETURN(AppendWriter writer,
                           AppendWriter::Create(DraftOf(info.path), kBufferBytes));
  Log& log = logs_.emplace(node, Log{std::move(info), std::move(writer)}).first->second;
  const std::string header = EncodeLogHeader(log.info.header);
  TOMBOLA_RETURN_IF_ERROR(log.writer.Append(AsBytes(header)));
  log.info.end = static_cast<int64_t>(header.size());
  return &log;
}

absl::Status NodeLogs::AppendFrame(Log& log, FrameBuilder& frame) {
  int64_t duplicates = 0;
  if (frame.submissions() > 0 && log.info.header.of == leaving_.of) {
    duplicates = std::min<int64_t>(duplicates_, std::numeric_limits<uint32_t>::max());
    duplicates_ -= duplicates;
  }
  const absl::Span<const uint8_t> bytes =
      frame.Finish(log.info.frames, static_cast<uint32_t>(duplicates), log.info.header.salt);
  TOMBOLA_RETURN_IF_ERROR(log.writer.Append(bytes));
  log.info.end += static_cast<int64_t>(bytes.size());
  ++log.info.frames;
  log.info.amounts += {frame.submissions(), frame.reports(), duplicates};
  return absl::OkStatus();
}

absl::Status NodeLogs::Name() {
  for (const auto& [node, log] : logs_) {
    TOMBOLA_RETURN_IF_ERROR(Rename(DraftOf(log.info.path), log.info.path));
  }
  return SyncDirectory(options_.directory);
}

absl::Status NodeLogs::Remove() {
  for (const auto& [node, log] : logs_) {
    TOMBOLA_RETURN_IF_ERROR(RemoveFile(DraftOf(log.info.path)));
    TOMBOLA_RETURN_IF_ERROR(RemoveFile(log.info.path));
  }
  return SyncDirectory(options_.directory);
}

std::vector<LogInfo> NodeLogs::Infos() const {
  std::vector<LogInfo> infos;
  for (const auto& [node, log] : logs_) infos.push_back(log.info);
  return infos;
}

}  // namespace tombola::shuffler
